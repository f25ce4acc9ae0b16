/**
 * Detects glare on a document: patches that are clipped, brighter than the surrounding paper, and fade into it. White
 * paper in a good scan is clipped too, but ends sharply at print or at the page's edge; a reflection fades over
 * millimetres. Judges nothing.
 */
import type { GreyRaster } from '../raster.ts'

/** Pixels at or above this value are clipped. */
const CLIPPED = 250
/** Radii in pixels on a page with a longer side of 400: print holes up to this size do not split a patch. */
const OPEN_PX = 2
const CLOSE_PX = 4
/** Minimum share of the page: a smaller patch hides no letter. */
const MIN_PATCH = 0.004
/**
 * Distance over which fading is measured, in pixels and as a share of the patch's radius: larger patches fade more
 * slowly.
 */
const REACH = { px: 14, share: 0.75 }
/** Maximum drop from one pixel to the next in fading light. */
const SOFT_STEP = 16
/** Total drop after which light has faded. */
const FADED = 14
/**
 * Minimum share of the rim that fades, and minimum compactness (1 for a circle): clipped paper winds around print and
 * pictures. Measured on 21 November 2026: glare has at least 0.26 and 0.47. White paper of 55 scans and photographs, in
 * patches of at least half a percent, reaches 0.83 and 0.43, but at most 0.34 in compactness where it exceeds the first
 * limit.
 */
const MIN_SOFT_RIM = 0.25
const MIN_COMPACTNESS = 0.4

/**
 * A broad reflection shows print through it, which breaks its rim and shape: large patches need lower limits for both and
 * a minimum sum. White paper of this size in the 55 pictures reaches 0.10 and 0.35, never both.
 */
const LARGE = { share: 0.05, softRim: 0.1, compactness: 0.25, together: 0.48 }

export const GLARE_PAGE_SIDE_PX = 400

/**
 * If an MRZ was read through at least this share, the patch is the white of its strip, because glare would have hidden
 * it.
 */
const READ_THROUGH = 0.5

/**
 * Share of the page's pixels under glare. `inPicture`: 1 where the page is inside the picture; `read`: 1 where MRZ
 * characters were read.
 */
export function measureGlareShare(
  page: GreyRaster,
  inPicture: Uint8Array,
  read: Uint8Array | null = null,
): number {
  const { data, width, height } = page
  const blown = new Uint8Array(data.length)
  let [seen, readable] = [0, 0]
  for (let i = 0; i < data.length; i++) {
    seen += inPicture[i]
    readable += read?.[i] ?? 0
    blown[i] = inPicture[i] && data[i] >= CLIPPED ? 1 : 0
  }
  if (seen === 0) return 0
  let glare = 0
  const wide = closed(opened(blown, width, height), width, height)
  for (const patch of findPatches(wide, width, height)) {
    if (patch.length < MIN_PATCH * seen) continue
    const through = read ? patch.filter((i) => read[i] === 1).length : 0
    if (readable > 0 && through >= READ_THROUGH * readable) continue
    if (isReflection(patch, wide, page, inPicture, seen)) glare += patch.length
  }
  return glare / seen
}

/** Morphological opening: removes letters between paper and paper between letters. */
function opened(mask: Uint8Array, width: number, height: number): Uint8Array {
  const worn = spread(mask, width, height, OPEN_PX, 0)
  return spread(worn, width, height, OPEN_PX, 1)
}

/** Morphological closing: includes dark print, so that a patch is judged by its outer rim. */
function closed(mask: Uint8Array, width: number, height: number): Uint8Array {
  return spread(spread(mask, width, height, CLOSE_PX, 1), width, height, CLOSE_PX, 0)
}

/** Sets every pixel within the radius of a `value` pixel to that value, along rows and then columns. */
function spread(mask: Uint8Array, width: number, height: number, radius: number, value: 0 | 1): Uint8Array {
  const along = new Uint8Array(mask.length)
  for (let y = 0; y < height; y++) spreadLine(mask, along, y * width, 1, width, radius, value)
  const out = new Uint8Array(mask.length)
  for (let x = 0; x < width; x++) spreadLine(along, out, x, width, height, radius, value)
  return out
}

/**
 * Processes one line of `length` pixels with stride `step`; `reached` is the last place up to which the value spreads.
 */
function spreadLine(
  from: Uint8Array,
  to: Uint8Array,
  start: number,
  step: number,
  length: number,
  radius: number,
  value: 0 | 1,
): void {
  const other = 1 - value
  let reached = -1
  for (let n = 0; n < Math.min(radius, length); n++)
    if (from[start + n * step] === value) reached = n + radius
  for (let n = 0, i = start; n < length; n++, i += step) {
    const ahead = n + radius
    if (ahead < length && from[i + radius * step] === value) reached = ahead + radius
    to[i] = n <= reached ? value : other
  }
}

/** Connected components, as pixel indices. */
function findPatches(mask: Uint8Array, width: number, height: number): readonly (readonly number[])[] {
  const rest = mask.slice()
  const patches: number[][] = []
  for (let start = 0; start < rest.length; start++) {
    if (rest[start] === 0) continue
    const patch = [start]
    rest[start] = 0
    for (let n = 0; n < patch.length; n++) {
      const i = patch[n]
      const x = i % width
      const neighbours = [
        x > 0 ? i - 1 : -1,
        x < width - 1 ? i + 1 : -1,
        i - width,
        i + width < width * height ? i + width : -1,
      ]
      for (const j of neighbours)
        if (j >= 0 && rest[j] === 1) {
          rest[j] = 0
          patch.push(j)
        }
    }
    patches.push(patch)
  }
  return patches
}

/** Tests whether the patch has the shape and rim of a reflection. */
function isReflection(
  patch: readonly number[],
  mask: Uint8Array,
  page: GreyRaster,
  inPicture: Uint8Array,
  seen: number,
): boolean {
  const { width, height } = page
  const reach = Math.round(REACH.px + REACH.share * Math.sqrt(patch.length / Math.PI))
  let rim = 0
  let soft = 0
  for (const i of patch) {
    const x = i % width
    const y = (i / width) | 0
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue
    for (const [dx, dy] of DIRECTIONS) {
      const next = i + dy * width + dx
      if (mask[next] === 1 || inPicture[next] === 0) continue
      rim++
      if (fadesAlong(page, x, y, [dx, dy], reach)) soft++
    }
  }
  // Slanted rim pixels are counted in two directions: 4/π of the perimeter on average.
  const around = (rim * Math.PI) / 4
  const compactness = (4 * Math.PI * patch.length) / Math.max(1, around * around)
  const softRim = soft / Math.max(1, rim)
  if (softRim >= MIN_SOFT_RIM && compactness >= MIN_COMPACTNESS) return true
  return (
    patch.length >= LARGE.share * seen &&
    softRim >= LARGE.softRim &&
    compactness >= LARGE.compactness &&
    softRim + compactness >= LARGE.together
  )
}

const DIRECTIONS: readonly (readonly [number, number])[] = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
]

/** True if the light falls without a large step and fades completely within the reach. */
function fadesAlong(
  { data, width, height }: GreyRaster,
  x: number,
  y: number,
  [dx, dy]: readonly [number, number],
  reach: number,
): boolean {
  let last = 255
  for (let n = 0; n <= reach; n++) {
    const [px, py] = [x + n * dx, y + n * dy]
    if (px < 0 || py < 0 || px >= width || py >= height) return false
    const value = data[py * width + px]
    if (last - value > SOFT_STEP || value - last > 3) return false
    if (value <= 255 - FADED) return n >= 2
    last = value
  }
  return false
}
