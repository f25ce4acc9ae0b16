/**
 * Writes encrypted files to the disk before the transaction that refers to them, and deletes them if that transaction fails.
 */
import type { Context } from '../../context.ts'
import { describeError } from '../../log.ts'
import type { StoredImage } from '../../store/images.ts'
import type { StoredVideo } from '../../store/videos.ts'

/** Files whose rows a transaction has removed. */
export interface DroppedFiles {
  readonly images: readonly StoredImage[]
  readonly videos: readonly StoredVideo[]
}

/** After the commit. */
export function unlinkFiles(ctx: Context, { images, videos }: DroppedFiles): void {
  ctx.store.images.unlink(images)
  ctx.store.videos.unlink(videos)
}

/** Runs `commit`; when it throws, the files are removed. */
export function keepFiles<T>(ctx: Context, files: readonly StoredImage[], commit: () => T): T {
  try {
    return commit()
  } catch (error) {
    removeAgain(ctx, files)
    throw error
  }
}

function removeAgain(ctx: Context, files: readonly StoredImage[]): void {
  try {
    ctx.store.images.unlink(files)
  } catch (error) {
    // The first fault is the one to tell of; what cannot be removed now is swept at the next start.
    ctx.log.warn(describeError(error), 'files without a row could not be removed')
  }
}
