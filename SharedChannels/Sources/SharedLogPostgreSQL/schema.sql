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
-- holds the lock that makes the order. Whoever tells of entries waits for the disk here, without a lock: PostgreSQL
-- writes once for all that wait. A message that nobody reads makes the commit wait for all that was written before.
CREATE OR REPLACE FUNCTION @schema@.make_durable() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
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
-- durable after make_durable(). The plans use the indexes: they are made while the table is empty, and kept.
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
    WHERE NOT EXISTS (SELECT FROM @schema@.entry WHERE entry.key = first.key);
  -- PostgreSQL tells the listeners when this has been committed.
  IF FOUND THEN PERFORM pg_notify('@schema@', ''); END IF;
  RETURN QUERY
    SELECT log.epoch, entry.index, entry.mark,
      (entry.index <= before
        OR row_number() OVER (PARTITION BY entry.index ORDER BY place) > 1)::int::bigint
    FROM @schema@.log, unnest(keys) WITH ORDINALITY AS asked (key, place)
      JOIN @schema@.entry ON entry.key = asked.key
    ORDER BY place;
END $$;

-- The entry at a place, without its data, and those after it: so many, and so many bytes, but at least one. One
-- line without an entry if there is none.
CREATE OR REPLACE FUNCTION @schema@.entries(known bigint, count bigint, bytes bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, key text, data bytea) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT log.epoch, page.index, page.mark, page.key, CASE WHEN page.index > known THEN page.data END
    FROM @schema@.log LEFT JOIN (
      SELECT *, sum(octet_length(data)) FILTER (WHERE index > known) OVER (
        ORDER BY index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (
        SELECT * FROM @schema@.entry WHERE index >= known ORDER BY index LIMIT count + 1) AS found
      ) AS page ON coalesce(page.bytes_before, 0) < bytes
    ORDER BY page.index;
  PERFORM @schema@.make_durable();
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
COMMENT ON SCHEMA @schema@ IS 'shared log 1';
