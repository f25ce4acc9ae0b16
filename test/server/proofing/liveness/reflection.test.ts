/** The colour challenge's rule, on light that is computed: skin and wall under a room's light and a screen's. */
import { describe, expect, test } from 'vitest'
import { judgeReflection } from '../../../../server/proofing/liveness/reflection.ts'
import {
  SHINE_OF_SET,
  type ColourSet,
  type ColourTrace,
  type Light,
  type ScreenColour,
} from '../../../../server/proofing/liveness/types.ts'
import { loadLivenessLimits } from '../../../../server/verification/liveness-limits.ts'

const limits = loadLivenessLimits().reflection
const DRAWN: readonly ScreenColour[] = ['RED', 'CYAN', 'GREEN', 'MAGENTA']
const LIGHT_SKIN = [0.6, 0.42, 0.33] as const
const WALL = [0.5, 0.52, 0.48] as const

interface Seen {
  readonly skin?: readonly [number, number, number]
  /** Light of the screen on the face and beside it, as shares of the room's light. */
  readonly onFace?: number
  readonly beside?: number
  /** The actual light if it differs from the drawn colours. */
  readonly shining?: readonly (ScreenColour | null)[]
  /** The painted colour for each name. */
  readonly painted?: ColourSet
  /** Gains of the camera, colour by colour of the sequence. */
  readonly gains?: readonly (readonly [number, number, number])[]
}

function session({
  skin = LIGHT_SKIN,
  onFace = 0.2,
  beside = 0.01,
  shining = DRAWN,
  painted = 'FULL',
  gains = [],
}: Seen): ColourTrace[] {
  const lit = (albedo: readonly number[], share: number, i: number): Light => {
    const shone = shining[i]
    const [r, g, b] = albedo.map(
      (value, k) =>
        value * (1 + (shone ? share * SHINE_OF_SET[painted][shone][k] : 0)) * (gains[i]?.[k] ?? 1),
    )
    return { r, g, b }
  }
  return DRAWN.map((colour, i) => ({
    colour,
    skin: lit(skin, onFace, i),
    surround: lit(WALL, beside, i),
    frames: 4,
  }))
}

describe('colours that come back from the skin', () => {
  test.each([
    ['light', LIGHT_SKIN],
    ['dark', [0.08, 0.045, 0.03] as const],
  ])('pass on %s skin alike', (_, skin) => {
    expect(judgeReflection(session({ skin }), limits)).toMatchObject({ outcome: 'passed', reason: null })
  })

  test('are as strong on dark skin as on light skin', () => {
    const [dark, light] = [[0.08, 0.045, 0.03] as const, LIGHT_SKIN].map((skin) =>
      judgeReflection(session({ skin }), limits),
    )
    expect(dark.strength).toBeCloseTo(light.strength ?? 0, 6)
  })

  test('pass under a camera whose white balance works against them', () => {
    const gains = [
      [0.95, 1.02, 1.02],
      [0.92, 1.05, 1.03],
      [1.02, 0.96, 1.02],
      [1, 0.97, 1],
    ] as const
    expect(judgeReflection(session({ gains }), limits).outcome).toBe('passed')
  })
})

describe('colours that do not', () => {
  test('are no proof and no attack in a room that is brighter than the screen', () => {
    expect(judgeReflection(session({ onFace: 0.01, beside: 0.001 }), limits)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'REFLECTION_TOO_WEAK',
    })
  })

  test('are a recording where other colours than those drawn shine', () => {
    const shining = ['GREEN', 'RED', 'BLUE', 'YELLOW'] as const
    expect(judgeReflection(session({ shining }), limits)).toMatchObject({
      outcome: 'failed',
      reason: 'REFLECTION_OTHER_COLOURS',
    })
  })

  test('prove nothing where nothing shines, as in a video that is fed in', () => {
    const shining = [null, null, null, null]
    expect(judgeReflection(session({ shining }), limits).outcome).toBe('inconclusive')
  })

  test('are a sheet where they shine as strongly beside the face as on it', () => {
    expect(judgeReflection(session({ beside: 0.16 }), limits)).toMatchObject({
      outcome: 'failed',
      reason: 'REFLECTION_BESIDE_FACE',
    })
  })

  test('are not told from the camera’s own changes: where those alone change colours, nothing passes', () => {
    const gains = DRAWN.map(
      (colour) => SHINE_OF_SET.FULL[colour].map((value) => 1 + 0.2 * value) as [number, number, number],
    )
    const shining = [null, null, null, null]
    expect(judgeReflection(session({ shining, gains }), limits).outcome).not.toBe('passed')
  })
})

test('too few colours, no surround, black and broken light are inconclusive', () => {
  const whole = session({})
  const cases: readonly (readonly ColourTrace[])[] = [
    [],
    whole.slice(0, 2),
    whole.map((trace) => ({ ...trace, surround: null })),
    whole.map((trace) => ({ ...trace, skin: { r: 0, g: 0, b: 0 } })),
    whole.map((trace) => ({ ...trace, skin: { r: NaN, g: 1, b: 1 } })),
    whole.map((trace) => ({ ...trace, frames: 0 })),
    // One colour all the time changes nothing that could be followed.
    whole.map((trace) => ({ ...trace, colour: 'RED' as const })),
  ]
  for (const colours of cases)
    expect(judgeReflection(colours, limits)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'REFLECTION_NOT_SEEN',
    })
})

describe('calm colours', () => {
  test('come back from the skin as strong as they were painted', () => {
    const [calm, full] = (['CALM', 'FULL'] as const).map((painted) =>
      judgeReflection(session({ painted, onFace: 0.1, beside: 0 }), limits, painted),
    )
    expect(calm).toMatchObject({ outcome: 'passed', reason: null })
    expect(calm.score).toBeGreaterThan(0.99)
    expect(calm.strength).toBeCloseTo(full.strength ?? 0, 2)
  })

  test('in another order are another order', () => {
    const shining = ['CYAN', 'RED', 'MAGENTA', 'GREEN'] as const
    const seen = session({ painted: 'CALM', onFace: 0.4, shining })
    expect(judgeReflection(seen, limits, 'CALM')).toMatchObject({
      outcome: 'failed',
      reason: 'REFLECTION_OTHER_COLOURS',
    })
  })

  test('do not pass a flat sheet that shows the drawn colours', () => {
    const seen = session({ painted: 'CALM', onFace: 0.3, beside: 0.3 })
    expect(judgeReflection(seen, limits, 'CALM').outcome).not.toBe('passed')
  })
})
