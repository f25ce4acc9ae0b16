/** The border of the printed portrait, looked at along the page's own directions: one edge, or the rim of something laid on. */
import { cutOblong, type Pyramid } from '../grey.ts'
import type { Box } from '../../protocol.ts'

/** Width of the portrait in the straightened cut. */
const PORTRAIT_PX = 200
/** The cut, in widths and heights of the portrait. */
const ROOM = 1.7
/** A rim is so wide at most, in straightened pixels: about one millimetre of a passport's portrait. */
const MOST_RIM_PX = 8
/** The stretch of each side that is looked at, without its corners. */
const STRETCH = 0.6

/** By how much a pale rim stands out on all four sides, in steps of brightness. */
export function paleRim(pyramid: Pyramid, portrait: Box, angleDeg: number): number {
  // The box lies along the picture; for a page that lies on its side its width is the portrait's height.
  const onSide = Math.abs(Math.sin((angleDeg * Math.PI) / 180)) > Math.SQRT1_2
  const size = onSide ? { width: portrait.height, height: portrait.width } : portrait
  const cut = cutOblong(
    pyramid,
    {
      centre: { x: portrait.x + portrait.width / 2, y: portrait.y + portrait.height / 2 },
      width: size.width * ROOM,
      height: size.height * ROOM,
      angleDeg,
    },
    PORTRAIT_PX / size.width,
  )
  const { width, height, data } = cut
  const profile = (across: boolean): Float64Array => {
    const [length, depth] = across ? [width, height] : [height, width]
    const [from, to] = [
      Math.floor(depth * (0.5 - STRETCH / ROOM / 2)),
      Math.ceil(depth * (0.5 + STRETCH / ROOM / 2)),
    ]
    return Float64Array.from({ length }, (_, a) => {
      let sum = 0
      for (let b = from; b < to; b++) sum += across ? data[b * width + a] : data[a * width + b]
      return sum / (to - from)
    })
  }
  const sides = [true, false].flatMap((across) => {
    const line = profile(across)
    const middle = line.length >> 1
    const reach = Math.floor(middle * 0.45)
    return [rimIn(line.slice(0, middle - reach)), rimIn(line.slice(middle + reach).reverse())]
  })
  return Math.min(...sides)
}

/** The narrow ridge that is brightest over both its flanks. */
function rimIn(line: Float64Array): number {
  let best = 0
  for (let at = MOST_RIM_PX; at + MOST_RIM_PX < line.length; at++) {
    const before = Math.min(...line.subarray(at - MOST_RIM_PX, at - 1))
    const after = Math.min(...line.subarray(at + 2, at + MOST_RIM_PX + 1))
    best = Math.max(best, line[at] - Math.max(before, after))
  }
  return best
}
