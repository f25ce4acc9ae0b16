/**
 * Partitions by month, which are dropped when their time is over. The tables before become the first partition, with their rows
 * and indexes: nothing is copied, built or read.
 *
 * `access_log` is partitioned by its id, which is a UUIDv7 and so begins with the time of the row: the id stays unique, and a
 * cursor, which is an id, leads to few partitions. `deliveries` is partitioned by the time of the delivery: a delivery
 * that waits or is parked has none and is in `deliveries_open`, the default partition; PostgreSQL moves its row to the month when
 * it is delivered.
 */
import type { Migration } from './migration.ts'
import { APP_ROLE, SYSTEM_ROLE } from '../db.ts'
import { tenantTable } from '../row-security.ts'

/** A statement on the table never needs rights on a partition. The system's role reads partitions for pg_dump. */
const CLOSED = `
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
      EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
      EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', part);
      EXECUTE format('CREATE POLICY system_rows ON %I TO ${SYSTEM_ROLE} USING (current_user = ''${SYSTEM_ROLE}'')', part);
      EXECUTE format('GRANT SELECT ON %I TO ${SYSTEM_ROLE}', part);`

const closeFirst = (name: string): string => `
    DROP POLICY tenant_rows ON ${name};
    REVOKE ALL ON ${name} FROM ${APP_ROLE}, ${SYSTEM_ROLE};
    GRANT SELECT ON ${name} TO ${SYSTEM_ROLE};`

/** SQL: the literal in the constraint of migration 0019. */
const bound = (constraint: string): string =>
  `(SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') FROM pg_constraint WHERE conname = '${constraint}')`

export const months: Migration = {
  version: 21,
  sql: `
    CREATE FUNCTION add_month(parent text, month date) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      part text := parent || to_char(month, '_YYYY_MM');
      from_time timestamptz := month::timestamp AT TIME ZONE 'UTC';
      to_time timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
    BEGIN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
      ${CLOSED}
      IF parent = 'access_log' THEN
        EXECUTE format('ALTER TABLE access_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part,
          first_id(from_time), first_id(to_time));
      ELSE
        EXECUTE format('CREATE UNIQUE INDEX ON %I (id)', part);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, from_time, to_time);
      END IF;
    END $$;

    ALTER TABLE access_log RENAME TO access_log_first;
    ALTER INDEX access_log_pkey RENAME TO access_log_first_pkey;
    ALTER INDEX access_log_at RENAME TO access_log_first_at;
    ALTER INDEX access_log_session RENAME TO access_log_first_session;
    CREATE TABLE access_log (LIKE access_log_first INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
    CREATE INDEX access_log_at ON access_log (tenant_id, at);
    CREATE INDEX access_log_session ON access_log (session_id, operation) WHERE session_id IS NOT NULL;
    ${tenantTable('access_log', ['SELECT', 'INSERT'])}
    ${closeFirst('access_log_first')}

    ALTER TABLE deliveries RENAME TO deliveries_open;
    ALTER INDEX deliveries_due RENAME TO deliveries_open_due;
    ALTER INDEX deliveries_listed RENAME TO deliveries_open_listed;
    ALTER INDEX deliveries_done RENAME TO deliveries_open_done;
    ALTER INDEX deliveries_parked RENAME TO deliveries_open_parked;
    CREATE TABLE deliveries (
      LIKE deliveries_open INCLUDING DEFAULTS,
      CONSTRAINT deliveries_state_check CHECK (state IN ('PENDING', 'DELIVERED', 'PARKED')),
      FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhooks (tenant_id, id) ON DELETE CASCADE
    ) PARTITION BY RANGE (delivered_at);
    CREATE INDEX deliveries_due ON deliveries (webhook_id, next_try_at) WHERE state = 'PENDING';
    CREATE INDEX deliveries_listed ON deliveries (webhook_id, created_at, id);
    CREATE INDEX deliveries_done ON deliveries (delivered_at) WHERE state = 'DELIVERED';
    CREATE INDEX deliveries_parked ON deliveries (created_at, id) WHERE state = 'PARKED';
    ${tenantTable('deliveries', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
    ${closeFirst('deliveries_open')}
    ALTER TABLE deliveries ATTACH PARTITION deliveries_open DEFAULT;

    DO $$
    DECLARE
      first_log uuid := ${bound('access_log_first')};
      first_delivery timestamptz := ${bound('deliveries_open')};
    BEGIN
      EXECUTE format('ALTER TABLE access_log ATTACH PARTITION access_log_first FOR VALUES FROM (MINVALUE) TO (%L)', first_log);
      PERFORM add_month('access_log', (to_timestamp(('x' || left(replace(first_log::text, '-', ''), 12))::bit(48)::bigint / 1000)
        AT TIME ZONE 'UTC')::date);
      PERFORM add_month('deliveries', (first_delivery AT TIME ZONE 'UTC')::date);
    END $$;
  `,
}
