/**
 * Data that distinguishes a replayed request from a new one: nonces of kiosks, and the time of an
 * announcement.
 */
import type { Migration } from './migration.ts'
import { SYSTEM_ROLE } from '../db.ts'

export const replays: Migration = {
  version: 3,
  sql: `
    -- Since when the kiosk signs with nonces: from then on it has to.
    ALTER TABLE kiosks ADD COLUMN nonces_since timestamptz;

    -- By the kiosk's clock, milliseconds since 1970, and by the nonce of the announcement, if it had one. An announcement
    -- with another packet has to be newer.
    ALTER TABLE uploads ADD COLUMN announced_kiosk_ms double precision;
    ALTER TABLE uploads ADD COLUMN announced_nonce_at timestamptz;

    -- A refused packet is not kept any longer: the kiosk still has the proof, and sends it again.
    SET LOCAL ROLE ${SYSTEM_ROLE};
    SELECT lo_unlink(m.oid) FROM uploads u JOIN pg_largeobject_metadata m ON m.oid = u.packet WHERE u.state = 'REFUSED';
    UPDATE uploads SET packet = 0, received = 0 WHERE state = 'REFUSED';
    RESET ROLE;
  `,
}
