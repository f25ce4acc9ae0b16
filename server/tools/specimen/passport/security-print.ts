/** The fine coloured line work behind the text: waves and rosettes, generated from a seed. Imitates no state's print. */
import { createRandom } from '../head/noise.ts'
import { MRZ, PAGE } from './layout.ts'

const STEP_MM = 0.35

function polyline(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`).join('')
}

function stroke(d: string, colour: string, width: number, opacity: number): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-opacity="${opacity}"/>`
}

/** Interlaced waves over the whole page above the MRZ. */
function waves(random: () => number): string {
  const parts: string[] = []
  const families = [
    { colour: '#3f7f9c', shift: 0 },
    { colour: '#a8669a', shift: 1.7 },
    { colour: '#b99a4c', shift: 3.1 },
  ]
  for (const { colour, shift } of families) {
    const longWave = 26 + 18 * random()
    const shortWave = 7 + 4 * random()
    let d = ''
    for (let y0 = -4; y0 < MRZ.top + 6; y0 += 2.1) {
      const points: [number, number][] = []
      for (let x = 0; x <= PAGE.width; x += STEP_MM * 2) {
        const long = 2.6 * Math.sin((x / longWave) * 2 * Math.PI + shift + y0 * 0.11)
        const short = 0.7 * Math.sin((x / shortWave) * 2 * Math.PI + shift * 2 + y0 * 0.3)
        points.push([x, y0 + long + short])
      }
      d += polyline(points)
    }
    parts.push(stroke(d, colour, 0.11, 0.34))
  }
  return parts.join('')
}

/** A rosette: one closed curve that winds around its centre many times. */
function rosette(
  cx: number,
  cy: number,
  radius: number,
  petals: number,
  colour: string,
  opacity: number,
): string {
  const turns = 11
  const points: [number, number][] = []
  for (let i = 0; i <= 2200; i++) {
    const t = (i / 2200) * turns * 2 * Math.PI
    const r =
      radius *
      (0.62 + 0.24 * Math.cos((petals + 1 / turns) * t) + 0.14 * Math.cos((petals * 2 + 3 / turns) * t))
    points.push([cx + r * Math.cos(t), cy + r * Math.sin(t)])
  }
  return stroke(polyline(points), colour, 0.1, opacity)
}

/** SVG elements in millimetres. */
export function securityPrint(seed: number): string {
  const random = createRandom(seed + 90210)
  return [
    waves(random),
    rosette(84, 40, 23, 7 + Math.floor(random() * 4), '#4a8fa8', 0.3),
    rosette(84, 40, 13, 5 + Math.floor(random() * 3), '#a8669a', 0.32),
    rosette(112, 24, 8, 9, '#b99a4c', 0.4),
    rosette(50, 55, 9, 8, '#5c9a78', 0.3),
  ].join('')
}
