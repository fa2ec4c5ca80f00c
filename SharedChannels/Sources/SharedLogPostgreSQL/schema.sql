-- Logs, for any number of machines. Run by the first that connects; one at a time. A machine whose role may not create this
-- needs it made before, and USAGE on the schema, EXECUTE on its functions, SELECT, INSERT and UPDATE on its tables, and
-- DELETE on its entries and snapshots for blank(), compact() and delete().
SELECT pg_advisory_xact_lock(hashtext('@schema@'));

CREATE SCHEMA IF NOT EXISTS @schema@;

-- Until version 4, a schema had one log.
DO $$ BEGIN
  IF to_regclass('@schema@.log') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = to_regclass('@schema@.log') AND attname = 'name')
  THEN RAISE 'an older program has made it, and its tables are others: begin another schema'; END IF;
END $$;

-- No entries of a log are before the index "first". Names and keys are ASCII, and compared byte by byte (COLLATE "C").
CREATE TABLE IF NOT EXISTS @schema@.log (
  name text COLLATE "C" PRIMARY KEY, epoch text NOT NULL DEFAULT gen_random_uuid()::text, first bigint NOT NULL DEFAULT 1);

CREATE TABLE IF NOT EXISTS @schema@.entry (
  log text COLLATE "C" NOT NULL, index bigint NOT NULL, mark bigint NOT NULL, key text COLLATE "C" NOT NULL,
  data bytea NOT NULL, PRIMARY KEY (log, index), UNIQUE (log, key));

CREATE TABLE IF NOT EXISTS @schema@.snapshot (
  log text COLLATE "C" NOT NULL, version bigint NOT NULL, index bigint NOT NULL, mark bigint NOT NULL, data bytea NOT NULL,
  PRIMARY KEY (log, version));

-- Which machines follow a log: the channel on which each listens, and the server's process that does. A crash of the server
-- empties it, and ends the connections of all, who then listen on other channels.
CREATE UNLOGGED TABLE IF NOT EXISTS @schema@.follower (
  log text COLLATE "C" NOT NULL, channel text NOT NULL, process bigint NOT NULL, PRIMARY KEY (log, channel));

-- After this transaction, all that it has seen is durable. Appends commit without waiting for the disk, since each
-- holds the lock that makes the order. An appender waits for the disk here, without a lock: PostgreSQL writes once for
-- all that wait. A message that nobody reads makes the commit wait for all that was written before. It notes what its
-- connection has appended as durable. If it fails, the note is rolled back with it.
CREATE OR REPLACE FUNCTION @schema@.make_durable() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('@schema@.durable', current_setting('@schema@.appended', true), false);
  IF pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()
    OR current_setting('synchronous_standby_names') <> ''
  THEN
    IF current_setting('synchronous_commit') = 'off' THEN
      PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    PERFORM pg_logical_emit_message(true, '@schema@', '');
  END IF;
END $$;

