-- Many logs, for any number of machines. Run by the first that connects; one at a time. A machine whose role may not
-- create this needs it made before, and USAGE on the schema, EXECUTE on its functions, SELECT, INSERT and UPDATE on its
-- tables, and DELETE on its followers, entries and snapshots. `schema.sql` is the same for one log, and
-- tells more of what both do.
SELECT pg_advisory_xact_lock(hashtext('@schema@'));

CREATE SCHEMA IF NOT EXISTS @schema@;

-- No entries of a log are before the index "first".
CREATE TABLE IF NOT EXISTS @schema@.log (
  name text PRIMARY KEY, epoch text NOT NULL DEFAULT gen_random_uuid()::text, first bigint NOT NULL DEFAULT 1);

CREATE TABLE IF NOT EXISTS @schema@.entry (
  log text NOT NULL, index bigint NOT NULL, mark bigint NOT NULL, key text NOT NULL, data bytea NOT NULL,
  PRIMARY KEY (log, index), UNIQUE (log, key));

CREATE TABLE IF NOT EXISTS @schema@.snapshot (
  log text NOT NULL, version bigint NOT NULL, index bigint NOT NULL, mark bigint NOT NULL, data bytea NOT NULL,
  PRIMARY KEY (log, version));

-- Which machines follow a log: the channel on which each listens, and the server's process that does. A crash of the server
-- empties it, and ends the connections of all, who then listen on other channels.
CREATE UNLOGGED TABLE IF NOT EXISTS @schema@.follower (
  log text NOT NULL, channel text NOT NULL, process bigint NOT NULL, PRIMARY KEY (log, channel));

-- After this transaction, all that it has seen is durable, as in `schema.sql`. It notes what its connection has appended as
-- durable.
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
-- order. It gives a line for each key, in the order of the keys, with the mark of the entry before. They are durable after
-- make_durable(). It notes the names of the logs for that, a line each.
CREATE OR REPLACE FUNCTION @schema@.append(logs text[], keys text[], datas bytea[], new_mark bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, is_repeated bigint, mark_before bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  locked bigint;
BEGIN
  PERFORM set_config('lock_timeout', '3s', true), set_config('synchronous_commit', 'off', true);
  INSERT INTO @schema@.log (name)
    SELECT DISTINCT asked.name FROM unnest(logs) AS asked (name)
    WHERE NOT EXISTS (SELECT FROM @schema@.log WHERE log.name = asked.name)
    ORDER BY name
    ON CONFLICT DO NOTHING;
  PERFORM FROM @schema@.log WHERE name = ANY (logs) ORDER BY name FOR NO KEY UPDATE;
  GET DIAGNOSTICS locked = ROW_COUNT;
  -- Somebody has removed one since: another try makes it again.
  IF locked <> (SELECT count(DISTINCT name) FROM unnest(logs) AS asked (name)) THEN
    RAISE 'a log was removed meanwhile' USING ERRCODE = '40001';
  END IF;
  INSERT INTO @schema@.entry (log, index, mark, key, data)
    SELECT first.log, before + row_number() OVER (PARTITION BY first.log ORDER BY place), new_mark, key, data
    FROM (
      SELECT DISTINCT ON (log, key) log, key, data, place
      FROM unnest(logs, keys, datas) WITH ORDINALITY AS asked (log, key, data, place)
      ORDER BY log, key, place) AS first
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM @schema@.entry WHERE entry.log = first.log AND entry.key = first.key LIMIT 1
        ) AS found ON true
      CROSS JOIN LATERAL (
        SELECT coalesce((
          SELECT index FROM @schema@.entry WHERE entry.log = first.log ORDER BY index DESC LIMIT 1), 0) AS before
        ) AS newest
    WHERE is_there IS NULL;
  RETURN QUERY
    SELECT log.epoch, found.index, found.mark,
      (found.mark <> new_mark
        OR row_number() OVER (PARTITION BY asked.log, found.index ORDER BY place) > 1)::int::bigint,
      coalesce((
        SELECT mark FROM @schema@.entry WHERE entry.log = asked.log AND entry.index = found.index - 1), 0)
    FROM unnest(logs, keys) WITH ORDINALITY AS asked (log, key, place)
      CROSS JOIN LATERAL (
        SELECT index, mark FROM @schema@.entry WHERE entry.log = asked.log AND entry.key = asked.key LIMIT 1
        ) AS found
      CROSS JOIN LATERAL (SELECT epoch FROM @schema@.log WHERE log.name = asked.log LIMIT 1) AS log
    ORDER BY place;
  PERFORM set_config('@schema@.appended', (SELECT string_agg(DISTINCT name, E'\n') FROM unnest(logs) AS asked (name)), false);
