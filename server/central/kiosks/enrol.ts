/**
 * A kiosk joins with a one-time code: its key is certified and its proof keys are stored. The same kiosk with
 * the same key may repeat the request and gets the same answer, because the first one may have been lost.
 */
import { calculateJwkThumbprint, type JWK } from 'jose'
import { AppError } from '../../errors.ts'
import { caFingerprint, parseEnrolmentCode, secretHash } from '../../protocol/enrolment-code.ts'
import { signStatement } from '../../protocol/statements.ts'
import type { EnrolmentAnswer, EnrolmentRequest } from '../../protocol/wire.ts'
import { certifyKiosk, readRequest } from '../certificates.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { isDuplicate } from '../db/faults.ts'
import { lockIfKnown, type Kiosk } from './kiosk.ts'
import { readProofKeys } from './proof-keys.ts'

interface CodeRow {
  readonly tenant_id: string
  readonly name: string
  readonly for_kiosk: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly used_by: string | null
  readonly used_key: string | null
}

/**
 * Throws `enrolment_refused` for an unknown, used or expired code, and `validation_failed`.
 * @param countTry gets the code if it exists, before the work; what it throws ends the try
 * @param note stores the act of an operator in the access log, in the same transaction
 */
export async function enrol(
  ctx: CentralContext,
  request: EnrolmentRequest,
  countTry: (secret: string) => Promise<void> = () => Promise.resolve(),
  note: (queries: Queries, tenantId: string) => Promise<void> = () => Promise.resolve(),
): Promise<EnrolmentAnswer> {
  const { secret, fingerprint } = readCode(request.code)
  const { authority, trust, statementKey } = ctx.keys.current()
  if (fingerprint !== caFingerprint(authority.certificate)) throw refused('code')
  // The cheap check comes first, so that a guessed code costs one look-up.
  const [exists] = await ctx.db.query(SYSTEM, 'SELECT 1 FROM enrolment_codes WHERE hash = $1', [
    secretHash(secret),
  ])
  if (!exists) throw refused('code')
  await countTry(secret)
  const { publicKey, jwk } = await readRequest(request.certificateRequest)
  const thumbprint = await calculateJwkThumbprint(jwk)
  const proofKeys = readProofKeys(request.proofKeys)
  const { kioskId } = request
  const at = ctx.clock.now()
  // Created before the transaction; dropped if the kiosk already has one for this key.
  const certificate = await certifyKiosk(authority, { kioskId, publicKey }, at)

  const joined = await ctx.db
    .transaction(SYSTEM, async (queries) => {
      const [code] = await queries.query<CodeRow>(
        `SELECT tenant_id, name, for_kiosk, created_at, expires_at, used_by, used_key FROM enrolment_codes
         WHERE hash = $1 FOR UPDATE`,
        [secretHash(secret)],
      )
      if (!code) throw refused('code')
      const known = await lockIfKnown(queries, kioskId)
      if (code.used_by !== null) {
        const isSame = code.used_by === kioskId && code.used_key === thumbprint && known && !known.revokedAt
        if (!isSame || (await calculateJwkThumbprint(known.publicJwk)) !== thumbprint) throw refused('code')
        return { tenantId: known.tenantId, certificate: known.certificate }
      }
      if (code.expires_at <= at) throw refused('code')
      const hasSameKey = known !== null && (await calculateJwkThumbprint(known.publicJwk)) === thumbprint
      if (!mayJoin(code, kioskId, known, hasSameKey)) throw refused('kiosk')
      await save(queries, code, request.kioskId, { jwk, proofKeys, certificate, at, known })
      await queries.query(
        'UPDATE enrolment_codes SET used_by = $2, used_key = $3, used_at = $4 WHERE hash = $1',
        [secretHash(secret), kioskId, thumbprint, at],
      )
      await note(queries, code.tenant_id)
      return { tenantId: code.tenant_id, certificate }
    })
    .catch((error: unknown) => {
      // The same kiosk with two codes at the same time.
      if (isDuplicate(error)) throw new AppError('revision_conflict', {}, { cause: error })
      throw error
    })
  const time = { kioskId, nonce: '', at: ctx.clock.now().getTime() }
  return { kioskId, ...joined, trust, serverTime: await signStatement('server-time', time, statementKey) }
}

/**
 * A known kiosk keeps its key: a fresh code for another kiosk must not replace it. It gets another key only
 * with a code for this kiosk, or with one created after its revocation.
 */
function mayJoin(code: CodeRow, kioskId: string, known: Kiosk | null, hasSameKey: boolean): boolean {
  if (code.for_kiosk !== null && code.for_kiosk !== kioskId) return false
  if (known === null) return true
  if (known.tenantId !== code.tenant_id) return false
  if (known.revokedAt) return code.created_at > known.revokedAt
  return hasSameKey || code.for_kiosk === kioskId
}

/** Uses the head office's name, from the code, and ignores the kiosk's own. */
async function save(
  queries: Queries,
  code: CodeRow,
  kioskId: string,
  joined: {
    readonly jwk: JWK
    readonly proofKeys: readonly JWK[]
    readonly certificate: string
    readonly at: Date
    readonly known: Kiosk | null
  },
): Promise<void> {
  const { jwk, certificate, at, known } = joined
  const proofKeys = new Map([...(known?.proofKeys ?? []), ...joined.proofKeys].map((key) => [key.kid, key]))
  await queries.query(
    `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at)
     VALUES ($1, $2, $3, $4::jsonb, $5, $6::jsonb, $7, $7)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, public_jwk = excluded.public_jwk,
       certificate = excluded.certificate, proof_keys = excluded.proof_keys, proof_keys_at = excluded.proof_keys_at,
       revoked_at = NULL, revoked_by = NULL, nonces_since = NULL`,
    [
      kioskId,
      code.tenant_id,
      code.name,
      JSON.stringify(jwk),
      certificate,
      JSON.stringify([...proofKeys.values()]),
      at,
    ],
  )
}

/** Throws `enrolment_refused` for a malformed code. */
function readCode(typed: string): ReturnType<typeof parseEnrolmentCode> {
  try {
    return parseEnrolmentCode(typed)
  } catch (cause) {
    throw new AppError('enrolment_refused', { reason: 'code' }, { cause })
  }
}

function refused(reason: 'code' | 'kiosk'): AppError {
  return new AppError('enrolment_refused', { reason })
}
