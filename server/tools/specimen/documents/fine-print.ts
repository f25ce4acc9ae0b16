/** The coloured line work behind a card's text: waves and rosettes from a seed. Imitates no state's print. */
import { createRandom } from '../head/noise.ts'
import type { Palette, SizeMm } from './layout.ts'

type Polyline = (readonly [number, number])[]

function draw(points: Polyline): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`).join('')
}

const stroke = (d: string, colour: string, width: number, opacity: number) =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-opacity="${opacity}"/>`

const STEP_MM = 1.1

function waves({ width, height }: SizeMm, ink: string, strength: number, random: () => number): string {
  const long = 24 + 22 * random()
  const short = 6 + 5 * random()
  const shift = random() * 6
  const lean = (random() - 0.5) * 0.5
  let d = ''
  for (let y0 = -6 - Math.abs(lean) * width; y0 < height + 6 + Math.abs(lean) * width; y0 += 2.2) {
    const points: Polyline = []
    for (let x = 0; x <= width + STEP_MM; x += STEP_MM) {
      const slow = 2.4 * Math.sin((x / long) * 2 * Math.PI + shift + y0 * 0.11)
      points.push([x, y0 + lean * x + slow + 0.6 * Math.sin((x / short) * 2 * Math.PI + shift + y0 * 0.3)])
    }
    d += draw(points)
  }
  return stroke(d, ink, 0.1 * Math.sqrt(strength), Math.min(1, 0.36 * strength))
}

/** One closed curve that winds around its centre many times. */
export function rosette(
  cx: number,
  cy: number,
  radius: number,
  petals: number,
  ink: string,
  strength = 1,
): string {
  const turns = 9
  const steps = 1300
  const points: Polyline = []
  for (let i = 0; i <= steps; i++) {
    const t = (i / steps) * turns * 2 * Math.PI
    const r =
      radius *
      (0.62 + 0.24 * Math.cos((petals + 1 / turns) * t) + 0.14 * Math.cos((petals * 2 + 3 / turns) * t))
    points.push([cx + r * Math.cos(t), cy + r * Math.sin(t)])
  }
  return stroke(draw(points), ink, 0.1 * Math.sqrt(strength), Math.min(1, 0.34 * strength))
}

/** SVG elements in millimetres; `strength` 1 is pale line work. */
export function finePrint(seed: number, size: SizeMm, { print }: Palette, strength: number): string {
  const random = createRandom(seed + 90210)
  const { width, height } = size
  const at = (from: number, to: number) => from + (to - from) * random()
  return [
    ...print.map((ink) => waves(size, ink, strength, random)),
    rosette(
      width * at(0.5, 0.75),
      height * at(0.35, 0.6),
      height * 0.3,
      6 + Math.floor(random() * 5),
      print[0],
      strength,
    ),
    rosette(width * at(0.8, 0.95), height * at(0.2, 0.4), height * 0.13, 8, print[2], strength),
    rosette(width * at(0.3, 0.45), height * at(0.5, 0.8), height * 0.15, 7, print[1], strength),
  ].join('')
}
