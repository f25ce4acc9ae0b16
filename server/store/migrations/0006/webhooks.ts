/** Webhook endpoints, and delivery attempts. */
export const webhooks = `
CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  -- sealed by a key derived from the master key
  secret_ct BLOB NOT NULL,
  previous_secret_ct BLOB,
  previous_valid_until INTEGER,
  -- last event of the log that was looked at for it
  cursor INTEGER NOT NULL,
  -- null: in use; else why it is not
  disabled_because TEXT CHECK (disabled_because IN ('GONE')),
  -- it has asked for a pause until then
  not_before INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  -- null: a test, which is about no event
  event_seq INTEGER,
  event_id TEXT NOT NULL,
  identity_id TEXT,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'PARKED')),
  -- in all
  attempts INTEGER NOT NULL,
  -- since it came, or since it was last asked for by hand: the place in the schedule
  tries INTEGER NOT NULL,
  -- 1: under way, or cut off by a crash
  sending INTEGER NOT NULL,
  last_tried_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  next_try_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  delivered_at INTEGER,
  UNIQUE (endpoint_id, event_seq)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_try_at) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (endpoint_id, identity_id, event_seq)
  WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (endpoint_id, id);
CREATE INDEX webhook_deliveries_states ON webhook_deliveries (state, endpoint_id, created_at);
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (delivered_at) WHERE state = 'DELIVERED';
`