-- Appends what is new to several logs, in one step. The locks of the logs' rows, which all take in the order of the
-- names, bring the transactions of all machines into one order for each log. Missing logs are made before, in the same
-- order. Only a role that may write to the logs can hold them up. It gives a line for each key, in the order of the keys,
-- with the mark of the entry before. They are durable after make_durable(). It notes the newest entry of each log for that.
-- The plans use the indexes, whatever is known of the tables: each key is looked up (LATERAL).
CREATE OR REPLACE FUNCTION @schema@.append(logs text[], keys text[], datas bytea[], new_mark bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, is_repeated bigint, mark_before bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  names text[] := (SELECT array_agg(DISTINCT name COLLATE "C") FROM unnest(logs) AS asked (name));
  locked bigint;
BEGIN
  PERFORM set_config('lock_timeout', '3s', true), set_config('synchronous_commit', 'off', true);
  IF (SELECT count(*) FROM @schema@.log WHERE name = ANY (names)) < cardinality(names) THEN
    INSERT INTO @schema@.log (name)
      SELECT asked.name FROM unnest(names) AS asked (name)
      WHERE NOT EXISTS (SELECT FROM @schema@.log WHERE log.name = asked.name)
      ORDER BY asked.name COLLATE "C"
      ON CONFLICT DO NOTHING;
  END IF;
  PERFORM FROM @schema@.log WHERE name = ANY (names) ORDER BY name FOR NO KEY UPDATE;
  GET DIAGNOSTICS locked = ROW_COUNT;
  -- Somebody has removed one since: another try makes it again.
  IF locked < cardinality(names) THEN
    RAISE 'a log was removed meanwhile' USING ERRCODE = '40001';
  END IF;
  -- What is the same for all entries of a log is looked up for the first.
  INSERT INTO @schema@.entry (log, index, mark, key, data)
    SELECT log, number + max(CASE number WHEN 1 THEN coalesce((
        SELECT index FROM @schema@.entry WHERE entry.log = new.log ORDER BY index DESC LIMIT 1), 0) END)
        OVER (PARTITION BY log), new_mark, key, data
    FROM (
      SELECT first.log, key, data, row_number() OVER (PARTITION BY first.log ORDER BY place) AS number
      FROM (
        SELECT DISTINCT ON (log COLLATE "C", key COLLATE "C") log, key, data, place
        FROM unnest(logs, keys, datas) WITH ORDINALITY AS asked (log, key, data, place)
        ORDER BY log COLLATE "C", key COLLATE "C", place) AS first
        LEFT JOIN LATERAL (
          SELECT true AS is_there FROM @schema@.entry WHERE entry.log = first.log AND entry.key = first.key LIMIT 1
          ) AS found ON true
      WHERE is_there IS NULL) AS new;
  RETURN QUERY
    SELECT
      max(CASE number WHEN 1 THEN (SELECT epoch FROM @schema@.log WHERE log.name = stored.log) END)
        OVER (PARTITION BY log),
      index, mark, (mark <> new_mark OR times > 1)::int::bigint,
      coalesce(CASE WHEN index = last_index + 1 THEN last_mark ELSE (
        SELECT mark FROM @schema@.entry WHERE entry.log = stored.log AND entry.index = stored.index - 1) END, 0)
    FROM (
      SELECT asked.log, place, found.index, found.mark, row_number() OVER log AS number,
        lag(found.index) OVER log AS last_index, lag(found.mark) OVER log AS last_mark,
        row_number() OVER (PARTITION BY asked.log, found.index ORDER BY place) AS times
      FROM unnest(logs, keys) WITH ORDINALITY AS asked (log, key, place)
        CROSS JOIN LATERAL (
          SELECT index, mark FROM @schema@.entry WHERE entry.log = asked.log AND entry.key = asked.key LIMIT 1
          ) AS found
      WINDOW log AS (PARTITION BY asked.log ORDER BY place)) AS stored
    ORDER BY place;
  PERFORM set_config('@schema@.appended', string_agg(index || ' ' || mark || '/' || name, E'\n'), false)
    FROM unnest(names) AS changed (name)
      CROSS JOIN LATERAL (
        SELECT index, mark FROM @schema@.entry WHERE entry.log = name ORDER BY index DESC LIMIT 1) AS newest;
END $$;

-- Tells other machines that follow these logs which entry its connection has made durable, and with it all entries before
-- it; or of a new epoch. Not before that is committed, since another machine may begin to follow the log meanwhile. It tells
-- nothing if append() or make_durable() failed. Who begins to follow a log after this has looked reads it afterwards, and
-- finds the entries. If a notification is lost, readers see the entry later. This and the next two run as the owner of the
-- table of followers, so that a role needs no rights to it. Who may call them can keep machines from being told.
CREATE OR REPLACE FUNCTION @schema@.tell(own_channel text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify(channel, line)
    FROM unnest(string_to_array(current_setting('@schema@.durable', true), E'\n')) AS changed (line)
      JOIN @schema@.follower ON log = substr(line, strpos(line, '/') + 1) AND channel <> own_channel;
  PERFORM set_config('@schema@.appended', '', false), set_config('@schema@.durable', '', false);
END $$;

-- Notes that a machine follows these logs, and those not any more. Before it reads them: its own transaction.
CREATE OR REPLACE FUNCTION @schema@.follow(
  own_channel text, own_process bigint, logs text[], not_any_more text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM @schema@.follower WHERE channel = own_channel AND log = ANY (not_any_more);
  INSERT INTO @schema@.follower SELECT name, own_channel, own_process FROM unnest(logs) AS asked (name)
    ON CONFLICT DO NOTHING;
END $$;

-- Forgets machines that are gone.
CREATE OR REPLACE FUNCTION @schema@.forget_followers() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM @schema@.follower WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = process)
$$;

-- For each log that is asked for: the entry at a place, without its data, and those after it: so many, and so many bytes,
-- but at least one. A line without an entry if there is none, and without an epoch if there is no log.
--
-- A reader that was told of an entry gets those up to it. They are durable, since entries are committed in the order of
-- their indexes. The mark tells whether the log still has that entry, or was set back. A reader that was told of nothing
-- gets all, and waits for the disk.
CREATE OR REPLACE FUNCTION @schema@.entries(
  logs text[], knowns bigint[], told_indexes bigint[], told_marks bigint[], count bigint, bytes bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, key text, data bytea, place bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  durables bigint[] := (
    SELECT array_agg(found.index ORDER BY place)
    FROM unnest(logs, told_indexes, told_marks) WITH ORDINALITY AS asked (name, told_index, told_mark, place)
      LEFT JOIN LATERAL (
        SELECT index FROM @schema@.entry WHERE entry.log = name AND index = told_index AND mark = told_mark LIMIT 1
        ) AS found ON true);
BEGIN
  RETURN QUERY
    SELECT log.epoch, page.index, page.mark, page.key, CASE WHEN page.index > known THEN page.data END, asked.place
    FROM unnest(logs, knowns, durables) WITH ORDINALITY AS asked (name, known, durable, place)
      LEFT JOIN LATERAL (SELECT epoch FROM @schema@.log WHERE log.name = asked.name LIMIT 1) AS log ON true
      LEFT JOIN LATERAL (
        SELECT *, sum(octet_length(data)) FILTER (WHERE index > known) OVER (
          ORDER BY index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
        FROM (
          SELECT * FROM @schema@.entry
          WHERE entry.log = asked.name AND index >= known
            AND index <= CASE WHEN durable IS NULL THEN 9223372036854775807 ELSE greatest(durable, known) END
          ORDER BY index LIMIT count + 1) AS found
        ) AS page ON coalesce(page.bytes_before, 0) < bytes
    ORDER BY asked.place, page.index;
  IF array_position(durables, NULL) IS NOT NULL THEN PERFORM @schema@.make_durable(); END IF;
END $$;

-- The end of a log, which is made if it is missing.
CREATE OR REPLACE FUNCTION @schema@.last(asked text)
RETURNS TABLE (epoch text, index bigint, mark bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM @schema@.log WHERE name = asked) THEN
    INSERT INTO @schema@.log (name) VALUES (asked) ON CONFLICT DO NOTHING;
  END IF;
  RETURN QUERY
    SELECT log.epoch, coalesce(newest.index, 0), coalesce(newest.mark, 0)
    FROM @schema@.log LEFT JOIN (
      SELECT index, mark FROM @schema@.entry WHERE entry.log = asked ORDER BY index DESC LIMIT 1) AS newest ON true
    WHERE log.name = asked;
  PERFORM @schema@.make_durable();
END $$;

-- A log was set back: it does not have a position that a machine has read, or is gone. The first that notices gives it
-- another name.
CREATE OR REPLACE FUNCTION @schema@.begin_epoch(asked text, known text, known_index bigint, known_mark bigint)
RETURNS TABLE (epoch text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('lock_timeout', '3s', true);
  INSERT INTO @schema@.log (name) VALUES (asked) ON CONFLICT DO NOTHING;
  UPDATE @schema@.log SET epoch = gen_random_uuid()::text, first = 1
    WHERE name = asked AND epoch = known AND NOT EXISTS (
      SELECT FROM @schema@.entry
      WHERE entry.log = asked AND entry.index = known_index AND entry.mark = known_mark);
  RETURN QUERY SELECT log.epoch FROM @schema@.log WHERE name = asked;
  PERFORM set_config('@schema@.durable', '0 0/' || asked, false);
END $$;

-- One whose entry is there: keep() may have stored another while compact() deleted that.
CREATE OR REPLACE FUNCTION @schema@.newest_snapshot(asked text, up_to bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, version bigint, data bytea) LANGUAGE sql STABLE AS $$
  SELECT log.epoch, snapshot.index, snapshot.mark, snapshot.version, snapshot.data
  FROM @schema@.log, @schema@.snapshot JOIN @schema@.entry USING (log, index, mark)
  WHERE log.name = asked AND snapshot.log = asked AND version <= up_to ORDER BY version DESC LIMIT 1
$$;

-- It waits for blank(), and does nothing after it, since the log has another epoch then. It does not wait for append().
CREATE OR REPLACE FUNCTION @schema@.keep(
  asked text, kept_version bigint, kept_epoch text, kept_index bigint, kept_mark bigint, kept_data bytea)
RETURNS void LANGUAGE sql SET lock_timeout = '3s' AS $$
  INSERT INTO @schema@.snapshot (log, version, index, mark, data)
    SELECT asked, kept_version, kept_index, kept_mark, kept_data
    FROM @schema@.log, @schema@.entry
    WHERE log.name = asked AND epoch = kept_epoch
      AND entry.log = asked AND entry.index = kept_index AND entry.mark = kept_mark
    FOR KEY SHARE OF log
    ON CONFLICT (log, version) DO UPDATE
      SET index = excluded.index, mark = excluded.mark, data = excluded.data
      WHERE excluded.index > snapshot.index
$$;

-- The first statement waits for all that append or keep a snapshot, and they wait for its end.
CREATE OR REPLACE FUNCTION @schema@.blank(asked text, known text, known_index bigint, known_mark bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '3s', true);
  PERFORM FROM @schema@.log WHERE name = asked FOR UPDATE;
  UPDATE @schema@.entry SET data = ''
    WHERE entry.log = asked AND entry.index = known_index AND entry.mark = known_mark
      AND known = (SELECT epoch FROM @schema@.log WHERE name = asked);
  IF FOUND THEN
    DELETE FROM @schema@.snapshot WHERE snapshot.log = asked AND snapshot.index >= known_index;
    IF FOUND AND NOT EXISTS (SELECT FROM @schema@.entry WHERE entry.log = asked AND index = 1) THEN
      RAISE 'a version could not begin anew: its snapshot has the entry';
    END IF;
    UPDATE @schema@.log SET epoch = gen_random_uuid()::text WHERE name = asked;
    PERFORM set_config('@schema@.durable', '0 0/' || asked, false);
  END IF;
END $$;

-- It holds the lock of append(), so that no key goes while one looks for it, and deletes so few that appends wait for
-- some milliseconds. It begins where the last one ended: a search for the first entry would go through all that are
-- deleted and not vacuumed yet. If a crash of the database takes it back, old entries are there again, and do not matter.
CREATE OR REPLACE FUNCTION @schema@.compact(
  asked text, before bigint, known text, known_index bigint, known_mark bigint)
RETURNS TABLE (deleted bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  start bigint;
  stop bigint;
BEGIN
  PERFORM set_config('lock_timeout', '3s', true), set_config('synchronous_commit', 'off', true);
  SELECT first INTO start FROM @schema@.log WHERE name = asked AND epoch = known FOR NO KEY UPDATE;
  deleted := 0;
  IF FOUND AND EXISTS (
    SELECT FROM @schema@.snapshot JOIN @schema@.entry USING (log, index, mark)
    WHERE log = asked AND index = known_index AND mark = known_mark)
  THEN
    SELECT max(index) + 1 INTO stop FROM (
      SELECT index, sum(octet_length(data)) OVER (ORDER BY index) - octet_length(data) AS bytes_before
      FROM (
        SELECT index, data FROM @schema@.entry WHERE log = asked AND index >= start ORDER BY index LIMIT 1000
        ) AS oldest
      ) AS sized WHERE bytes_before < 4194304;
    stop := least(stop, before, known_index);
    DELETE FROM @schema@.entry WHERE log = asked AND index >= start AND index < stop;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    IF deleted > 0 THEN
      UPDATE @schema@.log SET first = stop WHERE name = asked;
      DELETE FROM @schema@.snapshot WHERE log = asked AND index < stop;
    END IF;
  END IF;
  RETURN NEXT;
END $$;

-- Its locks are those of blank(). Who was told of the new epoch finds the snapshot.
CREATE OR REPLACE FUNCTION @schema@.delete(
  asked text, indexes bigint[], known text, known_index bigint, known_mark bigint)
RETURNS TABLE (is_done bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  PERFORM set_config('lock_timeout', '3s', true);
  PERFORM FROM @schema@.log WHERE name = asked AND epoch = known FOR UPDATE;
  is_done := (FOUND AND EXISTS (
    SELECT FROM @schema@.snapshot JOIN @schema@.entry USING (log, index, mark)
    WHERE log = asked AND index = known_index AND mark = known_mark))::int;
  IF is_done = 1 THEN
    DELETE FROM @schema@.entry WHERE log = asked AND index = ANY (1::bigint || indexes) AND index < known_index;
    DELETE FROM @schema@.snapshot WHERE log = asked AND index < known_index;
    UPDATE @schema@.log SET epoch = gen_random_uuid()::text WHERE name = asked;
    PERFORM set_config('@schema@.durable', '0 0/' || asked, false);
  END IF;
  RETURN NEXT;
END $$;

-- The version: a machine runs this file where it finds another, or none.
COMMENT ON SCHEMA @schema@ IS 'shared log 6';
