/** A person before the camera as numbers: where the head is while it follows prompts, without any picture. */
import {
  advanceSession,
  beginChallenge,
  getEnd,
  getPrompt,
  type ChallengeSequence,
} from '../../../../server/proofing/liveness/session.ts'
import type {
  Draw,
  LiveFace,
  LiveObservation,
  LivenessPrompt,
  LivenessStepKind,
} from '../../../../server/proofing/liveness/types.ts'
import type { LivenessSettings } from '../../../../server/proofing/capture-session.ts'
import type { LivenessType, SecurityLevel } from '../../../../server/proofing/types.ts'
import { loadLivenessLimits } from '../../../../server/verification/liveness-limits.ts'

export const LIMITS = loadLivenessLimits()

/** mulberry32: numbers that look random and are the same each time. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function drawOf(random: () => number): Draw {
  return (below) => Math.floor(random() * below)
}

export function settingsOf(
  livenessType: LivenessType,
  securityLevel: SecurityLevel = 'MEDIUM',
  nbChallenge = 2,
): LivenessSettings {
  const base = { mode: 'nativeSDK', livenessType, securityLevel } as const
  return livenessType === 'LIVENESS_ACTIVE' ? { ...base, nbChallenge } : base
}

export const REST_FACE: LiveFace = {
  leftDeg: 1,
  upDeg: -9,
  rollDeg: 2,
  headWidthPx: 150,
  widthShare: 150 / 640,
  centre: { x: 0.5, y: 0.5 },
  eyeOpenness: 0.3,
  mouthOpenness: 0.02,
  sharpness: 0.6,
  pad: 0.95,
  skin: { r: 0.4, g: 0.3, b: 0.25 },
  forehead: { r: 0.4, g: 0.3, b: 0.25 },
  surround: { r: 0.5, g: 0.5, b: 0.5 },
  edges: { r: 0.5, g: 0.5, b: 0.5 },
  isGood: true,
}

/** Degrees and times nearer, from rest. */
export interface Moved {
  readonly left?: number
  readonly up?: number
  readonly nearer?: number
}

export function faceAt({ left = 0, up = 0, nearer = 1 }: Moved, over: Partial<LiveFace> = {}): LiveFace {
  return {
    ...REST_FACE,
    leftDeg: REST_FACE.leftDeg + left,
    upDeg: REST_FACE.upDeg + up,
    headWidthPx: REST_FACE.headWidthPx * nearer,
    widthShare: REST_FACE.widthShare * nearer,
    ...over,
  }
}

export const DONE: Readonly<Record<LivenessStepKind, Moved>> = {
  LOOK_STRAIGHT: {},
  TURN_LEFT: { left: 26 },
  TURN_RIGHT: { left: -26 },
  LOOK_UP: { up: 17 },
  LOOK_DOWN: { up: -17 },
  COME_CLOSER: { nearer: 1.75 },
  SHOW_COLOUR: { nearer: 1.75 },
}

export interface Habits {
  readonly framesPerSecond: number
  readonly reactionMs: number
  /** The head is so much nearer to its goal after this time that a third of the way is left. */
  readonly movementMs: number
  readonly noiseDeg: number
  /** How long the appliance looks at each picture; only its answer brings the next prompt. */
  readonly lookMs: number
  /** What the person does when asked; by default what is asked. */
  readonly does?: (prompt: LivenessPrompt) => Moved
  /** Changes what the camera sees. */
  readonly seen?: (face: LiveFace, atMs: number, prompt: LivenessPrompt) => LiveFace | null
}

export const USUAL: Habits = {
  framesPerSecond: 8,
  reactionMs: 500,
  movementMs: 200,
  noiseDeg: 0.5,
  lookMs: 0,
}

export interface Played {
  readonly challenge: ChallengeSequence
  readonly observations: readonly LiveObservation[]
  readonly prompts: readonly LivenessPrompt[]
}

/** Plays until the challenge is over, or for this long. */
export function play(
  settings: LivenessSettings,
  habits: Partial<Habits> = {},
  seed = 1,
  longestMs = 90_000,
): Played {
  const { framesPerSecond, reactionMs, movementMs, noiseDeg, lookMs, does, seen } = { ...USUAL, ...habits }
  const random = seeded(seed)
  const noise = (): number => noiseDeg * (random() + random() - 1)
  let challenge = beginChallenge(settings, drawOf(random), LIMITS)
  const observations: LiveObservation[] = []
  const prompts: LivenessPrompt[] = []
  let [left, up, scale] = [0, 0, 0]
  let askedAtMs = 0
  let goal: Moved = {}
  const cameraMs = 1000 / framesPerSecond
  const stepMs = cameraMs + lookMs
  for (let sequence = 1; sequence * stepMs < longestMs && getEnd(challenge) === null; sequence++) {
    const ownMs = (sequence - 1) * lookMs
    const atMs = sequence * cameraMs + ownMs
    const prompt = getPrompt(challenge)
    if (prompt === null) break
    const last = prompts.at(-1)
    const isNew = last?.index !== prompt.index || last.kind !== prompt.kind || last.attempt !== prompt.attempt
    if (isNew) {
      prompts.push(prompt)
      askedAtMs = atMs - cameraMs
    }
    if (atMs - askedAtMs >= reactionMs) goal = does ? does(prompt) : DONE[prompt.kind]
    const share = 1 - Math.exp(-stepMs / movementMs)
    left += ((goal.left ?? 0) - left) * share
    up += ((goal.up ?? 0) - up) * share
    scale += (Math.log(goal.nearer ?? 1) - scale) * Math.min(share, 0.3 * Math.max(1, stepMs / 333))
    const shown = faceAt({ left: left + noise(), up: up + noise(), nearer: Math.exp(scale) })
    const face = { ...shown, sharpness: 0.5 + 0.2 * random() }
    const observation = { sequence, atMs, ownMs, face: seen ? seen(face, atMs, prompt) : face }
    observations.push(observation)
    challenge = advanceSession(challenge, observation, LIMITS)
  }
  return { challenge, observations, prompts }
}

/** Shows recorded pictures to another session. */
export function replay(
  observations: readonly LiveObservation[],
  challenge: ChallengeSequence,
): ChallengeSequence {
  return observations.reduce((before, seen) => advanceSession(before, seen, LIMITS), challenge)
}
