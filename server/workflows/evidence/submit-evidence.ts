/**
 * Takes new evidence with pictures: checks the images, checks that it is allowed, then saves evidence, images, call record,
 * event and job in one transaction. The answer says PROCESSING; the verdict follows later.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import type { CaptureDevice, DocumentCaptureDetails, Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import { detectMediaType } from '../../proofing/media-type.ts'
import type { Caller, DocumentSide, Upload } from '../../proofing/types.ts'
import type { ImageKind, StoredImage } from '../../store/images.ts'
import type { OperationName } from '../../store/operations.ts'
import { ImageFaultError } from '../../vision/protocol.ts'
import { makeEvidence, requireAllowed, saveEvidence, type NewEvidence } from './add-evidence.ts'
import { countTry } from '../capture/count-try.ts'
import { replaceEarlier } from './delete-evidence.ts'
import { keepFiles, unlinkFiles } from './keep-files.ts'
import { requireRoom } from '../access/quotas.ts'
import { singleStatus } from '../identity/view.ts'

interface DocumentSubmission {
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

/**
 * Replaces an earlier portrait, because an identity has one. Needs the PORTRAIT consent. `device`: the
 * sender, if known.
 */
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
        source: 'OTHER',
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
  const bytes = uploads.reduce((sum, { upload }) => sum + upload.bytes.byteLength, 0)
  const identity = requireAllowed(ctx, caller, identityId, wanted, bytes)
  const pictures = await inspectPictures(ctx, uploads)
  const evidence = makeEvidence(ctx, caller, identityId, wanted)
  const images = putPictures(ctx, evidence, pictures)
  keepFiles(ctx, images, () => {
    saveInPlace(ctx, caller, evidence, operation, () => {
      addPictures(ctx, identity, images)
      countTry(ctx, identityId, evidence.family === 'PORTRAIT' ? 'PORTRAIT_FILE' : 'DOCUMENT_FILE')
      ctx.store.jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, ctx.clock.now())
    })
  })
  return singleStatus(evidence)
}

/** One transaction: saves the evidence with its rows and deletes the replaced one. */
export function saveInPlace(
  ctx: Context,
  caller: Caller,
  evidence: Evidence,
  operation: OperationName,
  alongside: () => void,
): void {
  const replaced = ctx.store.transaction(() => {
    const dropped = replaceEarlier(ctx, caller, evidence)
    saveEvidence(ctx, caller, evidence, operation, alongside)
    return dropped
  })
  for (const files of replaced) unlinkFiles(ctx, files)
  ctx.wakeJobs()
}

interface PictureUpload {
  readonly kind: ImageKind
  readonly upload: Upload
}

interface InspectedPicture {
  readonly kind: ImageKind
  readonly bytes: Uint8Array
  readonly mediaType: string
  /** 1 or more: a further picture of the same side. */
  readonly frame?: number
  /** Bytes after the end of the picture, which are not stored. */
  readonly cutBytes?: number
}

/**
 * Converts an HEIC photo to a JPEG, and a PDF or TIFF scan to the picture of its first page; in a document
 * sent as one file, the second page is the back.
 */
async function convertPages(
  ctx: Context,
  uploads: readonly PictureUpload[],
): Promise<readonly PictureUpload[]> {
  const pages = await Promise.all(
    uploads.map(async ({ kind, upload }): Promise<readonly PictureUpload[]> => {
      const drawn = await drawScan(ctx, upload)
      if (drawn === null) return [{ kind, upload }]
      const [first, second] = drawn
      const back = kind === 'FRONT' && uploads.length === 1 ? second : undefined
      return [
        { kind, upload: { bytes: first } },
        ...(back ? [{ kind: 'BACK' as const, upload: { bytes: back } }] : []),
      ]
    }),
  )
  return pages.flat()
}

/** Draws the pages of a PDF, TIFF or HEIC file. Null for a JPEG, PNG or WebP picture, which needs no conversion. */
async function drawScan({ vision }: Context, upload: Upload): Promise<readonly Uint8Array[] | null> {
  const { bytes, declaredType } = upload
  const declared = declaredType ? { declaredType } : {}
  switch (detectMediaType(bytes)) {
    case 'application/pdf':
      return vision.rasterisePdf({ pdf: bytes, ...declared })
    case 'image/tiff':
      return vision.rasteriseTiff({ tiff: bytes, ...declared })
    case 'image/heic':
      return [await vision.decodeHeif({ heif: bytes, ...declared })]
    default:
      return null
  }
}

