/**
 * Bounds the rows of the two logs that grow with each proof, so that migration 0021 can make each table the first partition of a
 * partitioned one without a look at its rows. The bound is the second next month, so that the logs take rows if the
 * migrations stop between 0019 and 0021.
 */
import type { Migration } from './migration.ts'
import { SYSTEM_ROLE } from '../db.ts'

export const monthBounds: Migration = {
  version: 19,
  sql: `
    -- The lowest UUIDv7 of a time.
    CREATE FUNCTION first_id(at timestamptz) RETURNS uuid IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $$
      SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$;

    DO $$
    DECLARE
      second_next timestamp := date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months';
      newest_id uuid;
      newest_delivery timestamptz;
      newest timestamp;
    BEGIN
      -- Row security hides the rows from the owner.
      SET LOCAL ROLE ${SYSTEM_ROLE};
      SELECT id INTO newest_id FROM access_log ORDER BY id DESC LIMIT 1;
      SELECT max(delivered_at) INTO newest_delivery FROM deliveries WHERE state = 'DELIVERED';
      RESET ROLE;
      -- An instance whose clock was wrong has left ids of a later time.
      newest := to_timestamp(('x' || left(replace(newest_id::text, '-', ''), 12))::bit(48)::bigint / 1000) AT TIME ZONE 'UTC';
      EXECUTE format('ALTER TABLE access_log ADD CONSTRAINT access_log_first CHECK (id < %L) NOT VALID',
        first_id(greatest(second_next, date_trunc('month', newest) + interval '1 month') AT TIME ZONE 'UTC'));
      EXECUTE format('ALTER TABLE deliveries ADD CONSTRAINT deliveries_open CHECK (delivered_at IS NULL OR delivered_at < %L) NOT VALID',
        greatest(second_next, date_trunc('month', newest_delivery AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC');
    END $$;
  `,
}
