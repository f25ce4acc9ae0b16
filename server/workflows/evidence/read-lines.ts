/**
 * Returns the lines that were read on a document, for the applicant at the kiosk: the text as printed, a mark for uncertain
 * lines, and a picture of each line. No route of the API leads here.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { ReadLine } from '../../proofing/evidence.ts'
import type { Caller } from '../../proofing/types.ts'
import { requireIdentity } from '../access/reach.ts'

export async function readLines(ctx: Context, caller: Caller, identityId: string, evidenceId: string) {
  return listLines(ctx, caller, identityId, evidenceId).map(({ field, printed, hardToRead, place }) => ({
    field,
    printed,
    hardToRead,
    hasPlace: place !== null,
  }))
}

/** Throws `not_found` if the place of the line is unknown, `vision_unavailable`, ImageFaultError. */
export async function cutReadLine(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  field: string,
) {
  const place = listLines(ctx, caller, identityId, evidenceId).find((line) => line.field === field)?.place
  const image =
    place &&
    ctx.store.images
      .listByEvidence(evidenceId)
      .find(({ kind, frame = 0 }) => kind === place.side && frame === 0)
  if (!place || !image) throw new AppError('not_found', { resource: 'line' })
  const bytes = ctx.store.images.read(image)
  const { jpeg } = await ctx.vision.cutLine({ image: bytes, frame: place.frame, box: place.box })
  return { bytes: jpeg, mediaType: 'image/jpeg' }
}

function listLines(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
): readonly ReadLine[] {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  return ctx.store.evidences.get(identity.id, evidenceId).content.readLines ?? []
}
