/** Files that are kept, shown and attached to the proof; nothing about them is checked. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Caller, KeyValue, Upload } from '../proofing/types.ts'
import type { StoredImage } from '../store/images.ts'

/** A file that comes with the creation (spec "image types": application/pdf and image/png are named for this part). */
export function creationFile(_ctx: Context, _identityId: string, _file: Upload): StoredImage {
  throw new AppError('internal')
}

/** Inside a transaction: the row, its metadata, the event and the record of the call. */
export function saveFile(
  _ctx: Context,
  _caller: Caller,
  _file: StoredImage,
  _metadata: readonly KeyValue[],
): void {
  throw new AppError('internal')
}

export function additionalFileWorkflows(_ctx: Context) {
  return {}
}
