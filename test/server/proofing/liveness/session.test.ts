import { describe, expect, test } from 'vitest'
import {
  advanceSession,
  beginChallenge,
  chooseHint,
  getEnd,
  framesToKeep,
  chooseKeyFrames,
  getProgress,
  getPrompt,
  getTrace,
  type ChallengeSequence,
} from '../../../../server/proofing/liveness/session.ts'
import {
  SCREEN_SHINE,
  type LiveFace,
  type LivenessPrompt,
  type ScreenColour,
} from '../../../../server/proofing/liveness/types.ts'
import { LIVENESS_TYPES } from '../../../../server/proofing/types.ts'
import {
  DONE,
  drawOf,
  faceAt,
  LIMITS,
  play,
  replay,
  seeded,
  settingsOf,
  type Moved,
} from './simulated-subject.ts'

const VIDEO = settingsOf('LIVENESS_PASSIVE_VIDEO')
const ACTIVE = settingsOf('LIVENESS_ACTIVE', 'MEDIUM', 3)
const ONE_TURN = settingsOf('LIVENESS_ACTIVE', 'LOW', 1)

describe('who follows the prompts', () => {
  test.each(LIVENESS_TYPES.flatMap((type) => [3, 4, 8, 15, 30].map((rate) => [type, rate] as const)))(
    '%s is complete with a camera of %i pictures a second',
    (type, framesPerSecond) => {
      for (let seed = 1; seed <= 8; seed++) {
        const { challenge, observations } = play(settingsOf(type), { framesPerSecond }, seed)
        expect(getEnd(challenge)).toBe('COMPLETE')
        expect(getPrompt(challenge)).toBeNull()
        expect(getProgress(challenge)).toBe(1)
        expect(getTrace(challenge)).toMatchObject({ jumps: 0, frames: observations.length })
        expect(getTrace(challenge).steps.every(({ outcome }) => outcome === 'MET')).toBe(true)
      }
    },
  )

  test('the steps are told one by one, and each only when it is due', () => {
    const { challenge, prompts } = play(ACTIVE)
    expect(prompts.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(prompts.every(({ of }) => of === 8)).toBe(true)
    expect(getTrace(challenge).steps.map(({ kind }) => kind)).toEqual(prompts.map(({ kind }) => kind))
  })

  test('a slow person is waited for: two and a half seconds until the head moves', () => {
    const { challenge } = play(ACTIVE, { reactionMs: 2500, movementMs: 600 })
    expect(getEnd(challenge)).toBe('COMPLETE')
  })

  test('no more than 24 pictures are held, and the key pictures are among them', () => {
    for (const type of LIVENESS_TYPES) {
      let most = 0
      const settings = settingsOf(type, 'HIGH', 3)
      const { observations, challenge } = play(settings, { framesPerSecond: 15 }, 3)
      let again = beginChallenge(settings, drawOf(seeded(3)), LIMITS)
      for (const seen of observations) {
        again = advanceSession(again, seen, LIMITS)
        most = Math.max(most, framesToKeep(again).size)
      }
      expect(most).toBeLessThanOrEqual(24)
      const keys = chooseKeyFrames(challenge)
      const kept = framesToKeep(challenge)
      for (const sequence of [keys?.reference ?? 0, ...(keys?.targets ?? []), ...(keys?.portraits ?? [])]) {
        expect(kept.has(sequence)).toBe(true)
      }
    }
  })

  test('the reference is straight, every movement has a picture, the portraits are straight and good', () => {
    const { challenge, observations } = play(ACTIVE)
    const seen = (sequence: number): LiveFace => observations[sequence - 1].face ?? faceAt({})
    const keys = chooseKeyFrames(challenge)
    if (keys === null) throw new Error('no key frames')
    expect(Math.abs(seen(keys.reference).leftDeg - 1)).toBeLessThan(2)
    for (const { kind, peak } of getTrace(challenge).steps) {
      if (kind === 'LOOK_STRAIGHT') continue
      const isPeak = (face: LiveFace): boolean =>
        Math.abs(face.leftDeg - 1 - peak.leftDeg) < 6 &&
        Math.abs(face.upDeg + 9 - peak.upDeg) < 6 &&
        Math.abs(face.headWidthPx / 150 - peak.nearer) < 0.3
      expect(keys.targets.some((target) => isPeak(seen(target)))).toBe(true)
    }
    expect(keys.portraits.length).toBeGreaterThanOrEqual(3)
    for (const portrait of keys.portraits) expect(Math.abs(seen(portrait).leftDeg - 1)).toBeLessThan(6)
  })

  test('the approach is measured on four pictures that are near enough for the decision', () => {
    const { challenge, observations } = play(VIDEO)
    const targets = chooseKeyFrames(challenge)?.targets ?? []
    expect(targets).toHaveLength(4)
    const widths = targets.map((sequence) => observations[sequence - 1].face?.headWidthPx ?? 0)
    expect(Math.min(...widths)).toBeGreaterThan(150 * Math.exp(LIMITS.approachAtLeastLog))
  })

  /** Skin that reflects the colour of the screen, with this share of the light, from 140 ms after the prompt on. */
  const reflecting = (
    share: number,
    { isBesideFace = false } = {},
  ): NonNullable<Parameters<typeof play>[1]>['seen'] => {
    let shown: { colour: LivenessPrompt['colour']; sinceMs: number } = { colour: null, sinceMs: 0 }
    return (face, atMs, { colour }) => {
      if (colour !== shown.colour) shown = { colour, sinceMs: atMs }
      const isLate = atMs - shown.sinceMs < 140 || colour === null
      const skin = isLate ? { r: 0, g: 0, b: 0 } : reflect(colour, share)
      return { ...face, skin, forehead: skin, ...(isBesideFace ? { surround: skin } : {}) }
    }
  }
  const reflect = (colour: ScreenColour, share: number) => {
    const [r, g, b] = SCREEN_SHINE[colour].map((shine) => 0.3 * (1 + share * shine))
    return { r, g, b }
  }

  test('colours leave the light of skin and surround, but not of the pictures before the screen has settled', () => {
    const { challenge } = play(settingsOf('LIVENESS_MLC'), { framesPerSecond: 20, seen: reflecting(0.2) })
    const { colours } = getTrace(challenge)
    expect(colours).toHaveLength(4)
    for (const trace of colours) {
      const { r, g, b } = reflect(trace.colour, 0.2)
      for (const [own, expected] of [
        [trace.skin.r, r],
        [trace.skin.g, g],
        [trace.skin.b, b],
      ] as const)
        expect(own).toBeCloseTo(expected)
      expect(trace.frames).toBeGreaterThanOrEqual(LIMITS.course.colourFramesAtLeast)
    }
  })

  test('colours that give no answer are followed once by others, and the progress never goes back', () => {
    const { challenge, prompts, observations } = play(settingsOf('LIVENESS_MLC'), { seen: reflecting(0.005) })
    const { colours, steps, planned, end } = getTrace(challenge)
    expect([end, colours.length, steps.length]).toEqual(['COMPLETE', 8, planned])
    expect(prompts.filter(({ kind }) => kind === 'SHOW_COLOUR')).toHaveLength(8)
    let [again, last] = [beginChallenge(settingsOf('LIVENESS_MLC'), drawOf(seeded(1)), LIMITS), 0]
    for (const seen of observations) {
      again = advanceSession(again, seen, LIMITS)
      expect(getProgress(again)).toBeGreaterThanOrEqual(last)
      last = getProgress(again)
    }
    expect(last).toBe(1)
  })

  test('light beside the face is looked at again with four other colours, because a lamp may have changed', () => {
    const { challenge } = play(settingsOf('LIVENESS_MLC'), { seen: reflecting(0.2, { isBesideFace: true }) })
    expect(getTrace(challenge).colours).toHaveLength(8)
  })

  test('a head that goes back before the colours is told to come closer, and no colour counts meanwhile', () => {
    const { challenge, observations } = play(settingsOf('LIVENESS_MLC'), {
      does: ({ kind }) => (kind === 'SHOW_COLOUR' ? {} : DONE[kind]),
    })
    expect(getTrace(challenge)).toMatchObject({ end: 'TIMED_OUT', colours: [] })
    const waiting = observations
      .slice(0, -1)
      .reduce(
        (before, seen) => advanceSession(before, seen, LIMITS),
        beginChallenge(settingsOf('LIVENESS_MLC'), drawOf(seeded(1)), LIMITS),
      )
    expect(getPrompt(waiting)).toMatchObject({ kind: 'SHOW_COLOUR' })
    expect(chooseHint(waiting, observations.at(-2) ?? observations[0])).toBe('COME_CLOSER')
  })
})

/** A session whose first straight view is done, waiting for its first movement. */
function asked(
  settings = ONE_TURN,
  seed = 1,
): { challenge: ChallengeSequence; atMs: number; prompt: LivenessPrompt } {
  let challenge = beginChallenge(settings, drawOf(seeded(seed)), LIMITS)
  for (let sequence = 1; sequence < 100; sequence++) {
    const atMs = sequence * 100
    challenge = advanceSession(challenge, { sequence, atMs, face: faceAt({}) }, LIMITS)
    const prompt = getPrompt(challenge)
    if (prompt && prompt.index === 2) return { challenge, atMs, prompt }
  }
  throw new Error('never asked')
}

/** Shows a face every 100 ms for so long. */
function show(
  challenge: ChallengeSequence,
  fromMs: number,
  forMs: number,
  moved: Moved | null,
): ChallengeSequence {
  let shown = challenge
  for (let atMs = fromMs + 100; atMs <= fromMs + forMs; atMs += 100) {
    shown = advanceSession(shown, { sequence: atMs / 100, atMs, face: moved && faceAt(moved) }, LIMITS)
  }
  return shown
}

const scaled = ({ left = 0, up = 0 }: Moved, share: number): Moved => ({ left: left * share, up: up * share })
const reversed = (moved: Moved): Moved => scaled(moved, -1)

describe('the first straight view', () => {
  const begun = (): ChallengeSequence => beginChallenge(VIDEO, drawOf(seeded(1)), LIMITS)

  test.each([
    ['too far', faceAt({}, { widthShare: 0.08 }), 'COME_CLOSER'],
    ['too near for an approach', faceAt({}, { widthShare: 0.45 }), 'MOVE_BACK'],
    ['at the edge', faceAt({}, { centre: { x: 0.9, y: 0.5 } }), 'CENTRE_FACE'],
    ['turned away', faceAt({ left: 20 }), 'LOOK_STRAIGHT'],
    ['bent aside', faceAt({}, { rollDeg: 30 }), 'HOLD_HEAD_UPRIGHT'],
  ] as const)('%s: nothing is asked, and the screen says what helps', (_, face, hint) => {
    let challenge = begun()
    for (let sequence = 1; sequence <= 100; sequence++) {
      challenge = advanceSession(challenge, { sequence, atMs: sequence * 100, face }, LIMITS)
      expect(getPrompt(challenge)).toMatchObject({ kind: 'LOOK_STRAIGHT', index: 1 })
    }
    expect(chooseHint(challenge, { sequence: 101, atMs: 10_100, face })).toBe(hint)
    expect(chooseKeyFrames(challenge)).toBeNull()
  })

  test('a picture of bad quality does not count, nor a head that moves', () => {
    let challenge = begun()
    for (let sequence = 1; sequence <= 100; sequence++) {
      const left = sequence % 2 === 0 ? 6 : -6
      const face = sequence < 50 ? faceAt({}, { isGood: false }) : faceAt({ left })
      challenge = advanceSession(challenge, { sequence, atMs: sequence * 100, face }, LIMITS)
    }
    expect(getPrompt(challenge)).toMatchObject({ index: 1 })
  })

  test('a head that rests turned a little is its own measure', () => {
    const { challenge } = play(ACTIVE, {
      seen: (face) => ({ ...face, leftDeg: face.leftDeg + 8, upDeg: face.upDeg + 12 }),
    })
    expect(getEnd(challenge)).toBe('COMPLETE')
  })

  test('times out without a subject', () => {
    const challenge = show(begun(), 0, LIMITS.course.firstStraightWithinMs + 200, null)
    expect(getEnd(challenge)).toBe('TIMED_OUT')
    expect(getTrace(challenge)).toMatchObject({ end: 'TIMED_OUT', steps: [{ outcome: 'MISSED' }] })
  })
})

describe('a movement', () => {
  test('is enough from 12 degrees to a side on, and not before', () => {
    const { challenge, atMs, prompt } = asked()
    const enough = DONE[prompt.kind]
    const just = show(show(challenge, atMs, 600, {}), atMs + 600, 1500, scaled(enough, 12.5 / 26))
    expect(getEnd(just)).toBe('COMPLETE')
    const short = show(show(challenge, atMs, 600, {}), atMs + 600, 1500, scaled(enough, 11.5 / 26))
    expect(getPrompt(short)).toMatchObject({ index: 2, isHolding: false })
  })

  test('must be held for the drawn time: leaving early restarts the hold', () => {
    const { challenge, atMs, prompt } = asked()
    const enough = DONE[prompt.kind]
    let held = show(show(challenge, atMs, 600, {}), atMs + 600, 300, enough)
    expect(getPrompt(held)).toMatchObject({ isHolding: true })
    expect(chooseHint(held, { sequence: 1, atMs, face: faceAt(enough) })).toBe('HOLD_STILL')
    held = show(held, atMs + 900, 200, scaled(enough, 0.3))
    expect(getPrompt(held)).toMatchObject({ isHolding: false, attempt: 1 })
    held = show(held, atMs + 1100, 300, enough)
    expect(getEnd(held)).toBeNull()
    expect(getEnd(show(held, atMs + 1400, 900, enough))).toBe('COMPLETE')
  })

  test('that comes before a subject can have seen the prompt fails as anticipated', () => {
    const { challenge, atMs, prompt } = asked()
    const early = show(challenge, atMs, 100, DONE[prompt.kind])
    expect(getEnd(early)).toBe('FAILED')
    expect(getTrace(early).steps.at(-1)).toMatchObject({ outcome: 'ANTICIPATED' })
  })

  test('in another direction begins again from the start in another order, once', () => {
    const { challenge, atMs, prompt } = asked()
    const wrong = reversed(DONE[prompt.kind])
    const again = show(challenge, atMs + 600, 300, wrong)
    expect(getPrompt(again)).toMatchObject({ kind: 'LOOK_STRAIGHT', index: 1, attempt: 2 })
    const straight = show(again, atMs + 900, 2000, {})
    const second = getPrompt(straight)
    expect(second).toMatchObject({ index: 2, attempt: 2 })
    const failed = show(straight, atMs + 2900, 1200, reversed(DONE[second?.kind ?? 'LOOK_STRAIGHT']))
    expect(getEnd(failed)).toBe('FAILED')
    expect(getTrace(failed).steps.at(-1)).toMatchObject({ outcome: 'WRONG_DIRECTION', attempts: 2 })
    const right = show(straight, atMs + 2900, 2000, DONE[second?.kind ?? 'LOOK_STRAIGHT'])
    expect(getEnd(right)).toBe('COMPLETE')
  })

  test('in another direction ends a session of the highest security at once', () => {
    const { challenge, atMs, prompt } = asked(settingsOf('LIVENESS_ACTIVE', 'HIGH', 1), 2)
    const wrong = prompt.kind === 'COME_CLOSER' ? { left: 30 } : reversed(DONE[prompt.kind])
    expect(getEnd(show(challenge, atMs + 600, 300, wrong))).toBe('FAILED')
  })

  test('in a single picture is no other direction: a mesh can err', () => {
    const { challenge, atMs, prompt } = asked()
    const once = show(challenge, atMs + 600, 100, reversed(DONE[prompt.kind]))
    expect(getPrompt(show(once, atMs + 700, 100, {}))).toMatchObject({ index: 2, attempt: 1 })
  })

  test('that does not begin is asked once more, then the session ends for want of time', () => {
    const { challenge, atMs } = asked()
    const again = show(challenge, atMs, LIMITS.course.onsetAtMostMs + 1000, {})
    expect(getPrompt(again)).toMatchObject({ index: 2, attempt: 2 })
    const ended = show(again, atMs + LIMITS.course.onsetAtMostMs + 1000, 10_000, {})
    expect(getEnd(ended)).toBe('TIMED_OUT')
    expect(getTrace(ended).steps.at(-1)).toMatchObject({ outcome: 'MISSED', attempts: 2, onsetAtMs: null })
  })

  test('that began as it was asked begins again from the start: a head may drift, and a recording may run ahead', () => {
    const { challenge, atMs, prompt } = asked()
    const drifting = show(challenge, atMs, 300, scaled(DONE[prompt.kind], 0.3))
    const again = show(drifting, atMs + 300, 100, DONE[prompt.kind])
    expect(getPrompt(again)).toMatchObject({ kind: 'LOOK_STRAIGHT', index: 1, attempt: 2 })
  })

  test('is not begun by a head that drifts in another direction', () => {
    const { challenge, atMs, prompt } = asked()
    const aside = DONE[prompt.kind].up === undefined ? { up: 7 } : { left: 7 }
    const drifted = show(challenge, atMs, 600, aside)
    const met = show(drifted, atMs + 600, 1500, { ...aside, ...DONE[prompt.kind] })
    expect(getEnd(met)).toBe('COMPLETE')
    expect(getTrace(met).steps[1].onsetAtMs).toBe(atMs + 700)
  })

  test('begins where the head left its place, not where it arrived', () => {
    const { challenge, atMs, prompt } = asked()
    const enough = DONE[prompt.kind]
    let moved = show(challenge, atMs, 700, {})
    moved = show(moved, atMs + 700, 300, scaled(enough, 0.3))
    moved = show(moved, atMs + 1000, 1500, enough)
    expect(getEnd(moved)).toBe('COMPLETE')
    expect(getTrace(moved).steps[1].onsetAtMs).toBe(atMs + 800)
  })
})

describe('back to the straight view', () => {
  const THREE = settingsOf('LIVENESS_ACTIVE', 'LOW', 3)
  const afterFirst = (backTo: Moved, forMs = 1200): { challenge: ChallengeSequence; atMs: number } => {
    const { challenge, atMs, prompt } = asked(THREE)
    const moved = show(show(challenge, atMs, 600, {}), atMs + 600, 1200, DONE[prompt.kind])
    expect(getPrompt(moved)).toMatchObject({ kind: 'LOOK_STRAIGHT', index: 3 })
    return { challenge: show(moved, atMs + 1800, forMs, backTo), atMs: atMs + 1800 + forMs }
  }

  test('the next movement is asked once the head is back and calm', () => {
    expect(getPrompt(afterFirst({}).challenge)).toMatchObject({ index: 4 })
    expect(getPrompt(afterFirst({ up: 5 }).challenge)).toMatchObject({ index: 4 })
  })

  test('a head that settles eight degrees aside is waited for longer, and that is where it rests from now on', () => {
    const { challenge, atMs } = afterFirst({ up: 8 }, 900)
    expect(getPrompt(challenge)).toMatchObject({ index: 3 })
    const settled = show(challenge, atMs, 1000, { up: 8 })
    expect(getPrompt(settled)).toMatchObject({ index: 4 })
    expect(settled.restingPose?.upDeg).toBeCloseTo(-1)
  })

  test('a head that stays turned is waited for until the time is up', () => {
    const { challenge, atMs } = afterFirst({ left: 15 })
    expect(getEnd(show(challenge, atMs, LIMITS.course.returnWithinMs, { left: 15 }))).toBe('TIMED_OUT')
  })
})

describe('a face out of sight', () => {
  test('for a moment is forgiven, even while a movement is held', () => {
    const { challenge, atMs, prompt } = asked()
    let seen = show(challenge, atMs + 600, 300, DONE[prompt.kind])
    seen = show(seen, atMs + 900, 300, null)
    seen = show(seen, atMs + 1200, 700, DONE[prompt.kind])
    expect(getEnd(seen)).toBe('COMPLETE')
    expect(getTrace(seen).framesWithoutFace).toBe(3)
  })

  test('for longer is asked back, and then the movement once more', () => {
    const { challenge, atMs, prompt } = asked()
    let seen = show(challenge, atMs + 600, 100, scaled(DONE[prompt.kind], 0.5))
    seen = show(seen, atMs + 700, 1000, null)
    expect(getPrompt(seen)).toMatchObject({ kind: 'LOOK_STRAIGHT', attempt: 2 })
    seen = show(seen, atMs + 1700, 1000, {})
    expect(getPrompt(seen)).toMatchObject({ kind: prompt.kind, attempt: 2 })
    expect(getEnd(show(seen, atMs + 3000, 2000, DONE[prompt.kind]))).toBe('COMPLETE')
  })

  test('for long ends the session for want of time', () => {
    const { challenge, atMs } = asked()
    expect(getEnd(show(challenge, atMs, LIMITS.course.faceLostAtMostMs + 200, null))).toBe('TIMED_OUT')
  })

  test('again and again ends it too', () => {
    const { challenge, atMs } = asked()
    let [seen, now] = [challenge, atMs]
    for (let time = 0; time < 4; time++) {
      seen = show(seen, now, 1000, null)
      seen = show(seen, now + 1000, 2000, {})
      now += 3000
    }
    expect(getEnd(seen)).toBe('TIMED_OUT')
  })
})

describe('a cut', () => {
  const jumpsOf = (moved: LiveFace): number => {
    const { challenge, atMs } = asked()
    return getTrace(advanceSession(challenge, { sequence: 99, atMs: atMs + 125, face: moved }, LIMITS)).jumps
  }

  test('shows as a face elsewhere, turned at once, or suddenly near', () => {
    expect(jumpsOf(faceAt({}, { centre: { x: 0.9, y: 0.5 } }))).toBe(1)
    expect(jumpsOf(faceAt({ left: 70 }))).toBe(1)
    expect(jumpsOf(faceAt({ nearer: 1.8 }))).toBe(1)
  })

  test('is not what a quick head does', () => {
    expect(jumpsOf(faceAt({ left: 25 }, { centre: { x: 0.56, y: 0.52 } }))).toBe(0)
    expect(jumpsOf(faceAt({ nearer: 1.2 }))).toBe(0)
  })
})

describe('a recording', () => {
  // @clause NIST-63A-4/3.14-cues
  test('of another order does not complete a session', () => {
    let tried = 0
    for (let seed = 1; seed <= 60; seed++) {
      const recorded = play(ACTIVE, {}, seed)
      const other = beginChallenge(ACTIVE, drawOf(seeded(seed + 1000)), LIMITS)
      const order = (challenge: ChallengeSequence): string => challenge.plan.map(({ kind }) => kind).join(' ')
      if (order(other) === order(recorded.challenge)) continue
      tried++
      const end = getEnd(replay(recorded.observations, other))
      expect(end === 'COMPLETE').toBe(false)
    }
    expect(tried).toBeGreaterThan(50)
  })

  test('that runs on to its end and then stands still ends FAILED or TIMED_OUT', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { observations } = play(ACTIVE, {}, seed)
      const last = observations.at(-1)
      const still = Array.from({ length: 500 }, (_, i) => ({
        sequence: observations.length + i + 1,
        atMs: (last?.atMs ?? 0) + (i + 1) * 125,
        face: last?.face ?? null,
      }))
      const other = beginChallenge(ACTIVE, drawOf(seeded(seed + 5000)), LIMITS)
      if (
        other.plan.map(({ kind }) => kind).join() ===
        play(ACTIVE, {}, seed)
          .prompts.map(({ kind }) => kind)
          .join()
      )
        continue
      expect(['FAILED', 'TIMED_OUT']).toContain(getEnd(replay([...observations, ...still], other)))
    }
  })

  test('of one still picture shows no movement and times out', () => {
    const { challenge } = play(VIDEO, { does: () => ({}) })
    expect(getEnd(challenge)).toBe('TIMED_OUT')
  })
})
