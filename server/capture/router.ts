/**
 * The routes that a capture component on the applicant's device calls. Its only credential is the session id, which never
 * appears in a log or an answer. Contains no rule about evidence.
 * Mount it between `openRequest` and the error handler: errors are passed on as AppError.
 */
import { Router } from 'express'
import type { Request, RequestHandler, Response } from 'express'
import { readJson } from '../http/body.ts'
import { parseJson } from '../http/json.ts'
import { CaptureDetails, SIDE_PARTS } from '../api/contract/index.ts'
import {
  findFile,
  listFiles,
  readJsonPart,
  requireFile,
  readForm,
  readTextPart,
  type Form,
  type UploadLimits,
} from '../http/form.ts'
import { parse } from '../http/parse.ts'
import { limitCalls } from '../http/limits.ts'
import { getUploadAccount, openAccount, type UploadBudget } from '../http/upload-budget.ts'
import { AppError } from '../errors.ts'
import { FRAME_PARTS } from '../proofing/capture-session.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import { formatSpecDateTime } from '../proofing/time.ts'
import type { CaptureSession } from '../store/capture-sessions.ts'
import type { Workflows } from '../workflows/index.ts'
import { serveComponent, type CaptureComponent } from './component.ts'
import {
  BeginPortrait,
  CaptureAnswer,
  CaptureGuidance,
  CaptureSessionView,
  FrameSignature,
  PortraitGuidance,
  RecognisedSide,
  SessionId,
} from '../api/contract/capture.ts'

/** A component reads the session once and submits once; the remaining calls are for retries. */
const CALLS_PER_MINUTE = 60

/** Four live pictures a second, with a margin for clocks that differ. Counted separately from the other calls. */
const FRAMES_PER_MINUTE = 300
/** Twenty live portraits a second: a camera delivers 30, and the worker measures about 15. */
const PORTRAIT_FRAMES_PER_MINUTE = 1200
/** One frame is measured while the next one arrives. */
const MAX_FRAMES_UNDER_WAY = 2
/** A picture of 1920 × 1080 as JPEG has 0.2 to 0.6 MB. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024

/** Two sides with a few attempts each; the worker needs one to two seconds for a picture. */
const SIDES_PER_MINUTE = 12

const FRAME_PART = 'Frame'
const SIDE_PART = 'Side'
const SIGNATURE_PART = 'FrameSignature'
const VIDEO_PART = 'Video'
const DETAILS_PART = 'CaptureDetails'
/** Limit for each side; the vote over several frames gains nothing from more than four. */
const MAX_FURTHER_FRAMES = 4
/** Text from a barcode scanner. No PDF417 symbol holds more than `BARCODE_BYTES`. */
const BARCODE_PART = 'Barcode'
const BARCODE_BYTES = 4096

export interface CaptureDeps {
  readonly workflows: Pick<
    Workflows,
    | 'getCaptureSession'
    | 'guideCapture'
    | 'recogniseSide'
    | 'captureDocument'
    | 'captureVideo'
    | 'abandonCaptureSession'
    | 'beginPortrait'
    | 'addPortraitFrame'
  >
  readonly uploadLimits: UploadLimits
  /** Shared by all parts of the server that read bodies. */
  readonly uploads: UploadBudget
  /** The built component; absent: the server offers none. */
  readonly component?: CaptureComponent
}

