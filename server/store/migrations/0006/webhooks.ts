/** Who is told of what happens, and each attempt to tell. */
export const webhooks = `
CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  -- wrapped by the master key
  secret_ct BLOB NOT NULL,
  previous_secret_ct BLOB,
  previous_valid_until INTEGER,
  -- last event of the log that was looked at for it
  cursor INTEGER NOT NULL,
  -- null: in use; else why it is not
  disabled_because TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  event_seq INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  identity_id TEXT,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'PARKED')),
  attempts INTEGER NOT NULL,
  last_status INTEGER,
  last_error TEXT,
  since INTEGER NOT NULL,
  next_try_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  delivered_at INTEGER,
  UNIQUE (endpoint_id, event_seq)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (state, next_try_at);
CREATE INDEX webhook_deliveries_by_identity ON webhook_deliveries (endpoint_id, identity_id, event_seq);
`
