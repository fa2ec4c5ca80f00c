-- The list, for any number of server processes. Run by the first server that starts; one at a time. A server
-- whose role may not create this needs it made before, and USAGE on the schema, EXECUTE on its functions, and
-- SELECT, INSERT, UPDATE and DELETE on its tables.
SELECT pg_advisory_xact_lock(hashtext('live_members'));

-- An older program must not put its functions in the place of a newer one's, nor use those.
DO $$
DECLARE
  found text := obj_description(to_regnamespace('live_members'), 'pg_namespace');
BEGIN
  IF substring(found FROM '^live members (\d+)$')::int > {version} THEN
    RAISE EXCEPTION 'A newer version of this program made the database (%; this is {version}). Start that one.', found;
  END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS live_members;

CREATE TABLE IF NOT EXISTS live_members.list (id text NOT NULL, revision bigint NOT NULL);
INSERT INTO live_members.list
  SELECT replace(gen_random_uuid()::text, '-', ''), 0
  WHERE NOT EXISTS (SELECT FROM live_members.list);

CREATE TABLE IF NOT EXISTS live_members.member (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);

CREATE TABLE IF NOT EXISTS live_members.command (
  key text PRIMARY KEY, outcome text NOT NULL, at timestamptz NOT NULL DEFAULT now());
CREATE INDEX IF NOT EXISTS command_at ON live_members.command (at);

-- No function waits for another's lock for long: the askers learn that nothing was done.
CREATE OR REPLACE FUNCTION live_members.roster() RETURNS jsonb LANGUAGE sql STABLE
SET lock_timeout = '3s' AS $$
  SELECT jsonb_build_object(
    'list', list.id, 'revision', list.revision, 'members', coalesce(
      (SELECT jsonb_agg(jsonb_build_object('id', id, 'name', name) ORDER BY id)
       FROM live_members.member), '[]'))
  FROM live_members.list
$$;

-- What tells whether a list is the newest, for who missed a notification.
CREATE OR REPLACE FUNCTION live_members.roster_id() RETURNS text LANGUAGE sql STABLE
SET lock_timeout = '3s' AS $$ SELECT id || '-' || revision FROM live_members.list $$;

-- The database was set back to an older state, and revisions come a second time: under another name.
-- The first server that notices does it.
CREATE OR REPLACE FUNCTION live_members.begin_epoch(known text, known_revision bigint) RETURNS void
LANGUAGE sql SET lock_timeout = '3s' AS $$
  UPDATE live_members.list SET id = replace(gen_random_uuid()::text, '-', '')
  WHERE id = known AND revision < known_revision;
  NOTIFY live_members
$$;

-- One command. What was done under its key before is not done again.
CREATE OR REPLACE FUNCTION live_members.carry_out(asked jsonb, capacity int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  action jsonb := asked -> 'action';
  result text;
  changed int;
BEGIN
  SELECT outcome INTO result FROM live_members.command WHERE key = asked ->> 'key';
  IF FOUND THEN RETURN result; END IF;
  IF action ? 'add' THEN
    INSERT INTO live_members.member (name) SELECT action #>> '{add,name}'
      WHERE (SELECT count(*) FROM live_members.member) < capacity;
    GET DIAGNOSTICS changed = ROW_COUNT;
    result := CASE changed WHEN 0 THEN 'listIsFull' ELSE 'done' END;
  ELSIF action ? 'remove' THEN
    DELETE FROM live_members.member WHERE id = (action #>> '{remove,id}')::bigint;
    GET DIAGNOSTICS changed = ROW_COUNT;
    result := CASE changed WHEN 0 THEN 'unknownMember' ELSE 'done' END;
  ELSE
    DELETE FROM live_members.member;
    result := 'done';
  END IF;
  -- What was refused has changed nothing, and leaves nothing: refusals must not fill the disk.
  IF result = 'done' THEN
    INSERT INTO live_members.command (key, outcome) VALUES (asked ->> 'key', result);
    UPDATE live_members.list SET revision = revision + 1;
  END IF;
  RETURN result;
END $$;

-- A group of commands, in one transaction: the statement's own. The lock on the list is what brings
-- the transactions of all servers into one order; the statements after it see all that was committed
-- before. It gives the outcomes alone, which fit into the buffers of any connection: a server that does
-- not read its reply must not keep the lock. PostgreSQL tells the listeners when this has been committed.
CREATE OR REPLACE FUNCTION live_members.commit_commands(commands jsonb, capacity int) RETURNS jsonb
LANGUAGE plpgsql SET lock_timeout = '3s' AS $$
DECLARE
  before bigint;
  asked jsonb;
  outcomes jsonb := '[]';
BEGIN
  SELECT revision INTO before FROM live_members.list FOR UPDATE;
  FOR asked IN SELECT * FROM jsonb_array_elements(commands) LOOP
    outcomes := outcomes || to_jsonb(live_members.carry_out(asked, capacity));
  END LOOP;
  DELETE FROM live_members.command WHERE at < now() - interval '1 hour';
  IF before < (SELECT revision FROM live_members.list) THEN
    PERFORM pg_notify('live_members', '');
  END IF;
  RETURN outcomes;
END $$;

-- A server runs this file where it finds an older version, or none.
COMMENT ON SCHEMA live_members IS 'live members {version}';
