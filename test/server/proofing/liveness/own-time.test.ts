/** Tests that the appliance's own processing time does not count against the applicant and weakens no requirement. */
import { describe, expect, test } from 'vitest'
import {
  advanceSession,
  beginChallenge,
  getEnd,
  getPrompt,
  getTrace,
  type ChallengeSequence,
} from '../../../../server/proofing/liveness/session.ts'
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

const L = LIMITS.course
const ONE_TURN = settingsOf('LIVENESS_ACTIVE', 'LOW', 1)
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]

describe('an appliance that is busy', () => {
  test.each(LIVENESS_TYPES.flatMap((type) => [200, 800, 1500].map((lookMs) => [type, lookMs] as const)))(
    'completes %s with a subject who follows the prompts, though it measures each picture for %i ms',
    (type, lookMs) => {
      for (const seed of SEEDS) {
        const { challenge, observations } = play(settingsOf(type), { lookMs }, seed)
        expect(getEnd(challenge)).toBe('COMPLETE')
        expect(getTrace(challenge)).toMatchObject({ jumps: 0, frames: observations.length })
        expect(getTrace(challenge).steps.every(({ attempts }) => attempts === 1)).toBe(true)
      }
    },
  )

  test('held the same pictures against the person before its own time was told', () => {
    const { observations } = play(ONE_TURN, { lookMs: 800 })
    const untold = observations.map((seen) => ({ ...seen, ownMs: 0 }))
    const challenge = beginChallenge(ONE_TURN, drawOf(seeded(1)), LIMITS)
    expect(getEnd(replay(observations, challenge))).toBe('COMPLETE')
    expect(getEnd(replay(untold, challenge))).not.toBe('COMPLETE')
  })

  test('that measures nothing for longer than allowed passes no subject', () => {
    for (const seed of SEEDS)
      expect(getEnd(play(ONE_TURN, { lookMs: L.unseenAtMostMs + 1 }, seed).challenge)).not.toBe('COMPLETE')
  })

  test('that stops once, however long, prompts again and fails no subject', () => {
    const asked = askedToTurn()
    const atMs = asked.seen.lastAtMs + 6000
    const again = advanceSession(asked, { sequence: 99, atMs, ownMs: 5900, face: faceAt({}) }, LIMITS)
    expect(getPrompt(again)).toMatchObject({ kind: 'LOOK_STRAIGHT', attempt: 2 })
    const unseen = advanceSession(asked, { sequence: 99, atMs, ownMs: 5900, face: null }, LIMITS)
    expect(getEnd(unseen)).toBeNull()
  })
})

describe('a prompt', () => {
  const LOOK_MS = 1500

  test('counts from the answer that shows it: a movement before that was not prompted', () => {
    const asked = askedToTurn()
    const toldAtMs = asked.seen.lastAtMs + LOOK_MS
    const quick = seeTurn(asked, toldAtMs + L.anticipatedWithinMs - 1, LOOK_MS)
    expect(getTrace(quick).steps.at(-1)).toMatchObject({ outcome: 'ANTICIPATED', promptedAtMs: toldAtMs })
    expect(getEnd(quick)).toBe('FAILED')
  })

  test('is on time if the movement begins within the limit after that answer, and late after it', () => {
    const asked = askedToTurn()
    const latest = asked.seen.lastAtMs + LOOK_MS + L.onsetAtMostMs
    const still = (atMs: number) =>
      advanceSession(
        asked,
        { sequence: 99, atMs, ownMs: atMs - asked.seen.lastAtMs - 100, face: faceAt({}) },
        LIMITS,
      )
    // The next picture alone says how long the answer took.
    const told = advanceSession(
      asked,
      { sequence: 98, atMs: asked.seen.lastAtMs + LOOK_MS + 100, ownMs: LOOK_MS, face: faceAt({}) },
      LIMITS,
    )
    expect(told.asked.promptedAtMs).toBe(asked.seen.lastAtMs + LOOK_MS)
    expect(getPrompt(still(latest))).toMatchObject({ kind: 'LOOK_STRAIGHT', attempt: 2 })
    const inTime = advanceSession({ ...told, seen: near(told, latest) }, seenAt(latest), LIMITS)
    expect(getPrompt(inTime)).toMatchObject({ attempt: 1 })
    const late = advanceSession({ ...told, seen: near(told, latest + 1) }, seenAt(latest + 1), LIMITS)
    expect(getPrompt(late)).toMatchObject({ kind: 'LOOK_STRAIGHT', attempt: 2 })
  })

  test('is prompted again if the face left the view, and not if the appliance took no picture meanwhile', () => {
    const asked = askedToTurn()
    const from = asked.seen.lastAtMs
    const gap = L.faceLostShortlyMs + 1
    const seen = (ownMs: number) =>
      advanceSession(asked, { sequence: 99, atMs: from + gap, ownMs, face: faceAt({}) }, LIMITS)
    expect(getPrompt(seen(0))).toMatchObject({ kind: 'LOOK_STRAIGHT', attempt: 2 })
    expect(getPrompt(seen(1))).toMatchObject({ attempt: 1 })
  })

  /** Its last face a moment ago. */
  const near = ({ seen }: ChallengeSequence, atMs: number): ChallengeSequence['seen'] => ({
    ...seen,
    lastFace: { atMs: atMs - 100, ownMs: seen.ownMs, face: faceAt({}) },
  })
  const seenAt = (atMs: number) => ({ sequence: 99, atMs, ownMs: LOOK_MS, face: faceAt({}) })
  const seeTurn = (challenge: ChallengeSequence, atMs: number, ownMs: number): ChallengeSequence => {
    const kind = getPrompt(challenge)?.kind ?? 'LOOK_STRAIGHT'
    const moved: Moved = DONE[kind]
    return advanceSession(challenge, { sequence: 99, atMs, ownMs, face: faceAt(moved) }, LIMITS)
  }
})

/** The first movement was just asked, in the answer to the last picture. */
function askedToTurn(): ChallengeSequence {
  let challenge = beginChallenge(ONE_TURN, drawOf(seeded(1)), LIMITS)
  for (let sequence = 1; getPrompt(challenge)?.index === 1; sequence++)
    challenge = advanceSession(
      challenge,
      { sequence, atMs: sequence * 100, ownMs: 0, face: faceAt({}) },
      LIMITS,
    )
  return challenge
}
