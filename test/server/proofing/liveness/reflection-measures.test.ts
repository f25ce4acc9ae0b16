/** Tests what the colour challenge measures, to the digit, and where its rule turns: light made from logarithms of known size. */
import { describe, expect, test } from 'vitest'
import {
  judgeReflection,
  REFLECTION_LIMITS,
  type Reflection,
  type ReflectionLimits,
  type ReflectionReason,
} from '../../../../server/proofing/liveness/reflection.ts'
import {
  SCREEN_SHINE,
  type ColourTrace,
  type Light,
  type ScreenColour,
} from '../../../../server/proofing/liveness/types.ts'

const LIMITS: ReflectionLimits = {
  leastColours: 3,
  leastStrength: 0.1,
  leastScore: 0.75,
  failBelowScore: 0.3,
  failFromVariation: 0.05,
  mostBesideShare: 0.5,
  leastEvenness: 0.5,
}
const DRAWN: readonly ScreenColour[] = ['RED', 'CYAN', 'GREEN', 'MAGENTA']
/** Changes of colour that have nothing to do with the drawn ones, of the same size. */
const ODD = 1 / Math.sqrt(3)

interface Shown {
  /** Shares of the screen's light on the skin and beside it. */
  readonly onSkin?: number
  readonly beside?: number
  /** Other light on the skin. */
  readonly odd?: number
  readonly drawn?: readonly ScreenColour[]
  /** Brighter from colour to colour, all three alike. */
  readonly brighter?: number
}

function traces({ onSkin = 0, beside = 0, odd = 0, drawn = DRAWN, brighter = 0 }: Shown): ColourTrace[] {
  return drawn.map((colour, i): ColourTrace => {
    const other = i < 2 ? odd * ODD : -odd * ODD
    const light = (base: number, share: number, more: number): Light => {
      const [r, g, b] = SCREEN_SHINE[colour].map((shine) => share * shine + brighter * i)
      return { r: base * Math.exp(r + more), g: 0.9 * base * Math.exp(g - more), b: base * Math.exp(b) }
    }
    return { colour, skin: light(0.3, onSkin, other), surround: light(0.5, beside, 0), frames: 3 }
  })
}
const judged = (shown: Shown, limits: Partial<ReflectionLimits> = {}): Reflection =>
  judgeReflection(traces(shown), { ...LIMITS, ...limits })

test('what moves beside a swaying head changes neither score nor strength if the edges of the picture were seen', () => {
  const still = traces({ onSkin: 0.2 })
  const swaying = still.map((trace, i) => ({ ...trace, surround: { r: 0.5, g: 0.4 + 0.1 * i, b: 0.5 } }))
  const withEdges = swaying.map((trace, i) => ({ ...trace, edges: still[i].surround }))
  const { score, strength } = judgeReflection(still, LIMITS)
  expect(judgeReflection(withEdges, LIMITS)).toMatchObject({ score, strength, outcome: 'passed' })
  expect(judgeReflection(swaying, LIMITS).outcome).not.toBe('passed')
  const once = withEdges.map((trace, i) => (i === 1 ? { ...trace, edges: null } : trace))
  expect(judgeReflection(once, LIMITS)).toEqual(judgeReflection(swaying, LIMITS))
})

test('light on the forehead alone, or on the cheeks alone, is a gleam and no proof', () => {
  const bright = traces({ onSkin: 0.3 })
  const dark = traces({ onSkin: 0.05 })
  const share = (forehead: readonly ColourTrace[], skin: readonly ColourTrace[]) =>
    judgeReflection(
      skin.map((trace, i) => ({ ...trace, forehead: forehead[i].skin })),
      LIMITS,
    )
  expect(share(bright, bright)).toMatchObject({ outcome: 'passed', evenness: expect.closeTo(1) as number })
  // Cheeks: (3 × 0.3 − 0.05) / 2 = 0.425.
  expect(share(dark, bright)).toMatchObject({
    outcome: 'failed',
    reason: 'REFLECTION_UNEVEN',
    evenness: expect.closeTo(0.05 / 0.425) as number,
  })
  expect(share(traces({ onSkin: 0.5 }), traces({ onSkin: 0.2 }))).toMatchObject({
    reason: 'REFLECTION_UNEVEN',
  })
  expect(judgeReflection(bright, LIMITS)).toMatchObject({ outcome: 'passed', evenness: null })
})

