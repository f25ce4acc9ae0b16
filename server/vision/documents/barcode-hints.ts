/**
 * Finds places where a PDF417 symbol may be: its start or stop pattern on at least three scan lines below each other.
 * Cheap enough for every picture. Decodes nothing, and a hint need not be a symbol.
 */
import type { GreyRaster } from '../raster.ts'

/** A pattern seen in the picture's rows (`along` x) or columns (`along` y). */
export interface BarcodeHint {
  readonly along: 'x' | 'y'
  /** The pattern is a start or a stop pattern. */
  readonly side: 'start' | 'stop'
  /** The symbol is read against the axis: mirrored or upside down. */
  readonly reversed: boolean
  /** Centre of the pattern in the first and last scan line: place along the axis, and the line. */
  readonly from: { readonly place: number; readonly line: number }
  readonly to: { readonly place: number; readonly line: number }
  /** Width of the narrowest bar. */
  readonly modulePx: number
  /** Number of scan lines with the pattern. */
  readonly lines: number
}

/** Widths of bars and gaps in modules (ISO/IEC 15438, section 5.3). */
const PATTERNS = [
  { side: 'start', widths: [8, 1, 1, 1, 1, 1, 1, 3] },
  { side: 'stop', widths: [7, 1, 1, 3, 1, 1, 1, 2, 1] },
] as const
const CANDIDATES = PATTERNS.flatMap(({ side, widths }) => [
  { side, reversed: false, widths: [...widths] as number[], sum: widths.reduce((a, b) => a + b, 0) },
  { side, reversed: true, widths: [...widths].reverse(), sum: widths.reduce((a, b) => a + b, 0) },
])
type Candidate = (typeof CANDIDATES)[number]

/** Scan lines per direction. A card's symbol that fills a third of the picture is crossed by ten or more. */
const SCAN_LINES = 240
const FEWEST_LINES = 3
/** Maximum deviation of all widths together and of a single one, in modules, as in common readers (starting values). */
const MAX_DEVIATION = 0.5
const MAX_SINGLE_DEVIATION = 0.8
/** Minimum contrast (0–255) that excludes unprinted texture. */
const MIN_CONTRAST = 24

interface Hit {
  readonly candidate: Candidate
  readonly line: number
  readonly place: number
  readonly modulePx: number
}

/** Sorted by the number of scan lines, most first. */
export function findBarcodeHints(grey: GreyRaster): readonly BarcodeHint[] {
  return (['x', 'y'] as const)
    .flatMap((along) => chain(scan(grey, along)).map((hint) => ({ along, ...hint })))
    .sort((a, b) => b.lines - a.lines)
}

function scan({ data, width, height }: GreyRaster, along: 'x' | 'y'): readonly Hit[][] {
  const [length, lines] = along === 'x' ? [width, height] : [height, width]
  const [step, stride] = along === 'x' ? [1, width] : [width, 1]
  const every = Math.max(1, Math.floor(lines / SCAN_LINES))
  const profile = new Uint8Array(length)
  const found: Hit[][] = []
  for (let line = Math.floor(every / 2); line < lines; line += every) {
    for (let i = 0, at = line * stride; i < length; i++, at += step) profile[i] = data[at]
    found.push(hitsIn(profile, line))
  }
  return found
}

/** Bars and gaps of one scan line, compared with the patterns. */
function hitsIn(profile: Uint8Array, line: number): Hit[] {
  const { starts, firstIsDark } = measureRuns(profile)
  const hits: Hit[] = []
  for (const candidate of CANDIDATES) {
    const { widths, sum } = candidate
    // A start pattern begins with a bar (reversed: ends with one). A stop pattern has nine elements and bars at both
    // ends.
    const beginsDark = widths.length % 2 === 1 || !candidate.reversed
    for (let i = beginsDark === firstIsDark ? 0 : 1; i + widths.length < starts.length; i += 2) {
      const total = starts[i + widths.length] - starts[i]
      const modulePx = total / sum
      if (modulePx < 0.9) continue
      let deviation = 0
      let single = 0
      for (let k = 0; k < widths.length && single <= MAX_SINGLE_DEVIATION; k++) {
        const off = Math.abs((starts[i + k + 1] - starts[i + k]) / modulePx - widths[k])
        deviation += off
        single = Math.max(single, off)
      }
      if (single > MAX_SINGLE_DEVIATION || deviation / widths.length > MAX_DEVIATION) continue
      hits.push({ candidate, line, place: starts[i] + total / 2, modulePx })
    }
  }
  return hits
}

