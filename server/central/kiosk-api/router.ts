/**
 * The routes for kiosks (protocol/wire.ts). A route reads a signed request, parses it, calls one function and
 * answers.
 */
import { Router, type Request, type Response } from 'express'
import { z } from 'zod'
import { AppError, fieldProblem } from '../../errors.ts'
import { describeError } from '../../log.ts'
import {
  AnnouncementSchema,
  DeletionQuestionSchema,
  EnrolmentRequestSchema,
  KioskStatusSchema,
  KIOSK_API,
  MAX_CHUNK_BYTES,
  MAX_DELETIONS,
  OFFSET_HEADER,
  TrustQuestionSchema,
} from '../../protocol/wire.ts'
import type { CallCounter, CountName } from '../call-counts.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { listDeletions } from '../deletion/receipts.ts'
import { newestBundle, type Metrics, type Secrets } from '../head-office/index.ts'
import { createBodyReader } from '../../http/arrivals.ts'
import { clientNetwork } from '../../http/client-address.ts'
import { methodsByPath } from '../../http/routes.ts'
import { parse } from '../../http/parse.ts'
import { announce } from '../kiosks/announce.ts'
import { complete } from '../kiosks/complete.ts'
import { enrol } from '../kiosks/enrol.ts'
import { receiveChunk } from '../kiosks/receive-chunk.ts'
import { stateStop, takeStatus } from '../kiosks/take-status.ts'
import { decodeJson } from '../json.ts'
import { MAX_PACKAGE_BYTES } from '../../updates/manifest.ts'
import { readReleasePiece } from '../rollouts/releases.ts'
import { answerTrustQuestion, readTrustPiece } from '../trust-bundles.ts'
import { refuse } from '../problems.ts'
import { createNonces } from './nonces.ts'
import { readSigned } from './signed.ts'

/** The largest JSON body: a status with a hundred keys. */
const JSON_BYTES = 256 * 1024
/** A kiosk uses at most four connections; its network may be as slow as 1 kB/s, with pauses. */
const BODIES = {
  totalBytes: 256 * 1024 * 1024,
  callerBytes: 32 * 1024 * 1024,
  callerBodies: 32,
  windowMs: 30_000,
  windowBytes: 256,
}
/** Limits per minute of all instances together: enrolments per code, refused enrolments per address, and of all addresses together. */
const MAX_JOINS_PER_CODE = 10
const MAX_REFUSED_JOINS = 20
const MAX_REFUSED_JOINS_OF_ALL = 200
/** Stands for all addresses; no address is empty. */
const ALL = ''
const ProofIdSchema = z.uuid()
const FilePathSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  offset: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(z.int().max(MAX_PACKAGE_BYTES)),
})

type Handle = (req: Request, res: Response, note: (kioskId: string) => void) => Promise<object>

interface KioskApiDeps {
  readonly ctx: CentralContext
  readonly secrets: Secrets
  readonly metrics: Metrics
  readonly countCalls: (name: CountName) => CallCounter
  readonly isDraining: () => boolean
}