export function createCapture({ workflows, uploadLimits, uploads, component }: CaptureDeps): Router {
  const router = Router()
  if (component) router.use(serveComponent(component))
  const limit = limitCalls(
    60_000,
    () => ({ name: 'capture-session', limit: CALLS_PER_MINUTE }),
    (req) => readSessionId(req),
  )

  router.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store')
    next()
  })
  // Runs before a body is read or a call is counted, so an upload for an unknown session is refused unread.
  router.use('/sessions/:sessionId', async (req, res, next) => {
    const { applicationId } = await workflows.getCaptureSession(readSessionId(req))
    openAccount(uploads, applicationId, req, res)
    next()
  })
  const frameLimits = {
    ...uploadLimits,
    fileBytes: Math.min(uploadLimits.fileBytes, MAX_FRAME_BYTES),
  }
  router
    .route('/sessions/:sessionId/frame')
    .all(
      limitCalls(
        60_000,
        () => ({ name: 'capture-frame', limit: FRAMES_PER_MINUTE }),
        (req) => readSessionId(req),
      ),
    )
    .post(takePlace('frame', MAX_FRAMES_UNDER_WAY), async (req: Request, res: Response) => {
      const frame = requireFile(await readForm(req, frameLimits, 1), FRAME_PART)
      const guidance = workflows.guideCapture(readSessionId(req), frame)
      res.json(CaptureGuidance.parse(await sayingWhen(res, guidance)))
    })
    .all(refuseMethod('POST'))
  router
    .route('/sessions/:sessionId/portrait/frame')
    .all(
      limitCalls(
        60_000,
        () => ({ name: 'portrait-frame', limit: PORTRAIT_FRAMES_PER_MINUTE }),
        (req) => readSessionId(req),
      ),
    )
    .post(takePlace('frame', MAX_FRAMES_UNDER_WAY), async (req: Request, res: Response) => {
      const form = await readForm(req, frameLimits, 1)
      const frame = requireFile(form, FRAME_PART, [SIGNATURE_PART])
      const signature = readJsonPart(form, SIGNATURE_PART)
      const sent = {
        frame,
        signature: parse(FrameSignature, signature && parseJson(signature, SIGNATURE_PART), SIGNATURE_PART),
      }
      const guidance = workflows.addPortraitFrame(readSessionId(req), sent)
      res.json(PortraitGuidance.parse(await sayingWhen(res, guidance)))
    })
    .all(refuseMethod('POST'))
  router.use('/sessions/:sessionId', limit)

  router
    .route('/sessions/:sessionId/portrait/begin')
    .post(async (req: Request, res: Response) => {
      const begin = parse(BeginPortrait, await readJson(req, uploadLimits.jsonBytes))
      const guidance = workflows.beginPortrait(readSessionId(req), begin)
      res.json(PortraitGuidance.parse(await sayingWhen(res, guidance)))
    })
    .all(refuseMethod('POST'))

  router
    .route('/sessions/:sessionId')
    .get(async (req, res) => {
      res.json(CaptureSessionView.parse(toView(await workflows.getCaptureSession(readSessionId(req)))))
    })
    .delete(async (req, res) => {
      await workflows.abandonCaptureSession(readSessionId(req))
      res.status(204).end()
    })
    .all(refuseMethod('GET, HEAD, DELETE'))

  router
    .route('/sessions/:sessionId/side')
    .all(
      limitCalls(
        60_000,
        () => ({ name: 'capture-side', limit: SIDES_PER_MINUTE }),
        (req) => readSessionId(req),
      ),
    )
    .post(takePlace('upload', 1), async (req: Request, res: Response) => {
      const picture = requireFile(await readForm(req, uploadLimits, 1), SIDE_PART)
      const recognised = workflows.recogniseSide(readSessionId(req), picture)
      res.json(RecognisedSide.parse(await sayingWhen(res, recognised)))
    })
    .all(refuseMethod('POST'))

  router
    .route('/sessions/:sessionId/document')
    .post(takePlace('upload', 1), async (req: Request, res: Response) => {
      // The form counts whole files, so the further frames, which are smaller, are converted into a number of files.
      const frameBytes = 2 * MAX_FURTHER_FRAMES * MAX_FRAME_BYTES
      const form = await readForm(req, uploadLimits, 2 + Math.ceil(frameBytes / uploadLimits.fileBytes))
      const further = (part: string) => listFiles(form, part, MAX_FURTHER_FRAMES, MAX_FRAME_BYTES)
      const front = findFile(form, SIDE_PARTS.FRONT)
      const back = findFile(form, SIDE_PARTS.BACK)
      const sides = { ...(front ? { FRONT: front } : {}), ...(back ? { BACK: back } : {}) }
      const captured = workflows.captureDocument(readSessionId(req), {
        sides,
        frames: { FRONT: further(FRAME_PARTS.FRONT), BACK: further(FRAME_PARTS.BACK) },
        device: readDevice(form),
        scannedBarcode: readTextPart(form, BARCODE_PART, BARCODE_BYTES),
      })
      res.json(CaptureAnswer.parse(await captured))
    })
    .all(refuseMethod('POST'))

  router
    .route('/sessions/:sessionId/video')
    .post(takePlace('upload', 1), async (req: Request, res: Response) => {
      const form = await readForm(req, uploadLimits, 1)
      const video = requireFile(form, VIDEO_PART, [DETAILS_PART])
      const device = readDevice(form)
      res.json(CaptureAnswer.parse(await workflows.captureVideo(readSessionId(req), video, device)))
    })
    .all(refuseMethod('POST'))

  router.use(() => {
    throw new AppError('not_found')
  })
  return router
}

/** Limits the simultaneous bodies of this kind in one session. Throws `upload_budget_exceeded`. */
function takePlace(kind: 'frame' | 'upload', most: number): RequestHandler {
  return (req, _res, next) => {
    getUploadAccount(req).take({ key: `${kind}:${readSessionId(req)}`, most })
    next()
  }
}

/** Adds Retry-After if the workflow is busy with another picture of the session: it ends within a second. */
function sayingWhen<T>(res: Response, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'rate_limited') res.setHeader('Retry-After', 1)
    throw error
  })
}

/** Returns what the component states about itself and its device; undefined if it states nothing. */
function readDevice(form: Form): CaptureDevice | undefined {
  const part = readJsonPart(form, DETAILS_PART)
  const json = part && parseJson(part, DETAILS_PART)
  return json === undefined ? undefined : parse(CaptureDetails, json, DETAILS_PART)
}

/** A malformed id gets the same answer as an unknown one. */
function readSessionId(req: Request): string {
  const parsed = SessionId.safeParse(req.params.sessionId)
  if (!parsed.success) throw new AppError('not_found', { resource: 'session' })
  return parsed.data
}

function toView(session: CaptureSession) {
  const { kind, state, settings } = session
  return { kind, state, ...settings, expiresAt: formatSpecDateTime(session.expiresAt) }
}

function refuseMethod(allowed: string): RequestHandler {
  return (_req, res) => {
    res.setHeader('Allow', allowed)
    throw new AppError('method_not_allowed')
  }
}