test('a forehead below hair or a hat leaves the light undetermined: no proof, and no attack', () => {
  const bright = traces({ onSkin: 0.3 })
  const hidden = bright.map((trace, i) => ({ ...trace, forehead: i === 2 ? null : trace.skin }))
  expect(judgeReflection(hidden, LIMITS)).toMatchObject({
    outcome: 'inconclusive',
    reason: 'REFLECTION_NOT_SEEN',
    evenness: null,
  })
})

describe('what is measured', () => {
  test.each<[string, Shown, readonly [score: number, strength: number, besideShare: number | null]]>([
    ['light on the skin alone', { onSkin: 0.3 }, [1, 0.3, 0]],
    ['light beside it, too', { onSkin: 0.4, beside: 0.1 }, [1, 0.3, 0.25]],
    ['more light beside it', { onSkin: 0.2, beside: 0.3 }, [-1, -0.1, 1.5]],
    ['light beside it alone', { beside: 0.3 }, [-1, -0.3, null]],
    ['less light on the skin than without the screen', { onSkin: -0.2 }, [-1, -0.2, null]],
    ['less light beside it', { onSkin: 0.2, beside: -0.2 }, [1, 0.4, 0]],
    ['as much other light', { onSkin: 0.3, odd: 0.3 }, [Math.SQRT1_2, 0.3, 0]],
    ['more other light', { onSkin: 0.3, odd: 0.4 }, [0.6, 0.3, 0]],
    ['a camera that grows brighter', { onSkin: 0.3, odd: 0.4, brighter: 0.2 }, [0.6, 0.3, 0]],
    ['three colours of unequal weight', { onSkin: 0.3, drawn: ['RED', 'CYAN', 'GREEN'] }, [1, 0.3, 0]],
  ])('%s', (_, shown, [score, strength, besideShare]) => {
    const found = judged(shown)
    expect(found.score).toBeCloseTo(score, 8)
    expect(found.strength).toBeCloseTo(strength, 8)
    if (besideShare === null) expect(found.besideShare).toBeNull()
    else expect(found.besideShare).toBeCloseTo(besideShare, 8)
  })

  test('no light at all follows nothing', () => {
    const still = DRAWN.map((colour): ColourTrace => {
      const light = { r: 1, g: 1, b: 1 }
      return { colour, skin: light, surround: light, frames: 1 }
    })
    expect(judgeReflection(still, LIMITS)).toEqual({
      outcome: 'inconclusive',
      reason: 'REFLECTION_TOO_WEAK',
      score: 0,
      strength: 0,
      besideShare: null,
      evenness: null,
    })
  })
})

describe('what is said of it', () => {
  test.each<[string, Shown, ReflectionReason | null, Reflection['outcome']]>([
    ['enough light that follows', { onSkin: 0.3 }, null, 'passed'],
    ['just enough', { onSkin: 0.101 }, null, 'passed'],
    ['just too little, which still changes colour', { onSkin: 0.099 }, 'REFLECTION_UNSURE', 'inconclusive'],
    ['too little to change colour', { onSkin: 0.06 }, 'REFLECTION_TOO_WEAK', 'inconclusive'],
    ['just what changes colour', { onSkin: 0.062 }, 'REFLECTION_UNSURE', 'inconclusive'],
    // White balance that shifts skin and wall alike: half of the least strength is left on the skin.
    ['a skin that shows just half of it', { onSkin: 0.051, beside: -0.06 }, null, 'passed'],
    ['a skin that shows less', { onSkin: 0.049, beside: -0.06 }, 'REFLECTION_UNSURE', 'inconclusive'],
    ['light that follows just enough', { onSkin: 0.3, odd: 0.26 }, null, 'passed'],
    ['light that follows a little less', { onSkin: 0.3, odd: 0.27 }, 'REFLECTION_UNSURE', 'inconclusive'],
    ['light that hardly follows', { onSkin: 0.3, odd: 0.94 }, 'REFLECTION_UNSURE', 'inconclusive'],
    ['light that follows something else', { onSkin: 0.3, odd: 0.97 }, 'REFLECTION_OTHER_COLOURS', 'failed'],
    ['other light alone', { odd: 0.3 }, 'REFLECTION_OTHER_COLOURS', 'failed'],
    ['other light too weak to be told from noise', { odd: 0.06 }, 'REFLECTION_TOO_WEAK', 'inconclusive'],
    ['light beside the face, just not too much', { onSkin: 0.3, beside: 0.149 }, null, 'passed'],
    ['just too much', { onSkin: 0.3, beside: 0.151 }, 'REFLECTION_BESIDE_FACE', 'failed'],
    ['as much as on it', { onSkin: 0.3, beside: 0.3 }, 'REFLECTION_BESIDE_FACE', 'failed'],
    [
      'too much, where it is just enough on the face',
      { onSkin: 0.101, beside: 0.07 },
      'REFLECTION_BESIDE_FACE',
      'failed',
    ],
    [
      'too much, but too little on the face',
      { onSkin: 0.099, beside: 0.07 },
      'REFLECTION_TOO_WEAK',
      'inconclusive',
    ],
  ])('%s', (_, shown, reason, outcome) => {
    expect(judged(shown)).toMatchObject({ reason, outcome })
  })
})

