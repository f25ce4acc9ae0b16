/** The background behind the person: a plain studio wall, or an office out of focus. Linear light. */
import { ramp } from './distance.ts'
import { toLinear } from './colour.ts'
import type { Paint } from './colour.ts'
import type { View } from './view.ts'

const STUDIO = toLinear([196, 202, 208])
const WALL = toLinear([190, 188, 180])
const WINDOW = toLinear([236, 240, 242])
const CABINET = toLinear([150, 132, 112])
const SHELF = toLinear([120, 126, 130])

/** Share inside [from, to] with soft edges. */
function band(x: number, from: number, to: number, soft: number): number {
  return ramp(from - soft, from + soft, x) * ramp(to + soft, to - soft, x)
}

function lay(out: Paint, colour: readonly number[], share: number): void {
  for (let k = 0; k < 3; k++) out[k] += (colour[k] - out[k]) * share
}

/** Paints the picture's point (u, v), both 0–1 from the top left. */
export function paintBackground(kind: View['background'], u: number, v: number, out: Paint): void {
  if (kind === 'studio') {
    const k = 1 - 0.36 * ((u - 0.5) ** 2 + (v - 0.5) ** 2) - 0.05 * v
    for (let i = 0; i < 3; i++) out[i] = STUDIO[i] * k
    return
  }
  const light = 0.72 + 0.3 * (1 - u) - 0.12 * v
  for (let i = 0; i < 3; i++) out[i] = WALL[i] * light
  const window = band(u, 0.03, 0.23, 0.012) * band(v, -0.2, 0.52, 0.016)
  lay(out, WINDOW, window * 0.95)
  lay(out, WALL, band(u, 0.122, 0.132, 0.008) * window * 0.8)
  lay(out, CABINET, band(u, 0.74, 1.2, 0.012) * band(v, 0.42, 1.2, 0.014) * 0.8)
  lay(out, SHELF, band(u, 0.78, 0.93, 0.014) * band(v, 0.27, 0.42, 0.014) * 0.7)
  lay(out, SHELF, band(u, -0.2, 1.2, 0.01) * band(v, 0.93, 0.945, 0.01) * 0.25)
}
