/**
 * A new piece of evidence: check the image, allow it, then save evidence, images, call record, event and job in one
 * transaction. The answer says PROCESSING; the verdict comes later.
 */
import type { Context } from '../context.ts'
import { fieldProblem } from '../errors.ts'
import type { CaptureDevice, DocumentCaptureDetails, Evidence } from '../proofing/evidence.ts'
import { mediaTypeOf } from '../proofing/media-type.ts'
import type { Caller, DocumentSide, Upload } from '../proofing/types.ts'
import type { ImageKind, StoredImage } from '../store/images.ts'
import type { OperationName } from '../store/operations.ts'
import { makeEvidence, requireAllowed, saveEvidence, type NewEvidence } from './add-evidence.ts'
import { replaceEvidence } from './delete-evidence.ts'
import { keepFiles, unlinkFiles } from './keep-files.ts'
import { currentEvidence } from './read-identity.ts'
import { singleStatus } from './view.ts'

export interface DocumentSubmission {
  readonly front: Upload
  readonly back?: Upload
  readonly details?: DocumentCaptureDetails
}

export async function submitDocument(
  ctx: Context,
  caller: Caller,
  identityId: string,
  submission: DocumentSubmission,
) {
  return submit(ctx, caller, identityId, {
    family: 'IDDOCUMENT',
    type: submission.details?.documentType ?? 'ID_DOCUMENT',
    operation: 'ID_DOCUMENT_CAPTURE',
    content: submission.details ? { captureDetails: submission.details } : {},
    uploads: [
      { kind: 'FRONT', upload: submission.front },
      ...(submission.back ? [{ kind: 'BACK' as const, upload: submission.back }] : []),
    ],
  })
}

/** Replaces an earlier portrait: an identity has one. Needs the PORTRAIT consent. `device`: what sent it, where known. */
export async function submitPortrait(
  ctx: Context,
  caller: Caller,
  identityId: string,
  upload: Upload,
  device?: CaptureDevice,
) {
  return submit(ctx, caller, identityId, {
    family: 'PORTRAIT',
    type: 'PORTRAIT',
    operation: 'PORTRAIT_CAPTURE',
    content: {
      portrait: {
        source: 'UPLOAD',
        ...(device?.channel ? { channel: device.channel } : {}),
        metadata: [],
        portraitQuality: null,
      },
      ...(device ? { captureDetails: device } : {}),
    },
    uploads: [{ kind: 'PORTRAIT', upload }],
  })
}

interface Submission extends NewEvidence {
  readonly operation: OperationName
  readonly uploads: readonly PictureUpload[]
}

async function submit(ctx: Context, caller: Caller, identityId: string, submission: Submission) {
  const { uploads, operation, ...wanted } = submission
  requireAllowed(ctx, caller, identityId, wanted)
  const pictures = await inspectPictures(ctx, uploads)
  const evidence = makeEvidence(ctx, caller, identityId, wanted)
  const images = putPictures(ctx, evidence, pictures)
  keepFiles(ctx, images, () => {
    saveInPlace(ctx, caller, evidence, operation, () => {
      for (const image of images) ctx.store.images.addRow(image)
      ctx.store.jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, ctx.clock.now())
    })
  })
  return singleStatus(evidence)
}

/** One transaction: the evidence with what belongs to it, and the earlier portrait gone where this is a portrait. */
export function saveInPlace(
  ctx: Context,
  caller: Caller,
  evidence: Evidence,
  operation: OperationName,
  alongside: () => void,
): void {
  const replaced = ctx.store.transaction(() => {
    const { family, identityId } = evidence
    const earlier = family === 'PORTRAIT' ? currentEvidence(ctx, identityId, family) : undefined
    const dropped = earlier && replaceEvidence(ctx, caller, earlier, 'PORTRAIT_CAPTURE')
    saveEvidence(ctx, caller, evidence, operation, alongside)
    return dropped
  })
  if (replaced) unlinkFiles(ctx, replaced)
  ctx.wakeJobs()
}

export interface PictureUpload {
  readonly kind: ImageKind
  readonly upload: Upload
}

interface InspectedPicture {
  readonly kind: ImageKind
  readonly bytes: Uint8Array
  readonly mediaType: string
  /** From 1 on: a further picture of the same side. */
  readonly frame?: number
}

/** A scan as PDF becomes the picture of its first page; of a document sent as one file, the second is the back. */
async function pagesOf(ctx: Context, uploads: readonly PictureUpload[]): Promise<readonly PictureUpload[]> {
  const pages = await Promise.all(
    uploads.map(async ({ kind, upload }): Promise<readonly PictureUpload[]> => {
      if (mediaTypeOf(upload.bytes) !== 'application/pdf') return [{ kind, upload }]
      const { bytes: pdf, declaredType } = upload
      const [first, second] = await ctx.vision.rasterisePdf({
        pdf,
        ...(declaredType ? { declaredType } : {}),
      })
      const back = kind === 'FRONT' && uploads.length === 1 ? second : undefined
      return [
        { kind, upload: { bytes: first } },
        ...(back ? [{ kind: 'BACK' as const, upload: { bytes: back } }] : []),
      ]
    }),
  )
  return pages.flat()
}

/** Decoding is slow and the bytes are hostile: in the worker, before anything is kept. Throws ImageFaultError. */
export async function inspectPictures(
  ctx: Context,
  uploads: readonly PictureUpload[],
): Promise<readonly InspectedPicture[]> {
  const pictures = await pagesOf(ctx, uploads)
  return Promise.all(
    pictures.map(async ({ kind, upload }) => {
      const { format } = await ctx.vision.inspectImage({
        image: upload.bytes,
        ...(upload.declaredType ? { declaredType: upload.declaredType } : {}),
      })
      return { kind, bytes: upload.bytes, mediaType: `image/${format}` }
    }),
  )
}

/**
 * Further pictures of sides, moments apart. Not decoded here: one that turns out to be damaged is left out when the side
 * is read. Throws `validation_failed` for what is no JPEG.
 */
export function framesOf(
  kind: DocumentSide,
  part: string,
  uploads: readonly Upload[],
): readonly InspectedPicture[] {
  return uploads.map(({ bytes }, i) => {
    const mediaType = mediaTypeOf(bytes)
    if (mediaType !== 'image/jpeg') throw fieldProblem('invalid', part, 'must be a JPEG picture')
    return { kind, bytes, mediaType, frame: i + 1 }
  })
}

/** Writes the sealed files; the rows are added in the transaction that follows. */
export function putPictures(
  ctx: Context,
  evidence: Evidence,
  pictures: readonly InspectedPicture[],
): readonly StoredImage[] {
  const kept: StoredImage[] = []
  return keepFiles(ctx, kept, () =>
    pictures.map(({ kind, bytes, mediaType, frame }) => {
      const image: StoredImage = {
        id: ctx.newId(),
        identityId: evidence.identityId,
        evidenceId: evidence.id,
        kind,
        mediaType,
        createdAt: ctx.clock.now(),
        ...(frame ? { frame } : {}),
      }
      ctx.store.images.put(image, bytes)
      kept.push(image)
      return image
    }),
  )
}
