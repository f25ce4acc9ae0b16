/** Stores files that are shown and added to the proof. No check looks at them, and their names are not stored. */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { requireOpen } from '../../proofing/identity.ts'
import { agreesWith, detectMediaType } from '../../proofing/media-type.ts'
import type { Caller, KeyValue, Upload } from '../../proofing/types.ts'
import type { StoredImage } from '../../store/images.ts'
import { toActor } from '../access/author.ts'
import { keepFiles } from './keep-files.ts'
import { requireTakingMore } from '../identity/lifetime.ts'
import { requireRoom as requireWithinQuotas } from '../access/quotas.ts'
import { noteSteps } from '../proof/note-steps.ts'
import { requireIdentity } from '../access/reach.ts'
import { recordCall } from '../identity/record-call.ts'
import { viewAdditionalFiles } from '../identity/view.ts'

/**
 * Spec "image types" names application/pdf and image/png for the file of the creation; the types of a
 * document are accepted too.
 */
const CREATION_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/tiff',
]
/** Together with the size limit below: a verifier of the proof reads at most 1 GiB. */
const MAX_FILES = 50
const MAX_BYTES = 200 * 1024 * 1024

/**
 * A file in the call that creates the identity. Throws `unsupported_image` for a type that is not accepted.
 */
export function creationFile(ctx: Context, identityId: string, file: Upload): StoredImage {
  const mediaType = detectMediaType(file.bytes)
  if (!CREATION_TYPES.includes(mediaType)) {
    throw notAccepted('unsupported_format', 'this file format is not accepted')
  }
  if (!agreesWith(mediaType, file.declaredType)) {
    throw notAccepted('type_mismatch', 'the file is not of the type it was declared to be')
  }
  return additionalFile(ctx, identityId, mediaType)
}

function notAccepted(code: string, message: string): AppError {
  const problems = [{ code, message, field: 'file' }]
  return new AppError('unsupported_image', { accepted: CREATION_TYPES }, { problems })
}

function additionalFile(ctx: Context, identityId: string, mediaType: string): StoredImage {
  const createdAt = ctx.clock.now()
  return { id: ctx.newId(), identityId, evidenceId: null, kind: 'ADDITIONAL_FILE', mediaType, createdAt }
}

/** Must run inside a transaction: saves the row, its metadata, the event and the record of the call. */
export function saveFile(
  ctx: Context,
  caller: Caller,
  file: StoredImage,
  metadata: readonly KeyValue[],
): void {
  const { id, identityId } = file
  ctx.store.images.addRow(file)
  if (metadata.length > 0) ctx.store.images.setMetadata(file, metadata)
  ctx.store.events.append('file.added', identityId, { fileId: id }, ctx.clock.now(), toActor(caller))
  recordCall(ctx, caller, { identityId, subjectId: id, name: 'ADDITIONAL_FILE', kind: 'ADD' }, 200)
  noteSteps(ctx, identityId)
}

export async function addAdditionalFile(
  ctx: Context,
  caller: Caller,
  identityId: string,
  upload: Upload,
  metadata: readonly KeyValue[],
) {
  const { bytes } = upload
  if (bytes.byteLength === 0) throw fieldProblem('empty', 'File', 'must not be empty')
  requireRoom(ctx, caller, identityId, bytes)
  const file = additionalFile(ctx, identityId, detectMediaType(bytes))
  ctx.store.images.put(file, bytes)
  keepFiles(ctx, [file], () => {
    ctx.store.transaction(() => {
      const identity = requireRoom(ctx, caller, identityId, bytes)
      saveFile(ctx, caller, file, metadata)
      // A proof in progress is built again, with this file.
      ctx.store.identities.save(identity)
    })
  })
  return { id: file.id, status: 'STORED' as const }
}

export async function listAdditionalFiles(ctx: Context, caller: Caller, identityId: string) {
  const { id } = requireIdentity(ctx, caller, identityId, 'READ')
  return viewAdditionalFiles(ctx, id)
}

export async function getAdditionalFile(ctx: Context, caller: Caller, identityId: string, fileId: string) {
  const { id } = requireIdentity(ctx, caller, identityId, 'READ')
  const file = requireFile(ctx, id, fileId)
  const { images } = ctx.store
  return { bytes: images.read(file), mediaType: file.mediaType, metadata: images.metadata(file) }
}

export async function deleteAdditionalFile(ctx: Context, caller: Caller, identityId: string, fileId: string) {
  const dropped = ctx.store.transaction(() => {
    const identity = requireIdentity(ctx, caller, identityId, 'ACT')
    requireOpen(identity)
    const file = requireFile(ctx, identityId, fileId)
    ctx.store.images.dropRow(file)
    ctx.store.events.append('file.deleted', identityId, { fileId }, ctx.clock.now(), toActor(caller))
    const subject = { identityId, subjectId: fileId, name: 'ADDITIONAL_FILE', kind: 'DELETE' } as const
    recordCall(ctx, caller, subject, 204)
    noteSteps(ctx, identityId)
    ctx.store.identities.save(identity)
    return file
  })
  ctx.store.images.unlink([dropped])
}

/**
 * Returns the open identity, after checking the quota for one more file. Called again inside the transaction.
 */
function requireRoom(ctx: Context, caller: Caller, identityId: string, bytes: Uint8Array) {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  requireTakingMore(ctx, identity)
  requireWithinQuotas(ctx, identity, { bytes: bytes.byteLength })
  const files = ctx.store.images.listFiles(identityId)
  if (files.length >= MAX_FILES) {
    throw fieldProblem('too_many', 'File', `an identity has at most ${MAX_FILES} additional files`)
  }
  const keptBytes = files.reduce((sum, file) => sum + ctx.store.images.measureSize(file), 0)
  if (keptBytes + bytes.byteLength > MAX_BYTES) {
    throw fieldProblem(
      'too_large',
      'File',
      `the additional files of an identity have at most ${MAX_BYTES} bytes together`,
    )
  }
  return identity
}

function requireFile(ctx: Context, identityId: string, fileId: string): StoredImage {
  const file = ctx.store.images.listFiles(identityId).find(({ id }) => id === fileId)
  if (!file) throw new AppError('not_found', { resource: 'file' })
  return file
}
