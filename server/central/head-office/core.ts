/** Functions of the kiosks' side that the head office calls: a code to join with, and the end of a kiosk. */
import type { CentreContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { newEnrolmentCode, parseEnrolmentCode, secretHash } from '../../protocol/enrolment-code.ts'
import { enqueueEvent } from './webhooks/events.ts'

export function coreOf({
  db,
  keys,
  clock,
}: CentreContext): Pick<HeadOfficeDeps, 'createEnrolmentCode' | 'revokeKiosk'> {
  return {
    createEnrolmentCode: async ({ tenantId, name, expiresAt }) => {
      const code = newEnrolmentCode(keys.current().authority.certificate)
      await db.query(
        SYSTEM,
        `INSERT INTO enrolment_codes (hash, tenant_id, name, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
        [secretHash(parseEnrolmentCode(code).secret), tenantId, name, clock.now(), expiresAt],
      )
      return code
    },
    revokeKiosk: async (tenantId, kioskId) => {
      const at = clock.now()
      return db.transaction(SYSTEM, async (queries) => {
        const known = await queries.query('SELECT 1 FROM kiosks WHERE id = $1 AND tenant_id = $2', [
          kioskId,
          tenantId,
        ])
        const revoked = await queries.query(
          `UPDATE kiosks SET revoked_at = $3 WHERE id = $1 AND tenant_id = $2 AND revoked_at IS NULL RETURNING id`,
          [kioskId, tenantId, at],
        )
        if (revoked.length > 0) {
          await enqueueEvent(queries, { tenantId, type: 'kiosk.revoked', at, data: { kioskId } })
        }
        return known.length > 0
      })
    },
  }
}