/** Returns the sub-pixel starts of bars and gaps, followed by the end of the line. Dark means below the local mean. */
function measureRuns(profile: Uint8Array): { readonly starts: number[]; readonly firstIsDark: boolean } {
  const { length } = profile
  const reach = Math.max(24, Math.floor(length / 24))
  let sum = 0
  let count = 0
  for (let i = 0; i < Math.min(reach, length); i++) {
    sum += profile[i]
    count++
  }
  const starts = [0]
  let firstIsDark = false
  let wasDark = false
  let extreme = 0
  let previous = 0
  for (let i = 0; i < length; i++) {
    if (i + reach < length) {
      sum += profile[i + reach]
      count++
    }
    if (i - reach - 1 >= 0) {
      sum -= profile[i - reach - 1]
      count--
    }
    const difference = sum / count - profile[i]
    const isDark = difference > 0
    if (i === 0) firstIsDark = isDark
    else if (isDark !== wasDark) {
      // Noise crosses the mean in flat regions, so a run counts only if it reached the minimum contrast.
      const isWeak = extreme < MIN_CONTRAST / 2 && starts.length > 1
      if (isWeak) starts.pop()
      else starts.push(i - 1 + previous / (previous - difference))
      extreme = isWeak ? MIN_CONTRAST : 0
    }
    extreme = Math.max(extreme, Math.abs(difference))
    wasDark = isDark
    previous = difference
  }
  starts.push(length)
  return { starts, firstIsDark }
}

/** Groups equal hits below each other, allowing for a few missing scan lines. */
function chain(scanLines: readonly Hit[][]): readonly Omit<BarcodeHint, 'along'>[] {
  const open: { hits: Hit[]; lastScan: number }[] = []
  scanLines.forEach((hits, scanned) => {
    for (const hit of hits) {
      const fitting = open.find(({ hits: before, lastScan }) => {
        const last = before[before.length - 1]
        return scanned - lastScan <= MAX_MISSING && scanned > lastScan && continues(last, hit)
      })
      if (fitting) {
        fitting.hits.push(hit)
        fitting.lastScan = scanned
      } else open.push({ hits: [hit], lastScan: scanned })
    }
  })
  return open.filter(({ hits }) => hits.length >= FEWEST_LINES).map(({ hits }) => toHint(hits))
}

const MAX_MISSING = 6

function continues(last: Hit, hit: Hit): boolean {
  if (last.candidate !== hit.candidate) return false
  const [smaller, larger] = [last.modulePx, hit.modulePx].sort((a, b) => a - b)
  // Allows about 30 degrees of skew; beyond that a scan line leaves the symbol's row within the pattern.
  const drift = 2 * larger + 0.6 * (hit.line - last.line)
  return larger <= 1.3 * smaller && Math.abs(hit.place - last.place) <= drift
}

function toHint(hits: readonly Hit[]): Omit<BarcodeHint, 'along'> {
  const [first, last] = [hits[0], hits[hits.length - 1]]
  const sorted = hits.map(({ modulePx }) => modulePx).sort((a, b) => a - b)
  const { side, reversed } = first.candidate
  return {
    side,
    reversed,
    from: { place: first.place, line: first.line },
    to: { place: last.place, line: last.line },
    modulePx: sorted[Math.floor(sorted.length / 2)],
    lines: hits.length,
  }
}
