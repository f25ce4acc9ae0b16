/** Imported watchlists. They are published lists without data of applicants. */
export const watchlists = `
CREATE TABLE watchlists (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL,
  -- of the file; of several: of their hashes (server/watchlists/read-list)
  sha256 TEXT NOT NULL,
  -- JSON: role, hash and length of each file
  files TEXT NOT NULL,
  -- day of the list itself, yyyy-MM-dd
  list_date TEXT NOT NULL,
  imported_at INTEGER NOT NULL,
  -- persons: what else a list holds is left out
  entries INTEGER NOT NULL
) STRICT;

-- JSON of one listed person (server/proofing/watchlist/listed)
CREATE TABLE watchlist_entries (
  list_id TEXT NOT NULL REFERENCES watchlists (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (list_id, number)
) STRICT;
`
