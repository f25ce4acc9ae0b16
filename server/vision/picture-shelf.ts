/**
 * Caches the pixels of the last pictures for a few seconds, because the checks of one document request the same picture
 * in several calls. Bounded, short-lived, in memory only.
 */
import { createHash } from 'node:crypto'
import { buildPyramid, type Pyramid } from './documents/grey.ts'
import { decodeImage } from './image.ts'
import type { ImageInfo } from './protocol.ts'
import { mirrorRaster, toGrey, type Raster } from './raster.ts'

export interface OpenPicture {
  readonly raster: Raster
  readonly info: ImageInfo
  /** Computed on first use. */
  readonly greys: () => Pyramid
}

export interface PictureShelf {
  /** Returns the upright picture, cached or decoded. Throws ImageFaultError. */
  open(bytes: Uint8Array): Promise<OpenPicture>
}

/** Front and back of one document. */
const MAX_PICTURES = 2
/** Three bytes per pixel and 1.3 for the grey pyramid: two such pictures use 215 MB of the worker's 1.5 GB. */
const MAX_PIXELS = 25_000_000
/** The steps of one document follow within a second; other queued work may run between them. */
const KEPT_MS = 5_000

interface Kept {
  readonly picture: OpenPicture
  timer: NodeJS.Timeout
}

export function createPictureShelf(keptMs = KEPT_MS): PictureShelf {
  // A Map keeps insertion order, so the first entry is the least recently used.
  const kept = new Map<string, Kept>()

  function keep(digest: string, picture: OpenPicture): void {
    const before = kept.get(digest)
    if (before) clearTimeout(before.timer)
    kept.delete(digest)
    const timer = setTimeout(() => kept.delete(digest), keptMs).unref()
    kept.set(digest, { picture, timer })
    for (const [oldest, { timer: its }] of kept) {
      if (kept.size <= MAX_PICTURES) break
      clearTimeout(its)
      kept.delete(oldest)
    }
  }

  return {
    async open(bytes) {
      const digest = createHash('sha256').update(bytes).digest('base64')
      const found = kept.get(digest)?.picture
      const picture = found ?? withGreys(await decodeImage(bytes))
      if (picture.raster.width * picture.raster.height <= MAX_PIXELS) keep(digest, picture)
      return picture
    },
  }
}

/** Mirrored copy. Not cached, because it is requested only once. */
export function mirrorPicture({ raster, info }: OpenPicture): OpenPicture {
  return withGreys({ raster: mirrorRaster(raster), info })
}

function withGreys({ raster, info }: { readonly raster: Raster; readonly info: ImageInfo }): OpenPicture {
  let greys: Pyramid | null = null
  return { raster, info, greys: () => (greys ??= buildPyramid(toGrey(raster))) }
}