describe('the limits themselves still pass', () => {
  /** Found first, then held as a limit: exactly reached. */
  const exact = judged({ onSkin: 0.3, beside: 0.1, odd: 0.1 })

  test('score, strength and the share beside the face', () => {
    const shown = { onSkin: 0.3, beside: 0.1, odd: 0.1 }
    const { score, strength, besideShare } = exact
    expect(judged(shown, { leastScore: score ?? 0 }).reason).toBeNull()
    expect(judged(shown, { leastStrength: strength ?? 0 }).reason).toBeNull()
    expect(judged(shown, { mostBesideShare: besideShare ?? 0 }).reason).toBeNull()
    expect(judged(shown, { leastScore: 1, failBelowScore: score ?? 0 }).reason).toBe('REFLECTION_UNSURE')
  })
})

test('eight colours show a light that is weaker by the root of two, because their noise is smaller', () => {
  const eight: readonly ScreenColour[] = [...DRAWN, ...DRAWN]
  expect(judged({ onSkin: 0.08 }).reason).not.toBeNull()
  expect(judged({ onSkin: 0.08, drawn: eight }).reason).toBeNull()
  expect(judged({ onSkin: 0.06, drawn: eight }).reason).not.toBeNull()
})

describe('what was not seen', () => {
  const whole = traces({ onSkin: 0.3 })
  const unseen: Reflection = {
    outcome: 'inconclusive',
    reason: 'REFLECTION_NOT_SEEN',
    score: null,
    strength: null,
    besideShare: null,
    evenness: null,
  }
  const lit = (trace: ColourTrace, over: Partial<Light>): ColourTrace => ({
    ...trace,
    skin: { ...trace.skin, ...over },
  })
  const walled = (trace: ColourTrace, over: Partial<Light>): ColourTrace => ({
    ...trace,
    surround: trace.surround && { ...trace.surround, ...over },
  })

  test.each<[string, (trace: ColourTrace) => ColourTrace]>([
    ['no picture of it', (trace) => ({ ...trace, frames: 0 })],
    ['nothing beside the face', (trace) => ({ ...trace, surround: null })],
    ['no red on the skin', (trace) => lit(trace, { r: 0 })],
    ['no green on the skin', (trace) => lit(trace, { g: 0 })],
    ['no blue on the skin', (trace) => lit(trace, { b: -1 })],
    ['a broken number on the skin', (trace) => lit(trace, { b: NaN })],
    ['light without end on the skin', (trace) => lit(trace, { g: Infinity })],
    ['no red beside it', (trace) => walled(trace, { r: 0 })],
    ['light without end beside it', (trace) => walled(trace, { b: Infinity })],
  ])('%s: that colour counts for nothing, the others continue', (_, spoil) => {
    const [first, ...others] = whole
    expect(judgeReflection([spoil(first), ...others], LIMITS)).toEqual(judgeReflection(others, LIMITS))
    expect(judgeReflection([spoil(first), ...others], { ...LIMITS, leastColours: 4 })).toEqual(unseen)
  })

  test('as few colours as the limit are enough, and never fewer than two', () => {
    expect(judgeReflection(whole.slice(0, 3), LIMITS).outcome).toBe('passed')
    expect(judgeReflection(whole.slice(0, 2), LIMITS)).toEqual(unseen)
    expect(judgeReflection(whole.slice(0, 2), { ...LIMITS, leastColours: 0 }).outcome).toBe('passed')
    expect(judgeReflection(whole.slice(0, 1), { ...LIMITS, leastColours: 0 })).toEqual(unseen)
  })

  test('one colour all the time changes nothing that could be followed', () => {
    const same = whole.map((trace): ColourTrace => ({ ...trace, colour: 'RED' }))
    expect(judgeReflection(same, LIMITS)).toEqual(unseen)
  })
})

test('the limits have names of their own', () => {
  expect([...REFLECTION_LIMITS].sort()).toEqual(Object.keys(LIMITS).sort())
})
