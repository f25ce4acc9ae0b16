/** Sealed files go to the disk before the transaction that refers to them; without that transaction they go again. */
import type { Context } from '../context.ts'
import type { StoredImage } from '../store/images.ts'

/** Runs `commit`; when it throws, the files are removed. */
export function keepFiles<T>(ctx: Context, files: readonly StoredImage[], commit: () => T): T {
  try {
    return commit()
  } catch (error) {
    ctx.store.images.unlink(files)
    throw error
  }
}