export function createKioskApi({ ctx, secrets, metrics, countCalls, isDraining }: KioskApiDeps): Router {
  const readBody = createBodyReader(BODIES)
  const joins = countCalls('enrolment-code')
  const refusedJoins = countCalls('refused-enrolments')
  const reading = { ctx, nonces: createNonces(secrets), readBody }
  const signed = async (
    req: Request,
    res: Response,
    note: (kioskId: string) => void,
    { limitBytes = JSON_BYTES, isReading = false, mayBeRevoked = false } = {},
  ) => {
    const call = await readSigned(reading, req, res, { limitBytes, isReading, mayBeRevoked })
    note(call.kiosk.id)
    return call
  }

  const routes: readonly (readonly [
    method: 'get' | 'post' | 'put' | 'patch',
    path: string,
    handle: Handle,
  ])[] = [
    [
      'post',
      '/enrolments',
      async (req, res, note) => {
        const address = clientNetwork(req)
        const request = parse(
          EnrolmentRequestSchema,
          decodeJson(await readBody(req, res, address, JSON_BYTES)),
        )
        note(request.kioskId)
        const countTry = async (secret: string) => {
          if ((await joins.hit(secret, MAX_JOINS_PER_CODE)).isRefused) throw new AppError('rate_limited')
        }
        return enrol(ctx, request, countTry).catch(async (error: unknown) => {
          // Only refused requests count by address: behind a proxy that is not in `trustedProxies` all
          // callers share one address, and other callers must not lock out a kiosk with a valid code. A code
          // has 80 random bits.
          if (!(error instanceof AppError && error.code === 'enrolment_refused')) throw error
          const { isRefused: isOne } = await refusedJoins.hit(address, MAX_REFUSED_JOINS)
          const { isRefused: isAll } = await refusedJoins.hit(ALL, MAX_REFUSED_JOINS_OF_ALL)
          if (isAll) ctx.log.warn({ perMinute: MAX_REFUSED_JOINS_OF_ALL }, 'too many enrolments are refused')
          throw isOne || isAll ? new AppError('rate_limited') : error
        })
      },
    ],
    [
      'put',
      '/proofs/:proofId',
      async (req, res, note) => {
        const { kiosk, body, signedAt } = await signed(req, res, note)
        const announcement = parse(AnnouncementSchema, decodeJson(body))
        if (announcement.proofId !== readProofId(req)) {
          throw fieldProblem('mismatch', 'proofId', 'the proof id of the path is expected')
        }
        return announce(ctx, kiosk.id, announcement, signedAt)
      },
    ],
    [
      'patch',
      '/proofs/:proofId',
      async (req, res, note) => {
        const { kiosk, body } = await signed(req, res, note, { limitBytes: MAX_CHUNK_BYTES })
        return receiveChunk(ctx, kiosk.id, readProofId(req), readOffset(req), body)
      },
    ],
    [
      'post',
      '/proofs/:proofId/completion',
      async (req, res, note) => {
        const { kiosk } = await signed(req, res, note)
        return complete(ctx, kiosk.id, readProofId(req), metrics)
      },
    ],
    [
      'post',
      '/status',
      async (req, res, note) => {
        const { kiosk, body } = await signed(req, res, note, { mayBeRevoked: true })
        if (kiosk.revokedAt) {
          return stateStop(ctx, kiosk.id, kiosk.revokedAt, parse(KioskStatusSchema, decodeJson(body)))
        }
        return takeStatus(ctx, kiosk.id, parse(KioskStatusSchema, decodeJson(body)))
      },
    ],
    [
      'post',
      '/deletions',
      async (req, res, note) => {
        const { kiosk, body } = await signed(req, res, note, { isReading: true })
        const { after } = parse(DeletionQuestionSchema, decodeJson(body))
        const { id: kioskId, tenantId } = kiosk
        const deletions = await ctx.db.transaction(SYSTEM, (queries) =>
          listDeletions(queries, { tenantId, kioskId, after, limit: MAX_DELETIONS }),
        )
        return { receipts: deletions.map(({ receipt }) => receipt) }
      },
    ],
    [
      'get',
      '/bundle',
      async (req, res, note) => {
        const { kiosk } = await signed(req, res, note, { isReading: true })
        const bundle = await ctx.db.transaction(SYSTEM, (queries) =>
          newestBundle(queries, kiosk.tenantId, secrets),
        )
        if (bundle === null) throw new AppError('not_found')
        return { bundle }
      },
    ],
    [
      'post',
      '/trust-bundle',
      async (req, res, note) => {
        const { kiosk, body } = await signed(req, res, note, { isReading: true })
        return answerTrustQuestion(ctx, kiosk, parse(TrustQuestionSchema, decodeJson(body)))
      },
    ],
    [
      'get',
      '/trust-files/:sha256/:offset',
      async (req, res, note) => {
        const { kiosk } = await signed(req, res, note, { isReading: true })
        const { sha256, offset } = parse(FilePathSchema, req.params)
        return readTrustPiece(ctx, kiosk.tenantId, sha256, offset)
      },
    ],
    [
      'get',
      '/releases/:sha256/:offset',
      async (req, res, note) => {
        await signed(req, res, note, { isReading: true })
        const { sha256, offset } = parse(FilePathSchema, req.params)
        return readReleasePiece(ctx, sha256, offset)
      },
    ],
  ]

  const router = Router({ strict: true, caseSensitive: true })
  for (const [method, path, handle] of routes) {
    router[method](KIOSK_API + path, run(`${method.toUpperCase()} ${path}`, handle))
  }
  for (const [path, methods] of methodsByPath(routes.map(([method, path]) => ({ method, path })))) {
    router.all(KIOSK_API + path, (req, res) => {
      res.setHeader('Allow', methods.join(', '))
      run('refused', () => Promise.reject(new AppError('method_not_allowed')))(req, res)
    })
  }
  router.all(
    `${KIOSK_API}/{*rest}`,
    run('unknown', () => Promise.reject(new AppError('not_found'))),
  )
  return router

  /** Writes one log line per request: the route, the kiosk, the status. Never a path, a body or a header. */
  function run(route: string, handle: Handle) {
    return (req: Request, res: Response): void => {
      const correlationId = ctx.newId()
      const startedAt = performance.now()
      let kioskId: string | null = null
      res.setHeader('X-Correlation-Id', correlationId)
      res.setHeader('Cache-Control', 'no-store')
      res.once('close', () => {
        const elapsedMs = Math.round(performance.now() - startedAt)
        const { statusCode: status, writableFinished: answered } = res
        ctx.log.info({ correlationId, route, kioskId, status, answered, elapsedMs }, 'a kiosk call ended')
      })
      const note = (id: string): void => {
        kioskId = id
      }
      const working = isDraining() ? Promise.reject(new AppError('shutting_down')) : handle(req, res, note)
      working.then(
        (answer) => {
          res.json(answer)
        },
        (error: unknown) => {
          const known = error instanceof AppError ? error : new AppError('internal', {}, { cause: error })
          const fields = { ...describeError(error), code: known.code, correlationId, route, kioskId }
          if (known.code === 'internal') ctx.log.error(fields, 'a kiosk call failed')
          else ctx.log.warn(fields, 'a kiosk call was refused')
          refuse(req, res, known, { correlationId, challenge: 'Counterproof' })
        },
      )
    }
  }
}

/** Throws `not_found`. */
function readProofId(req: Request): string {
  const parsed = ProofIdSchema.safeParse(req.params.proofId)
  if (!parsed.success) throw new AppError('not_found')
  return parsed.data.toLowerCase()
}

/** Throws `validation_failed`. */
function readOffset(req: Request): number {
  const text = req.headers[OFFSET_HEADER]
  if (typeof text !== 'string' || !/^\d{1,12}$/.test(text)) {
    throw fieldProblem('malformed', OFFSET_HEADER, 'a number of bytes is expected')
  }
  return Number(text)
}
