/**
 * Assigns correlation ids, erasures and webhooks to applications, and adds tokens bound to one identity. Existing rows
 * get the application named in the audit log, otherwise the tenant's only application; with several applications they
 * stay without one (`store/webhook-endpoints`, `store/erasures`).
 */
export const applications = `
DROP INDEX identities_by_correlation;
CREATE UNIQUE INDEX identities_by_correlation ON identities (correlation_hash, application_id)
  WHERE correlation_hash IS NOT NULL;

ALTER TABLE erasures ADD COLUMN application_id TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN application_id TEXT REFERENCES applications (id);

CREATE TEMP TABLE only_application AS
  SELECT tenant_id, min(id) AS id FROM applications WHERE name NOT IN ('kiosk', 'counter')
  GROUP BY tenant_id HAVING count(*) = 1;

UPDATE erasures SET application_id = coalesce(
  (SELECT i.application_id FROM identities i WHERE i.id = erasures.identity_id),
  (SELECT a.id FROM events e JOIN applications a
     ON a.tenant_id = erasures.tenant_id AND (
       e.actor IN ('RELYING_SERVICE:' || a.id, 'USER_AGENT:' || a.id)
       -- who is signed in opens identities of the counter's own application
       OR (e.actor LIKE 'STAFF:%' AND a.name = 'counter'))
   WHERE e.identity_id = erasures.identity_id AND e.type = 'identity.created'),
  (SELECT o.id FROM only_application o WHERE o.tenant_id = erasures.tenant_id)
);

UPDATE webhook_endpoints SET application_id = coalesce(
  (SELECT a.id FROM events e JOIN applications a
     ON a.tenant_id = webhook_endpoints.tenant_id AND e.actor = 'RELYING_SERVICE:' || a.id
   WHERE e.type = 'webhook.registered' AND json_extract(e.body, '$.webhookId') = webhook_endpoints.id),
  (SELECT o.id FROM only_application o WHERE o.tenant_id = webhook_endpoints.tenant_id)
);

DROP TABLE only_application;

CREATE TABLE user_agent_tokens (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  api_key_id TEXT NOT NULL REFERENCES api_keys (id),
  sha256 BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX user_agent_tokens_by_identity ON user_agent_tokens (identity_id, created_at);
CREATE INDEX user_agent_tokens_by_end ON user_agent_tokens (expires_at);
`
