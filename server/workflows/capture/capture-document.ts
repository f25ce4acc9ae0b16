/**
 * Takes the pictures of a document from a capture component: exactly the requested sides, further frames of them, and the
 * text of a barcode scanner. A session takes them once.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { parseAamva } from '../../proofing/aamva/parse.ts'
import { FRAME_PARTS } from '../../proofing/capture-session.ts'
import type { CaptureDevice, Evidence } from '../../proofing/evidence.ts'
import type { DocumentSide, Upload } from '../../proofing/types.ts'
import { requireAllowedFor } from '../evidence/add-evidence.ts'
import { toComponentAuthor, endSession, unknownSession, requireUsableSession } from './capture-sessions.ts'
import { countTry } from './count-try.ts'
import { keepFiles } from '../evidence/keep-files.ts'
import { markTest } from '../identity/mark-test.ts'
import { requireRoom } from '../access/quotas.ts'
import { addPictures, inspectFrames, inspectPictures, putPictures } from '../evidence/submit-evidence.ts'
import { singleStatus } from '../identity/view.ts'

export interface DocumentCapture {
  readonly sides: Readonly<Partial<Record<DocumentSide, Upload>>>
  /**
   * Further pictures of a side, taken shortly after each other: several may read what one leaves in doubt.
   */
  readonly frames?: Readonly<Partial<Record<DocumentSide, readonly Upload[]>>>
  readonly device?: CaptureDevice | undefined
  /** The text of a scanner at the counter. */
  readonly scannedBarcode?: string | undefined
}

/**
 * Requires exactly the requested sides; otherwise throws `sides_mismatch` and the session stays open. Works
 * once.
 */
export async function captureDocument(
  ctx: Context,
  sessionId: string,
  { sides, frames = {}, device, scannedBarcode }: DocumentCapture,
) {
  const { session, identity, evidence } = requireUsableSession(ctx, sessionId)
  if (session.kind !== 'DOCUMENT') throw unknownSession()
  requireAllowedFor(ctx, identity, evidence)
  const bytes = [...Object.values(sides), ...Object.values(frames).flat()].reduce(
    (sum, upload) => sum + upload.bytes.byteLength,
    0,
  )
  requireRoom(ctx, identity, { jobs: 1, bytes })
  const { sidesToCapture, sidesFollowKind = false } = session.settings
  const sidesByKind = sidesFollowKind && sidesToCapture.length === 1
  const uploads = (['FRONT', 'BACK'] as const).flatMap((kind) => {
    const upload = sides[kind]
    return upload ? [{ kind, upload }] : []
  })
  const exact =
    uploads.length === sidesToCapture.length && uploads.every(({ kind }) => sidesToCapture.includes(kind))
  if (!exact) throw new AppError('sides_mismatch', { expected: sidesToCapture })
  requireCard(scannedBarcode)

  const pictures = await inspectPictures(ctx, uploads)
  const further = await Promise.all(
    sidesToCapture.map((kind) => inspectFrames(ctx, kind, FRAME_PARTS[kind], frames[kind] ?? [])),
  )
  const images = putPictures(ctx, requireUsableSession(ctx, sessionId).evidence, [
    ...pictures,
    ...further.flat(),
  ])
  keepFiles(ctx, images, () => {
    ctx.store.transaction(() => {
      // During the decoding the time may have run out or another capture may have come.
      const present = requireUsableSession(ctx, sessionId)
      requireAllowedFor(ctx, present.identity, present.evidence)
      addPictures(ctx, present.identity, images)
      noteCapture(ctx, present.evidence, { device, scannedBarcode, sidesByKind })
      endSession(ctx, session, 'DONE', toComponentAuthor(present.identity))
      countTry(ctx, session.identityId, 'DOCUMENT')
      ctx.store.jobs.add('verify-evidence', session.identityId, { evidenceId: evidence.id }, ctx.clock.now())
    })
  })
  ctx.wakeJobs()
  return singleStatus(evidence)
}

/** Text that is no card means that the scanner read something else: scan again, the session stays open. */
function requireCard(scannedBarcode: string | undefined): void {
  if (scannedBarcode === undefined || parseAamva(scannedBarcode)) return
  const message = 'is not the barcode of a driving licence or identity card of the United States or Canada'
  throw fieldProblem('invalid', 'Barcode', message)
}

/**
 * Must run inside a transaction: records what the component reports about its device, and the scanned text.
 */
export function noteCapture(
  ctx: Context,
  evidence: Evidence,
  {
    device,
    scannedBarcode,
    sidesByKind = false,
  }: Pick<DocumentCapture, 'device' | 'scannedBarcode'> & { readonly sidesByKind?: boolean },
): void {
  if (!device && scannedBarcode === undefined && !sidesByKind) return
  if (device?.pretendedCamera) markTest(ctx, evidence.identityId, 'PRETENDED_CAMERA')
  const { content } = evidence
  ctx.store.evidences.save({
    ...evidence,
    content: {
      ...content,
      ...(device ? { captureDetails: { ...content.captureDetails, ...device } } : {}),
      ...(scannedBarcode === undefined ? {} : { scannedBarcode }),
      ...(sidesByKind ? { sidesByKind: true as const } : {}),
    },
  })
}
