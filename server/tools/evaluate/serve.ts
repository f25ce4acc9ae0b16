/**
 * `evaluate serve`: the same scores over HTTP on this machine, one request after the other. The answers have the members
 * that the columns of the results have; `GET /` states version, models and thresholds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Request, type RequestHandler } from 'express'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { UsageError } from '../../commands/usage.ts'
import { AppError } from '../../errors.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { findFile, readForm, requireFile, type Form } from '../../http/form.ts'
import { hostGuard } from '../../http/host-guard.ts'
import { closeServer, createHttpServer, listen } from '../../http/http-server.ts'
import { parse } from '../../http/parse.ts'
import { createMalformedError, parseJson } from '../../http/json.ts'
import { readBody } from '../../http/body.ts'
import { accountUploads, UploadBudget } from '../../http/upload-budget.ts'
import { sendProblem, toAppError } from '../../http/problem-response.ts'
import { createLog } from '../../log.ts'
import { measureRecognition } from '../bench/documents/ask-about-document.ts'
import { RelyingService } from '../demo/client.ts'
import { Interrupted } from '../../commands/asked-to-stop.ts'
import { withTemporaryServer } from '../demo/server-process.ts'
import { openToolEngines, requireAnswering } from '../tool-engines.ts'
import {
  describeAttackDetection,
  describeFaceMatching,
  describeModel,
  describeProduct,
  openModels,
  say,
  type Job,
} from './job.ts'
import { NO_ATTACK_NETWORKS } from './faces.ts'
import { createRecordingJudge } from './judge-recording.ts'
import { createFaceMeasurer, scoreAttack, scorePair } from './measure-face.ts'
import { RECORDING_NAME } from './recordings.ts'

const MIB = 1024 * 1024
const UPLOADS = { fileBytes: 32 * MIB, jsonBytes: 64 * 1024 }
const UPLOAD_BUDGET = { serverBytes: 256 * MIB, applicationBytes: 256 * MIB, idleMs: 10_000 }
const LIMITS = { headersTimeoutMs: 10_000, requestTimeoutMs: 120_000, maxConnections: 16 }
const Recording = z.strictObject({ recording: z.string().regex(RECORDING_NAME) })

interface ServeOptions {
  readonly port: number
  /** Folder with recorded sessions; null: sessions are not served. */
  readonly recordings: string | null
  /** Resolves when the server should end. */
  readonly ended: Promise<unknown>
  /** Called with the address once the server listens. */
  onListening(url: string): void
}

type Answer = (req: Request) => Promise<object>

export async function serveEvaluation(job: Job, options: ServeOptions): Promise<void> {
  const sessions = await openModels(job)
  const engines = await openToolEngines(sessions, job.dataDir)
  await requireAnswering(engines.faceMatching)
  const measure = createFaceMeasurer(sessions, engines)
  const judge = createRecordingJudge(sessions)
  const { attackDetection } = engines
  const readPicture = async (req: Request, name: string): Promise<Uint8Array> =>
    requireFile(await readFiles(req), name, OTHER_PARTS[name]).bytes

  const about = {
    match: [describeProduct('match'), ...describeFaceMatching(sessions, engines.faceMatching)],
    pad: attackDetection && [describeProduct('pad'), ...describeAttackDetection(sessions, attackDetection)],
    document: [describeProduct('document'), ...sessions.models.map(describeModel)],
    session: options.recordings && [describeProduct('session'), ...sessions.models.map(describeModel)],
  }
  const serve = async (service: RelyingService): Promise<void> => {
    const answers: Readonly<Record<string, Answer>> = {
      match: async (req) => {
        const [probe, reference] = [await readPicture(req, 'probe'), await readPicture(req, 'reference')]
        return scorePair(engines, await measure(probe), await measure(reference))
      },
      pad: async (req) => {
        if (!attackDetection) throw notServed(NO_ATTACK_NETWORKS)
        return scoreAttack(await measure(await readPicture(req, 'file')), attackDetection.point.threshold)
      },
      document: async (req) => {
        const form = await readFiles(req)
        const sides = [requireFile(form, 'file', ['back']), findFile(form, 'back')]
        return inFiles(
          sides.flatMap((side) => side?.bytes ?? []),
          async ([front, back]) => {
            const { status, codes } = await measureRecognition(service, front, back)
            return { status, codes, decision: status === 'VERIFIED' ? 'verified' : 'not_verified' }
          },
        )
      },
      session: async (req) => {
        if (options.recordings === null) throw notServed('the server was started without --recordings DIR')
        const { recording } = parse(Recording, parseJson(await readBody(req, UPLOADS.jsonBytes)))
        return judge(join(options.recordings, recording))
      },
    }
    const server = createHttpServer(createFront(about, answers), LIMITS, createLog(process.stderr))
    options.onListening(await listen(server, '127.0.0.1', options.port))
    await options.ended
    await closeServer(server)
  }
  const packs = job.packs.includes('extended') ? 'all' : 'core'
  process.env.COUNTERPROOF_MODELS = job.modelsDir
  try {
    await withTemporaryServer('evaluate', ({ url }, keys) => serve(new RelyingService(url, keys)), {
      vision: { packs },
    })
  } catch (error) {
    // A signal is the usual end.
    if (!(error instanceof Interrupted)) throw error
  }
}

/** Parts that are files of their own beside the named one. */
const OTHER_PARTS: Readonly<Record<string, readonly string[]>> = {
  probe: ['reference'],
  reference: ['probe'],
}

/** Throws `malformed_body` for a body that is no form: every part would be missing. */
async function readFiles(req: Request): Promise<Form> {
  if (req.is('multipart/form-data') === false)
    throw createMalformedError('Content-Type', 'must be multipart/form-data')
  return readForm(req, UPLOADS, 2)
}

const notServed = (message: string): AppError =>
  new AppError('not_found', {}, { problems: [{ code: 'not_found', message }] })

/** Throws UsageError if another process uses the port: loading the models takes long. */
export async function requireFreePort(port: number): Promise<void> {
  const trial = createServer()
  try {
    await listen(trial, '127.0.0.1', port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new UsageError(
      `another process uses port ${port} of 127.0.0.1. Choose another one with --port N (0 takes a free one).`,
    )
  }
  await closeServer(trial)
}

function createFront(about: object, answers: Readonly<Record<string, Answer>>): express.Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(hostGuard({ allowedHosts: [], allowedOrigins: [] }))
  app.use(accountUploads(new UploadBudget(UPLOAD_BUDGET), () => null))
  app.get('/', (_req, res) => void res.json(about))
  let last: Promise<unknown> = Promise.resolve()
  const inTurn =
    (answer: Answer): RequestHandler =>
    (req, res, next) => {
      last = last.then(() => answer(req)).then((body) => res.json(body), next)
    }
  for (const [name, answer] of Object.entries(answers)) app.post(`/${name}`, inTurn(answer))
  app.use((_req, _res, next) => next(new AppError('not_found')))
  const answerError: express.ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const known = toAppError(error)
    if (known.code === 'internal') say(`a request failed: ${String((error as Error).message)}\n`)
    sendProblem(req, res, known, { correlationId: uuidv7(), challenge: '' })
  }
  app.use(answerError)
  return app
}

/** Gives the pictures to `use` as files, and deletes them. */
async function inFiles<Result>(
  pictures: readonly Uint8Array[],
  use: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-evaluate-'))
  try {
    const paths = pictures.map((picture, i) => {
      const path = join(folder, String(i))
      writeFileWhole(path, picture)
      return path
    })
    return await use(paths)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
