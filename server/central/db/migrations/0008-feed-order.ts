/**
 * The order of the feed comes from the ids of PostgreSQL's transactions, so that transactions that store proofs do not
 * wait for each other. A position is `base` plus the id of the transaction that stored the proof. A reader sees the
 * positions below the horizon: no transaction with such an id is still open, so no proof can appear there any more.
 *
 * Ids of transactions begin again in a restored database. `continueFeed` (../../feed-order.ts) then raises `base` above
 * every position, so that cursors stay valid and new proofs follow the old ones.
 *
 * Instances of the version before may run beside this version. The trigger replaces the positions that they choose, and
 * their readers, who do not set `app.feed`, see only rows below the horizon.
 */
import type { Migration } from './migration.ts'
import { systemTable } from '../row-security.ts'
import { APP_ROLE, SYSTEM_ROLE } from '../db.ts'

export const feedOrder: Migration = {
  version: 8,
  sql: `
    -- Waits for the transactions of the version before, whose positions must be below the base.
    LOCK TABLE proofs IN ACCESS EXCLUSIVE MODE;

    CREATE TABLE feed_clock (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      base bigint NOT NULL
    );
    ${systemTable('feed_clock')}
    GRANT SELECT ON feed_clock TO ${APP_ROLE};
    SET LOCAL ROLE ${SYSTEM_ROLE};
    INSERT INTO feed_clock (base) SELECT coalesce(max(feed_position), 0) FROM proofs;
    RESET ROLE;

    -- STABLE: the same snapshot as the rows of the calling statement.
    CREATE FUNCTION feed_horizon() RETURNS bigint LANGUAGE sql STABLE AS
      $$ SELECT base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM public.feed_clock $$;

    -- One transaction stores at most one proof: positions are unique.
    CREATE FUNCTION place_in_feed() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      feed_base bigint;
      own bigint := pg_current_xact_id()::text::bigint;
    BEGIN
      SELECT base INTO STRICT feed_base FROM public.feed_clock;
      -- A stored position above every id of this server comes from a restored database whose base is not raised yet.
      -- max() reads one entry of the index; EXISTS could read the whole table.
      IF (SELECT max(feed_position) FROM public.proofs) >
        feed_base + greatest(own, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)
      THEN
        RAISE EXCEPTION 'the feed of a restored database was not continued yet' USING ERRCODE = 'serialization_failure';
      END IF;
      NEW.feed_position := feed_base + own;
      RETURN NEW;
    END $$;
    CREATE TRIGGER place_in_feed BEFORE INSERT ON proofs FOR EACH ROW EXECUTE FUNCTION place_in_feed();

    ALTER POLICY tenant_rows ON proofs USING (
      tenant_id = current_setting('app.tenant', true)
      AND (current_setting('app.feed', true) = 'horizon' OR feed_position < (SELECT feed_horizon()))
    );
  `,
}
