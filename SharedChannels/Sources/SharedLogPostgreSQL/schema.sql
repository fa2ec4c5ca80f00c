-- A log, for any number of machines. Run by the first that connects; one at a time. A machine whose role may not
-- create this needs it made before, and USAGE on the schema, EXECUTE on its functions, SELECT, INSERT and UPDATE on its
-- tables, and DELETE on its entries and snapshots for blank() and compact().
SELECT pg_advisory_xact_lock(hashtext('@schema@'));

CREATE SCHEMA IF NOT EXISTS @schema@;

CREATE TABLE IF NOT EXISTS @schema@.log (epoch text NOT NULL);
INSERT INTO @schema@.log (epoch) SELECT gen_random_uuid()::text WHERE NOT EXISTS (SELECT FROM @schema@.log);

-- No entries are before the index "first". Adding it waits for all that use the table, and holds up others meanwhile.
DO $$ BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = '@schema@.log'::regclass AND attname = 'first')
  THEN
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE @schema@.log ADD COLUMN first bigint NOT NULL DEFAULT 1;
  END IF;
END $$;

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

-- Appends what is new, in one step. The lock of the log's row brings the transactions of all machines into one order,
-- and only a role that may write to the log can hold it; the statements after it see all that was committed before. It gives a line for each key, in the order of the keys. They are
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
  PERFORM FROM @schema@.log FOR NO KEY UPDATE;
  IF NOT FOUND THEN RAISE 'the table of the log''s epoch is empty'; END IF;
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
  UPDATE @schema@.log SET epoch = gen_random_uuid()::text, first = 1
    WHERE epoch = known AND NOT EXISTS (
      SELECT FROM @schema@.entry WHERE entry.index = known_index AND entry.mark = known_mark);
  RETURN QUERY SELECT log.epoch FROM @schema@.log;
  PERFORM pg_notify('@schema@', '');
END $$;

-- One whose entry is there: keep() may have stored another while compact() deleted that.
CREATE OR REPLACE FUNCTION @schema@.newest_snapshot(up_to bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, version bigint, data bytea) LANGUAGE sql STABLE AS $$
  SELECT log.epoch, snapshot.index, snapshot.mark, snapshot.version, snapshot.data
  FROM @schema@.log, @schema@.snapshot JOIN @schema@.entry USING (index, mark)
  WHERE version <= up_to ORDER BY version DESC LIMIT 1
$$;

-- It waits for blank(), and does nothing after it, since the log has another epoch then. It does not wait for append().
CREATE OR REPLACE FUNCTION @schema@.keep(
  kept_version bigint, kept_epoch text, kept_index bigint, kept_mark bigint, kept_data bytea)
RETURNS void LANGUAGE sql SET lock_timeout = '3s' AS $$
  INSERT INTO @schema@.snapshot (version, index, mark, data)
    SELECT kept_version, kept_index, kept_mark, kept_data
    FROM @schema@.log, @schema@.entry
    WHERE epoch = kept_epoch AND entry.index = kept_index AND entry.mark = kept_mark
    FOR KEY SHARE OF log
    ON CONFLICT (version) DO UPDATE
      SET index = excluded.index, mark = excluded.mark, data = excluded.data
      WHERE excluded.index > snapshot.index
$$;

-- The first statement waits for all that append or keep a snapshot, and they wait for its end.
CREATE OR REPLACE FUNCTION @schema@.blank(known text, known_index bigint, known_mark bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '3s', true);
  PERFORM FROM @schema@.log FOR UPDATE;
  UPDATE @schema@.entry SET data = ''
    WHERE entry.index = known_index AND entry.mark = known_mark
      AND known = (SELECT epoch FROM @schema@.log);
  IF FOUND THEN
    DELETE FROM @schema@.snapshot WHERE snapshot.index >= known_index;
    IF FOUND AND NOT EXISTS (SELECT FROM @schema@.entry WHERE index = 1) THEN
      RAISE 'a version could not begin anew: its snapshot has the entry';
    END IF;
    UPDATE @schema@.log SET epoch = gen_random_uuid()::text;
    PERFORM pg_notify('@schema@', '');
  END IF;
END $$;

-- It holds the lock of append(), so that no key goes while one looks for it, and deletes so few that appends wait for
-- some milliseconds. It begins where the last one ended: a search for the first entry would go through all that are
-- deleted and not vacuumed yet. If a crash of the database takes it back, old entries are there again, and do not matter.
CREATE OR REPLACE FUNCTION @schema@.compact(before bigint, known text, known_index bigint, known_mark bigint)
RETURNS TABLE (deleted bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  start bigint;
  stop bigint;
BEGIN
  PERFORM set_config('lock_timeout', '3s', true), set_config('synchronous_commit', 'off', true);
  SELECT first INTO start FROM @schema@.log WHERE epoch = known FOR NO KEY UPDATE;
  deleted := 0;
  IF FOUND AND EXISTS (
    SELECT FROM @schema@.snapshot JOIN @schema@.entry USING (index, mark)
    WHERE index = known_index AND mark = known_mark)
  THEN
    SELECT max(index) + 1 INTO stop FROM (
      SELECT index, sum(octet_length(data)) OVER (ORDER BY index) - octet_length(data) AS bytes_before
      FROM (SELECT index, data FROM @schema@.entry WHERE index >= start ORDER BY index LIMIT 1000) AS oldest
      ) AS sized WHERE bytes_before < 4194304;
    stop := least(stop, before, known_index);
    DELETE FROM @schema@.entry WHERE index >= start AND index < stop;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    IF deleted > 0 THEN
      UPDATE @schema@.log SET first = stop;
      DELETE FROM @schema@.snapshot WHERE index < stop;
    END IF;
  END IF;
  RETURN NEXT;
END $$;

-- The version: a machine runs this file where it finds another, or none.
COMMENT ON SCHEMA @schema@ IS 'shared log 4';
