/** The kiosk's screen in the simulator: what it falls on gives it back as that thing does. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../../server/tools/specimen/head/noise.ts'
import type { Canvas } from '../../../../../server/tools/specimen/liveness/rasterise.ts'
import { createScreenLight, type Ground } from '../../../../../server/tools/specimen/liveness/screen-light.ts'

/** Left half at 40 cm, right half nothing but the room's wall. */
function canvas(): Canvas {
  const [width, height] = [8, 4]
  return {
    width,
    height,
    colour: new Float32Array(width * height * 3).fill(120),
    nearness: Float32Array.from({ length: width * height }, (_, i) => (i % width < 4 ? 1 / 40 : 0)),
  }
}
const pixel = ({ colour, width }: Canvas, x: number, y: number) => [
  ...colour.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
]

function lit(ground: Ground, seed: number): Canvas {
  const light = createScreenLight(ground, createRandom(seed), { shareOfRoom: [0.3, 0.3] })
  const first = canvas()
  light(first, 'RED')
  return first
}

const SEEDS = [1, 2, 3, 4, 5, 6]

describe('the screen’s light', () => {
  test.each(SEEDS)('grows the red of a face more than its blue, and a wall hardly (%d)', (seed) => {
    const before = lit('matt', seed)
    const [[red, , blue], [wallRed]] = [pixel(before, 0, 0), pixel(before, 7, 0)]
    expect(red / 120).toBeGreaterThan(1.03)
    expect(red).toBeGreaterThan(blue)
    expect(wallRed / 120 - 1).toBeLessThan((red / 120 - 1) / 2)
  })

  test.each(SEEDS)('comes back from glass less than from skin (%d)', (seed) => {
    expect(pixel(lit('glass', seed), 0, 0)[0]).toBeLessThan(pixel(lit('matt', seed), 0, 0)[0])
  })

  test('changes nothing while nothing coloured is shown and nothing moves', () => {
    const light = createScreenLight('matt', createRandom(4))
    for (let i = 0; i < 5; i++) {
      const seen = canvas()
      light(seen, null)
      expect(pixel(seen, 0, 0)[0]).toBeCloseTo(120, 3)
    }
  })

  test('is worked against by the camera’s automatics, picture by picture', () => {
    const light = createScreenLight('matt', createRandom(9), { shareOfRoom: [0.4, 0.4] })
    light(canvas(), null)
    const reds = Array.from({ length: 30 }, () => {
      const seen = canvas()
      light(seen, 'RED')
      return pixel(seen, 0, 0)[0]
    })
    expect(reds.at(-1)).toBeLessThan(reds[0])
    expect(reds.at(-1)).toBeGreaterThan(120)
  })

  test.each(SEEDS)('leaves no face over-exposed for longer than a camera takes to meter it (%d)', (seed) => {
    const light = createScreenLight('matt', createRandom(seed), { shareOfRoom: [0.4, 0.4] })
    const reds = Array.from({ length: 60 }, () => {
      const seen = canvas()
      seen.colour.fill(225)
      light(seen, 'RED')
      return pixel(seen, 2, 1)[0]
    })
    expect(reds[0]).toBeGreaterThan(240)
    expect(reds.at(-1)).toBeLessThan(240)
  })
})
