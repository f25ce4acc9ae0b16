/** Watchlists as they were imported. They are published lists: nothing of an applicant is in them. */
export const watchlists = `
CREATE TABLE watchlists (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  -- day of the list itself, yyyy-MM-dd; null where the file does not say
  list_date TEXT,
  imported_at INTEGER NOT NULL,
  entries INTEGER NOT NULL
) STRICT;

CREATE TABLE watchlist_entries (
  list_id TEXT NOT NULL REFERENCES watchlists (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (list_id, number)
) STRICT;
`