/** Removes data appended to the picture: phones append data, and an attacker could hide an archive there. */
function cutTo(bytes: Uint8Array, byteLength: number): Pick<InspectedPicture, 'bytes' | 'cutBytes'> {
  const cutBytes = bytes.byteLength - byteLength
  return cutBytes > 0 ? { bytes: bytes.subarray(0, byteLength), cutBytes } : { bytes }
}

/**
 * Decoding is slow and the bytes are untrusted: it runs in the worker, before anything is stored. Throws
 * ImageFaultError.
 */
export async function inspectPictures(
  ctx: Context,
  uploads: readonly PictureUpload[],
): Promise<readonly InspectedPicture[]> {
  requireDifferent(uploads)
  const pictures = await convertPages(ctx, uploads)
  return Promise.all(
    pictures.map(async ({ kind, upload }) => {
      const { format, byteLength } = await ctx.vision.inspectImage({
        image: upload.bytes,
        ...(upload.declaredType ? { declaredType: upload.declaredType } : {}),
      })
      return { kind, mediaType: `image/${format}`, ...cutTo(upload.bytes, byteLength) }
    }),
  )
}

/** Refuse the same file for both sides, because the document would be refused for a missing side later. */
function requireDifferent(uploads: readonly PictureUpload[]): void {
  const [first, second] = uploads.map(({ upload }) => upload.bytes)
  if (first && second && Buffer.compare(first, second) === 0)
    throw new AppError('sides_mismatch', { repeated: true })
}

const FRAME_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp']

/**
 * Further pictures of sides, taken shortly after each other. They are not decoded here: a damaged one is left
 * out, now or when the side is read. Throws `validation_failed` for anything except JPEG, PNG or WebP.
 */
export async function inspectFrames(
  ctx: Context,
  kind: DocumentSide,
  part: string,
  uploads: readonly Upload[],
): Promise<readonly InspectedPicture[]> {
  if (uploads.some(({ bytes }) => !FRAME_TYPES.includes(detectMediaType(bytes)))) {
    throw fieldProblem('invalid', part, 'must be a JPEG, PNG or WebP picture')
  }
  const found = await Promise.all(
    uploads.map(async ({ bytes }) => {
      try {
        const { byteLength } = await ctx.vision.inspectImage({ image: bytes, undecoded: true })
        return [{ mediaType: detectMediaType(bytes), ...cutTo(bytes, byteLength) }]
      } catch (error) {
        if (error instanceof ImageFaultError) return []
        throw error
      }
    }),
  )
  return found.flat().map((cut, i) => ({ kind, frame: i + 1, ...cut }))
}

/** Writes the encrypted files; the following transaction adds the rows. */
export function putPictures(
  ctx: Context,
  evidence: Evidence,
  pictures: readonly InspectedPicture[],
): readonly StoredImage[] {
  const kept: StoredImage[] = []
  return keepFiles(ctx, kept, () =>
    pictures.map(({ kind, bytes, mediaType, frame, cutBytes }) => {
      const image: StoredImage = {
        id: ctx.newId(),
        identityId: evidence.identityId,
        evidenceId: evidence.id,
        kind,
        mediaType,
        createdAt: ctx.clock.now(),
        ...(frame ? { frame } : {}),
        ...(cutBytes ? { cutBytes } : {}),
      }
      ctx.store.images.put(image, bytes)
      kept.push(image)
      return image
    }),
  )
}

/** Must run inside a transaction: adds the rows of files that `putPictures` wrote. Throws `quota_reached`. */
export function addPictures(
  ctx: Context,
  identity: Pick<Identity, 'id' | 'applicationId'>,
  images: readonly StoredImage[],
): void {
  const bytes = images.reduce((sum, image) => sum + ctx.store.images.measureSize(image), 0)
  requireRoom(ctx, identity, { bytes })
  for (const image of images) ctx.store.images.addRow(image)
}
