/** One-time codes with which kiosks join. The central service stores their hashes; a code is shown once. */
import { AppError } from '../../errors.ts'
import { newEnrolmentCode, parseEnrolmentCode, secretHash } from '../../protocol/enrolment-code.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'

interface CodeOrder {
  readonly tenantId: string
  /** The kiosk's name for people. */
  readonly name: string
  readonly expiresAt: Date
  /** A known kiosk, which the code gives a new key. */
  readonly forKiosk?: string
}

/** Throws `not_found` for an unknown tenant, or for a kiosk of another tenant. @param note stores the act in the access log */
export async function createEnrolmentCode(
  ctx: Pick<CentralContext, 'db' | 'keys' | 'clock'>,
  order: CodeOrder,
  note: (queries: Queries) => Promise<void>,
): Promise<string> {
  const { tenantId, name, expiresAt, forKiosk } = order
  const code = newEnrolmentCode(ctx.keys.current().authority.certificate)
  const { secret } = parseEnrolmentCode(code)
  await ctx.db.transaction(SYSTEM, async (queries) => {
    const [tenant] = await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1', [tenantId])
    if (!tenant) throw new AppError('not_found', { kind: 'tenant' })
    if (forKiosk !== undefined) {
      const [kiosk] = await queries.query('SELECT 1 FROM kiosks WHERE id = $1 AND tenant_id = $2', [
        forKiosk,
        tenantId,
      ])
      if (!kiosk) throw new AppError('not_found', { kind: 'kiosk' })
    }
    await queries.query(
      `INSERT INTO enrolment_codes (hash, tenant_id, name, for_kiosk, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [secretHash(secret), tenantId, name, forKiosk ?? null, ctx.clock.now(), expiresAt],
    )
    await note(queries)
  })
  return code
}
