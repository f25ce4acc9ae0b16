/**
 * Patches of glare on a document: blown out, brighter than the paper around them, and fading into it. White paper in a
 * good scan is blown out as well, but ends at print or at the page's edge; light that is reflected fades over
 * millimetres. Finds nothing else and judges nothing.
 */
import type { GreyRaster } from '../raster.ts'

/** A pixel at or above this is blown out. */
const CLIPPED = 250
/** Pixels, on a page whose longer side has 400: holes of print up to this size do not part a patch. */
const OPEN_PX = 2
const CLOSE_PX = 4
/** Of the page: a smaller patch hides no letter. */
const MIN_PATCH = 0.004
/** How far outwards the fading is looked for, on the same page, and of a patch's radius: larger ones fade more slowly. */
const REACH = { px: 14, share: 0.75 }
/** From one pixel to the next, light that fades falls by no more. */
const SOFT_STEP = 16
/** Light has faded when it lost so much. */
const FADED = 14
/**
 * Of the rim; print and the page's edge cut off the rest. And a circle's area over its girth, 1 for a circle: paper that
 * is blown out winds around print and pictures. Measured on 21 November 2026: patches of glare lie at 0.26 and 0.47
 * and above, white paper of 55 scans and photographs, in patches of half a percent and more, at 0.83 and 0.43 at most,
 * and above the first limit at 0.34 at most.
 */
const MIN_SOFT_RIM = 0.25
const MIN_COMPACTNESS = 0.4

/**
 * A broad reflection lets print through, which breaks both its rim and its form: of large patches both together are asked,
 * at lower limits. Of the 55, patches of white paper this large lie at 0.10 and 0.35 at most, never above both.
 */
const LARGE = { share: 0.05, softRim: 0.1, compactness: 0.25, together: 0.48 }

export const GLARE_PAGE_SIDE_PX = 400

/** Of a zone that was read: light that lay over so much of it would have hidden it, so it is the strip's own white. */
const READ_THROUGH = 0.5

/**
 * Share of the page's pixels under patches of glare. `inPicture`: 1 where the page lies in the picture; `read`: 1 where the
 * characters of a zone were read.
 */
export function glareShareOf(
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
  for (const patch of patchesOf(wide, width, height)) {
    if (patch.length < MIN_PATCH * seen) continue
    const through = read ? patch.filter((i) => read[i] === 1).length : 0
    if (readable > 0 && through >= READ_THROUGH * readable) continue
    if (isReflection(patch, wide, page, inPicture, seen)) glare += patch.length
  }
  return glare / seen
}

/** Without what is thinner than twice the radius: letters between paper and paper between letters. */
function opened(mask: Uint8Array, width: number, height: number): Uint8Array {
  const worn = spread(mask, width, height, OPEN_PX, 0)
  return spread(worn, width, height, OPEN_PX, 1)
}

/** With what print left dark in it: a patch is judged by its outer rim. */
function closed(mask: Uint8Array, width: number, height: number): Uint8Array {
  return spread(spread(mask, width, height, CLOSE_PX, 1), width, height, CLOSE_PX, 0)
}

/** Every pixel with a pixel of `value` within the radius, along rows and then columns, takes that value. */
function spread(mask: Uint8Array, width: number, height: number, radius: number, value: 0 | 1): Uint8Array {
  const along = new Uint8Array(mask.length)
  for (let y = 0; y < height; y++) spreadLine(mask, along, y * width, 1, width, radius, value)
  const out = new Uint8Array(mask.length)
  for (let x = 0; x < width; x++) spreadLine(along, out, x, width, height, radius, value)
  return out
}

/** One line of `length` pixels, `step` apart: `reached` is the last place up to which the value spreads. */
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

/** Connected pixels, as their indices. */
function patchesOf(mask: Uint8Array, width: number, height: number): readonly (readonly number[])[] {
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

/** Whether the patch has the form and the rim of a reflection. */
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
  // Every slanted pixel of the rim was counted in two directions: 4/π of the way around, on the mean.
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

/** Falls step by step, never by much at once, and has lost enough before the reach is over. */
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
