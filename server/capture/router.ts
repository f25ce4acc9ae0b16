/**
 * What a capture component on the person's device calls. Its credential is the session's id: no key comes near it.
 * It holds no rule about evidence, and the id appears in no log and no answer.
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
import { specDateTime } from '../proofing/time.ts'
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

/** A component asks for the session once and sends once; the rest is room for retries. */
const CALLS_PER_MINUTE = 60

/** Four live pictures a second, and room for clocks that do not run alike. Counted apart from the other calls. */
const FRAMES_PER_MINUTE = 300
/** Twenty live portraits a second: a camera gives 30 and the worker looks at about 15. Counted apart likewise. */
const PORTRAIT_FRAMES_PER_MINUTE = 1200
/** One is looked at, and one arrives that is told so. */
const MAX_FRAMES_UNDER_WAY = 2
/** A picture of 1920 × 1080 as JPEG has 0.2 to 0.6 MB. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024

/** Two sides, each a few times: a picture takes the worker a second or two. */
const SIDES_PER_MINUTE = 12

const FRAME_PART = 'Frame'
const SIDE_PART = 'Side'
const SIGNATURE_PART = 'FrameSignature'
const VIDEO_PART = 'Video'
const DETAILS_PART = 'CaptureDetails'
/** Beside each side's picture; more than four add nothing to a vote. */
const MAX_FURTHER_FRAMES = 4
/** What a barcode scanner typed; no PDF417 symbol holds more bytes. */
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
  /** Shared by everything of this server that reads bodies. */
  readonly uploads: UploadBudget
  /** Of the built component; without it none is served. */
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
  // Before a body is read or a call is counted: a stranger's upload is refused unread.
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
      // Two sides, and the further frames, which have a limit of their own, as room for so many more.
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

/** At most `most` bodies of this kind are under way in one session. Throws `upload_budget_exceeded`. */
function takePlace(kind: 'frame' | 'upload', most: number): RequestHandler {
  return (req, _res, next) => {
    getUploadAccount(req).take({ key: `${kind}:${readSessionId(req)}`, most })
    next()
  }
}

/** With Retry-After where the workflow itself had no room: what it looks at now is soon over. */
function sayingWhen<T>(res: Response, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'rate_limited') res.setHeader('Retry-After', 1)
    throw error
  })
}

/** What the component says of itself and its device, where it does. */
function readDevice(form: Form): CaptureDevice | undefined {
  const part = readJsonPart(form, DETAILS_PART)
  const json = part && parseJson(part, DETAILS_PART)
  return json === undefined ? undefined : parse(CaptureDetails, json, DETAILS_PART)
}

/** What does not look like one of our session ids is unknown, like any other. */
function readSessionId(req: Request): string {
  const parsed = SessionId.safeParse(req.params.sessionId)
  if (!parsed.success) throw new AppError('not_found', { resource: 'session' })
  return parsed.data
}

function toView(session: CaptureSession) {
  const { kind, state, settings } = session
  return { kind, state, ...settings, expiresAt: specDateTime(session.expiresAt) }
}

function refuseMethod(allowed: string): RequestHandler {
  return (_req, res) => {
    res.setHeader('Allow', allowed)
    throw new AppError('method_not_allowed')
  }
}
