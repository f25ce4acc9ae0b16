/**
 * POST /verify: the report on an archive, by the keys in the request and, for a signed-in consumer, by those
 * of its tenant's kiosks. The archive is in memory during upload and verification; it is neither stored nor
 * logged.
 */
import type { JWK } from 'jose'
import type { Router } from 'express'
import { AppError, fieldProblem } from '../../errors.ts'
import { ArrivalBudget } from '../../http/arrivals.ts'
import { clientNetwork } from '../../http/client-address.ts'
import { refuseOver } from '../../http/limits.ts'
import { createLimiter } from '../limiter.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { requireScope } from './guard.ts'
import { setApiHeaders, type HeadOfficeHttp } from './http.ts'
import { receiveArchive } from './receive-archive.ts'

/** Parallel verifications, separately for anonymous callers and consumers. */
const VERIFY_PLACES = 2
/** Parallel bodies of one address or consumer: uploading, waiting and in verification. */
const CALLER_BODIES = 8
/** A body slower than 6.4 kB/s would hold its memory for hours. */
const SLOWEST = { windowMs: 10_000, windowBytes: 64 * 1024 }

export function mountVerify(router: Router, http: HeadOfficeHttp, deps: HeadOfficeDeps): void {
  const { verifyMaxBytes, verifyArrivingBytes, verifyTimeoutMs, openCallsPerMinute } = deps.options
  const open = deps.countCalls('anonymous-verifications')
  const limits = {
    totalBytes: verifyArrivingBytes,
    callerBytes: Math.max(verifyMaxBytes, verifyArrivingBytes / 2),
    callerBodies: CALLER_BODIES,
    ...SLOWEST,
  }
  const lane = () => ({ arrivals: new ArrivalBudget(limits), places: createLimiter(VERIFY_PLACES) })
  // Consumers do not compete with anonymous callers.
  const lanes = { stranger: lane(), consumer: lane() }
  router.post(
    '/verify',
    http.run('verify', async (req, res) => {
      setApiHeaders(res)
      const holder = req.headers.authorization === undefined ? null : await http.authenticateSystem(req, res)
      if (holder) requireScope(holder, 'proofs:read')
      else {
        const policy = { name: 'address', limit: openCallsPerMinute }
        refuseOver(res, policy, await open.hit(clientNetwork(req), policy.limit), open.windowMs)
      }
      const caller = holder ? holder.consumerId : clientNetwork(req)
      const kind = holder ? 'consumer' : 'stranger'
      const { arrivals, places } = lanes[kind]
      const arrival = arrivals.open(caller, verifyMaxBytes)
      res.once('close', () => arrival.abort(new AppError('request_timeout')))
      try {
        const { archive, keys, ca, tsaCa } = await receiveArchive(req, arrival, verifyMaxBytes)
        const own = holder ? await kioskKeys(deps, holder.tenantId) : {}
        const verify = () => {
          arrival.pin()
          const given = {
            ...(keys === undefined ? {} : { keyText: keys }),
            ...(ca === undefined ? {} : { caPem: ca }),
            ...(tsaCa === undefined ? {} : { tsaCaPem: tsaCa }),
          }
          return deps.verifiers[kind].verify(
            { file: [archive], mayBeWrapped: true, ...given, ...own },
            verifyTimeoutMs,
          )
        }
        const answer = await places(
          { tenant: holder?.tenantId ?? caller, id: caller },
          verify,
          arrival.signal,
        )
        if (answer === 'malformed_keys') throw fieldProblem('not_json', 'keys', 'is not well-formed JSON')
        res.json(answer)
      } finally {
        arrival.release()
      }
    }),
  )
}

/** A key that any kiosk revoked counts as revoked. */
async function kioskKeys(
  deps: HeadOfficeDeps,
  tenantId: string,
): Promise<{ readonly keys: readonly JWK[]; readonly revoked: Readonly<Record<string, number>> }> {
  const rows = await deps.db.query<{ proof_keys: JWK[]; revoked_keys: Record<string, number> }>(
    { tenant: tenantId },
    'SELECT proof_keys, revoked_keys FROM kiosks',
  )
  const revoked = new Map<string, number>()
  for (const [kid, since] of rows.flatMap(({ revoked_keys: keys }) => Object.entries(keys))) {
    revoked.set(kid, Math.min(since, revoked.get(kid) ?? since))
  }
  return { keys: rows.flatMap(({ proof_keys: keys }) => keys), revoked: Object.fromEntries(revoked) }
}
