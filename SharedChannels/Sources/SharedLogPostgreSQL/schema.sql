-- A log, for any number of machines. Run by the first that connects; one at a time. A machine whose role may not
-- create this needs it made before, and USAGE on the schema, EXECUTE on its functions, and SELECT, INSERT and UPDATE
-- on its tables.
SELECT pg_advisory_xact_lock(hashtext('@schema@'));

CREATE SCHEMA IF NOT EXISTS @schema@;

CREATE TABLE IF NOT EXISTS @schema@.log (epoch text NOT NULL);
INSERT INTO @schema@.log SELECT gen_random_uuid()::text WHERE NOT EXISTS (SELECT FROM @schema@.log);

CREATE TABLE IF NOT EXISTS @schema@.entry (
  index bigint PRIMARY KEY, mark bigint NOT NULL, key text NOT NULL UNIQUE, data bytea NOT NULL);

CREATE TABLE IF NOT EXISTS @schema@.snapshot (
  version bigint PRIMARY KEY, index bigint NOT NULL, mark bigint NOT NULL, data bytea NOT NULL);

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

-- Appends what is new, in one step. The lock brings the transactions of all machines into one order; the statements
-- after it see all that was committed before. It gives a line for each key, in the order of the keys. They are
-- durable after make_durable(). It notes the newest entry of all for that. The plans use the indexes, whatever is known of
-- the table: each key is looked up (LATERAL).
CREATE OR REPLACE FUNCTION @schema@.append(keys text[], datas bytea[], new_mark bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, is_repeated bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  before bigint;
BEGIN
  PERFORM set_config('lock_timeout', '3s', true), set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(hashtext('@schema@'));
  SELECT coalesce(max(index), 0) INTO before FROM @schema@.entry;
  INSERT INTO @schema@.entry (index, mark, key, data)
    SELECT before + row_number() OVER (ORDER BY place), new_mark, key, data
    FROM (
      SELECT DISTINCT ON (key) key, data, place
      FROM unnest(keys, datas) WITH ORDINALITY AS asked (key, data, place)
      ORDER BY key, place) AS first
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM @schema@.entry WHERE entry.key = first.key LIMIT 1) AS found ON true
    WHERE is_there IS NULL;
  RETURN QUERY
    SELECT (SELECT epoch FROM @schema@.log), found.index, found.mark,
      (found.index <= before
        OR row_number() OVER (PARTITION BY found.index ORDER BY place) > 1)::int::bigint
    FROM unnest(keys) WITH ORDINALITY AS asked (key, place)
      CROSS JOIN LATERAL (
        SELECT index, mark FROM @schema@.entry WHERE entry.key = asked.key LIMIT 1) AS found
    ORDER BY place;
  PERFORM set_config('@schema@.appended', index || ' ' || mark, false)
    FROM @schema@.entry ORDER BY index DESC LIMIT 1;
END $$;

-- Tells the readers which entry its connection has made durable, and with it all entries before it. So readers need not
-- wait for the disk. It tells nothing if append() or make_durable() failed. If a notification is lost, readers see the
-- entry later.
CREATE OR REPLACE FUNCTION @schema@.tell() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  IF current_setting('@schema@.durable', true) <> '' THEN
    PERFORM pg_notify('@schema@', current_setting('@schema@.durable'));
  END IF;
  PERFORM set_config('@schema@.appended', '', false), set_config('@schema@.durable', '', false);
END $$;

-- The entry at a place, without its data, and those after it: so many, and so many bytes, but at least one. One
-- line without an entry if there is none.
--
-- A reader that was told of an entry gets those up to it. They are durable, since entries are committed in the order
-- of their indexes. The mark tells whether the log still has that entry, or was set back. A reader that was told of
-- nothing gets all, and waits for the disk.
CREATE OR REPLACE FUNCTION @schema@.entries(
  known bigint, count bigint, bytes bigint, told_index bigint, told_mark bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, key text, data bytea) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  durable bigint := (SELECT index FROM @schema@.entry WHERE index = told_index AND mark = told_mark);
BEGIN
  RETURN QUERY
    SELECT log.epoch, page.index, page.mark, page.key, CASE WHEN page.index > known THEN page.data END
    FROM @schema@.log LEFT JOIN (
      SELECT *, sum(octet_length(data)) FILTER (WHERE index > known) OVER (
        ORDER BY index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (
        SELECT * FROM @schema@.entry
        WHERE index >= known AND (durable IS NULL OR index <= greatest(durable, known))
        ORDER BY index LIMIT count + 1) AS found
      ) AS page ON coalesce(page.bytes_before, 0) < bytes
    ORDER BY page.index;
  IF durable IS NULL THEN PERFORM @schema@.make_durable(); END IF;
END $$;

CREATE OR REPLACE FUNCTION @schema@.last() RETURNS TABLE (epoch text, index bigint, mark bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT log.epoch, coalesce(newest.index, 0), coalesce(newest.mark, 0)
    FROM @schema@.log LEFT JOIN (
      SELECT index, mark FROM @schema@.entry ORDER BY index DESC LIMIT 1) AS newest ON true;
  PERFORM @schema@.make_durable();
END $$;

-- The log was set back: it does not have a position that a machine has read. The first that notices gives the log
-- another name.
CREATE OR REPLACE FUNCTION @schema@.begin_epoch(known text, known_index bigint, known_mark bigint)
RETURNS TABLE (epoch text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('lock_timeout', '3s', true);
  UPDATE @schema@.log SET epoch = gen_random_uuid()::text
    WHERE epoch = known AND NOT EXISTS (
      SELECT FROM @schema@.entry WHERE entry.index = known_index AND entry.mark = known_mark);
  RETURN QUERY SELECT log.epoch FROM @schema@.log;
  PERFORM pg_notify('@schema@', '');
END $$;

CREATE OR REPLACE FUNCTION @schema@.snapshot_of(wanted bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, data bytea) LANGUAGE sql STABLE AS $$
  SELECT log.epoch, snapshot.index, snapshot.mark, snapshot.data
  FROM @schema@.log, @schema@.snapshot WHERE version = wanted
$$;

CREATE OR REPLACE FUNCTION @schema@.keep(
  kept_version bigint, kept_epoch text, kept_index bigint, kept_mark bigint, kept_data bytea)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO @schema@.snapshot (version, index, mark, data)
    SELECT kept_version, kept_index, kept_mark, kept_data
    FROM @schema@.log, @schema@.entry
    WHERE epoch = kept_epoch AND entry.index = kept_index AND entry.mark = kept_mark
    ON CONFLICT (version) DO UPDATE
      SET index = excluded.index, mark = excluded.mark, data = excluded.data
      WHERE excluded.index > snapshot.index
$$;

-- The version: a machine runs this file where it finds another, or none.
COMMENT ON SCHEMA @schema@ IS 'shared log 2';
