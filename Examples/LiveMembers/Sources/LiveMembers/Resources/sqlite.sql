-- Not the NORMAL of a database in WAL mode: what was acknowledged is there after a power failure, too.
PRAGMA synchronous = FULL;

CREATE TABLE IF NOT EXISTS list (id TEXT NOT NULL, revision INTEGER NOT NULL);
INSERT INTO list SELECT lower(hex(randomblob(8))), 0 WHERE NOT EXISTS (SELECT 1 FROM list);

-- Numbers are not used twice.
CREATE TABLE IF NOT EXISTS member (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS command (
  key TEXT PRIMARY KEY, outcome TEXT NOT NULL, at INTEGER NOT NULL DEFAULT (unixepoch()));
CREATE INDEX IF NOT EXISTS command_at ON command (at);