END $$;

-- Tells other machines that follow these logs of what its connection has made durable, or of a new epoch: not before that
-- is committed, since another machine may begin to follow the log meanwhile. It tells nothing if append() or
-- make_durable() failed. Who begins to follow a log after this has looked reads it afterwards, and finds the entries.
CREATE OR REPLACE FUNCTION @schema@.tell(own_channel text) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify(channel, log)
    FROM unnest(string_to_array(current_setting('@schema@.durable', true), E'\n')) AS changed (name)
      JOIN @schema@.follower ON log = name AND channel <> own_channel;
  PERFORM set_config('@schema@.appended', '', false), set_config('@schema@.durable', '', false);
END $$;

-- Notes that a machine follows these logs, and those not any more. Before it reads them: its own transaction.
CREATE OR REPLACE FUNCTION @schema@.follow(
  own_channel text, own_process bigint, logs text[], not_any_more text[]) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM @schema@.follower WHERE channel = own_channel AND log = ANY (not_any_more);
  INSERT INTO @schema@.follower SELECT name, own_channel, own_process FROM unnest(logs) AS asked (name)
    ON CONFLICT DO NOTHING;
END $$;

-- Forgets machines that are gone.
CREATE OR REPLACE FUNCTION @schema@.forget_followers() RETURNS void LANGUAGE sql AS $$
  DELETE FROM @schema@.follower WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = process)
$$;

-- For each log that is asked for: the entry at a place, without its data, and those after it: so many, and so many bytes,
-- but at least one. A line without an entry if there is none, and without an epoch if there is no log. They are durable
-- when the transaction has ended.
CREATE OR REPLACE FUNCTION @schema@.entries(logs text[], knowns bigint[], count bigint, bytes bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, key text, data bytea, place bigint) LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT log.epoch, page.index, page.mark, page.key, CASE WHEN page.index > known THEN page.data END, asked.place
    FROM unnest(logs, knowns) WITH ORDINALITY AS asked (name, known, place)
      LEFT JOIN LATERAL (SELECT epoch FROM @schema@.log WHERE log.name = asked.name LIMIT 1) AS log ON true
      LEFT JOIN LATERAL (
        SELECT *, sum(octet_length(data)) FILTER (WHERE index > known) OVER (
          ORDER BY index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
        FROM (
          SELECT * FROM @schema@.entry
          WHERE entry.log = asked.name AND index >= known ORDER BY index LIMIT count + 1) AS found
        ) AS page ON coalesce(page.bytes_before, 0) < bytes
    ORDER BY asked.place, page.index;
  PERFORM @schema@.make_durable();
END $$;

-- The end of a log, which is made if it is missing.
CREATE OR REPLACE FUNCTION @schema@.last(asked text)
RETURNS TABLE (epoch text, index bigint, mark bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO @schema@.log (name) SELECT asked WHERE NOT EXISTS (SELECT FROM @schema@.log WHERE name = asked)
    ON CONFLICT DO NOTHING;
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
  PERFORM set_config('@schema@.durable', asked, false);
END $$;

CREATE OR REPLACE FUNCTION @schema@.newest_snapshot(asked text, up_to bigint)
RETURNS TABLE (epoch text, index bigint, mark bigint, version bigint, data bytea) LANGUAGE sql STABLE AS $$
  SELECT log.epoch, snapshot.index, snapshot.mark, snapshot.version, snapshot.data
  FROM @schema@.log, @schema@.snapshot JOIN @schema@.entry USING (log, index, mark)
  WHERE log.name = asked AND snapshot.log = asked AND version <= up_to ORDER BY version DESC LIMIT 1
$$;

-- It waits for blank(), and does nothing after it.
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
    PERFORM set_config('@schema@.durable', asked, false);
  END IF;
END $$;

-- It holds the lock of append(), and deletes so few that appends wait for some milliseconds.
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

-- The version: a machine runs this file where it finds another, or none.
COMMENT ON SCHEMA @schema@ IS 'shared logs 1';
