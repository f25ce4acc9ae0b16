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

/** Call it after the commit. */
export function unlinkFiles(ctx: Context, { images, videos }: DroppedFiles): void {
  ctx.store.images.unlink(images)
  ctx.store.videos.unlink(videos)
}

/** Runs `commit`; if it throws, the files are removed. */
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
    // Report the first error; the next start sweeps files that cannot be removed now.
    ctx.log.warn(describeError(error), 'files without a row could not be removed')
  }
}
