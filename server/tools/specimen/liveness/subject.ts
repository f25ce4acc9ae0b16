/**
 * A simulated subject who does what the screen asks: after a while, at a human speed, a little too far and then
 * back, never quite still. Time is pretended and comes in with every call. Knows no camera and not what is right.
 */
import type { LivenessPrompt, LivenessStepKind } from '../../../proofing/liveness/types.ts'
import type { PortraitHint } from '../../../proofing/portrait-quality.ts'
import type { HeadPose } from './camera.ts'
import { normal, within, type Random } from './head-model.ts'
import { createSway } from './sway.ts'

/** The screen's content. */
export interface Screen {
  readonly prompt: LivenessPrompt
  readonly hint: PortraitHint
}

export interface Subject {
  see(screen: Screen, atMs: number): void
  /** `atMs` must not decrease. */
  poseAt(atMs: number): HeadPose
}

/** One person's habits of movement, drawn once per session. Milliseconds, degrees, centimetres. */
export interface Habits {
  /** Time from the prompt to the beginning of the movement. */
  readonly reactionMs: () => number
  readonly turnMs: () => number
  readonly approachMs: () => number
  /** Relative distance by which a movement exceeds its goal before it settles. */
  readonly overshoot: () => number
  readonly leftDeg: number
  readonly rightDeg: number
  readonly upDeg: number
  readonly downDeg: number
  /** The pose that the person believes to be straight. */
  readonly straight: {
    readonly x: number
    readonly y: number
    readonly yawDeg: number
    readonly pitchDeg: number
  }
  readonly startCm: number
  readonly nearCm: number
  /** After coming nearer, the person stays there. */
  readonly staysNear: boolean
  /** The person goes back although the screen asks to stay near for the colours, until it says to come closer. */
  readonly leavesColours: boolean
  /** Each movement is a separate recording, with a cut between two of them. */
  readonly isCut: boolean
}

/** Simple visual reactions with a decision, by the head: initial values, because none have been measured at a kiosk. */
const REACTION_MS = { median: 620, spread: 0.3, least: 350, most: 1200 }
const TURN_MS = [450, 950] as const
const APPROACH_MS = [1200, 2400] as const
const OVERSHOOT = [0, 0.12] as const
/** Extent of a clear turn, and of an approach (shared laboratory, 21 November 2026). */
const TURN_DEG = [21, 32] as const
const NOD_DEG = [14, 22] as const
const START_CM = [52, 62] as const
const NEAR_CM = [28, 34] as const
const STAYS_NEAR = 0.3
/** Starting value: one person in four who would go back anyway does not read "stay close". */
const LEAVES_COLOURS = 0.25

export function drawHabits(random: Random): Habits {
  return {
    reactionMs: () => reaction(REACTION_MS, random),
    turnMs: () => within(TURN_MS, random),
    approachMs: () => within(APPROACH_MS, random),
    overshoot: () => within(OVERSHOOT, random),
    leftDeg: within(TURN_DEG, random),
    rightDeg: within(TURN_DEG, random),
    upDeg: within(NOD_DEG, random),
    downDeg: within(NOD_DEG, random),
    straight: {
      x: normal(random) * 1.2,
      y: 1 + normal(random),
      yawDeg: normal(random) * 1.5,
      pitchDeg: normal(random) * 2,
    },
    startCm: within(START_CM, random),
    nearCm: within(NEAR_CM, random),
    staysNear: random() < STAYS_NEAR,
    leavesColours: random() < LEAVES_COLOURS,
    isCut: false,
  }
}

/** Time to read, choose a recording and start it; the person in the recording moves soon. */
const OPERATOR_MS = { median: 900, spread: 0.3, least: 550, most: 2200 }

/** Habits of an operator who has a recording of every movement and plays the requested one. */
export function operatorHabits(random: Random): Habits {
  return { ...drawHabits(random), reactionMs: () => reaction(OPERATOR_MS, random), isCut: true }
}

function reaction({ median, spread, least, most }: typeof REACTION_MS, random: Random): number {
  return Math.min(most, Math.max(least, median * Math.exp(normal(random) * spread)))
}

/** The part of the pose that a movement changes; the rest is sway. */
interface Place {
  readonly yawDeg: number
  readonly pitchDeg: number
  readonly distance: number
}

interface Movement {
  readonly startsAtMs: number
  readonly durationMs: number
  readonly from: Place
  readonly to: Place
  readonly overshoot: number
}

/** A repeated prompt makes the person move further. */
const MORE_EACH_ATTEMPT = 0.2
/** After a hint about the distance, the person ignores the next one for this time. */
const HINT_PAUSE_MS = 1500
/** Share of the offset from the middle that is left after such a hint: one or two centimetres, which a head moves between two pictures. */
const CENTRED = 0.3
const HINT_STEP = { COME_CLOSER: 0.87, MOVE_BACK: 1.2 } as const
/** Starting value: three centimetres. */
const NEAR_STEP = { COME_CLOSER: 0.93, MOVE_BACK: 1.1 } as const

export function createSubject(habits: Habits, random: Random): Subject {
  const sway = createSway(random)
  const straight = { ...habits.straight }
  let movement: Movement = resting({ yawDeg: 0, pitchDeg: 0, distance: habits.startCm })
  let pending: { readonly startsAtMs: number; readonly to: (now: Place) => Place } | null = null
  let asked: LivenessPrompt | null = null
  let hintedAtMs = -Infinity
  let centresAtMs = Infinity

  const plan = (atMs: number, to: (now: Place) => Place): void => {
    pending = { startsAtMs: atMs + habits.reactionMs(), to }
  }
  const moveOn = (atMs: number): void => {
    if (pending === null || atMs < pending.startsAtMs) return
    const from = placeAt(movement, pending.startsAtMs)
    const to = pending.to(from)
    const isApproach = Math.abs(to.distance - from.distance) > 5
    movement = {
      startsAtMs: pending.startsAtMs,
      durationMs: isApproach ? habits.approachMs() : habits.turnMs(),
      from,
      to,
      overshoot: habits.overshoot(),
    }
    pending = null
    if (habits.isCut) sway.cut()
  }
  return {
    see({ prompt, hint }, atMs) {
      moveOn(atMs)
      // One colour after another is one prompt.
      const isNextColour = prompt.kind === 'SHOW_COLOUR' && asked?.kind === 'SHOW_COLOUR'
      const isNew = (prompt.index !== asked?.index && !isNextColour) || prompt.kind !== asked?.kind
      if (isNew || prompt.attempt !== asked?.attempt) {
        asked = prompt
        plan(atMs, (now) => chooseGoal(prompt, now, habits))
      } else if (hint === 'CENTRE_FACE' && atMs - hintedAtMs > HINT_PAUSE_MS) {
        hintedAtMs = atMs
        centresAtMs = atMs + habits.reactionMs()
      } else if (isDistance(hint) && prompt.kind !== 'COME_CLOSER' && atMs - hintedAtMs > HINT_PAUSE_MS) {
        hintedAtMs = atMs
        plan(atMs, () => ({ ...movement.to, distance: chooseDistance(prompt, hint, movement.to, habits) }))
      }
    },
    poseAt(atMs) {
      moveOn(atMs)
      if (atMs >= centresAtMs) {
        straight.x *= CENTRED
        straight.y *= CENTRED
        centresAtMs = Infinity
      }
      const { yawDeg, pitchDeg, distance } = placeAt(movement, atMs)
      const off = sway.at(atMs)
      return {
        x: straight.x + off.x,
        y: straight.y + off.y,
        distance: distance + off.distance,
        yawDeg: straight.yawDeg + yawDeg + off.yawDeg,
        pitchDeg: straight.pitchDeg + pitchDeg + off.pitchDeg,
        rollDeg: off.rollDeg,
        jaw: Math.abs(off.jaw),
      }
    },
  }
}

/** A person who went back comes near again; one who is near the screen takes small steps. */
function chooseDistance(
  { kind }: LivenessPrompt,
  hint: keyof typeof HINT_STEP,
  { distance }: Place,
  { startCm, nearCm }: Habits,
): number {
  if (kind !== 'SHOW_COLOUR') return distance * HINT_STEP[hint]
  const wentBack = distance > (startCm + nearCm) / 2
  return wentBack && hint === 'COME_CLOSER' ? nearCm : distance * NEAR_STEP[hint]
}

function isDistance(hint: PortraitHint): hint is keyof typeof HINT_STEP {
  return hint in HINT_STEP
}

function chooseGoal({ kind, attempt }: LivenessPrompt, now: Place, habits: Habits): Place {
  const { yawDeg, pitchDeg } = chooseTurn(kind, habits)
  const more = 1 + MORE_EACH_ATTEMPT * (attempt - 1)
  const isNear = now.distance < (habits.startCm + habits.nearCm) / 2
  const stays = habits.staysNear || (kind === 'SHOW_COLOUR' && !habits.leavesColours)
  const distance = isNear && !stays ? habits.startCm : now.distance
  return {
    yawDeg: yawDeg * more,
    pitchDeg: pitchDeg * more,
    distance: kind === 'COME_CLOSER' ? habits.nearCm / more : distance,
  }
}

function chooseTurn(kind: LivenessStepKind, habits: Habits): Pick<Place, 'yawDeg' | 'pitchDeg'> {
  switch (kind) {
    case 'TURN_LEFT':
      return { yawDeg: habits.leftDeg, pitchDeg: 0 }
    case 'TURN_RIGHT':
      return { yawDeg: -habits.rightDeg, pitchDeg: 0 }
    case 'LOOK_UP':
      return { yawDeg: 0, pitchDeg: habits.upDeg }
    case 'LOOK_DOWN':
      return { yawDeg: 0, pitchDeg: -habits.downDeg }
    case 'LOOK_STRAIGHT':
    case 'COME_CLOSER':
    case 'SHOW_COLOUR':
      return { yawDeg: 0, pitchDeg: 0 }
  }
}

function resting(place: Place): Movement {
  return { startsAtMs: 0, durationMs: 1, from: place, to: place, overshoot: 0 }
}

/** Heads move with minimum jerk (Flash and Hogan 1985) and swing beyond the goal around their arrival. */
function placeAt({ startsAtMs, durationMs, from, to, overshoot }: Movement, atMs: number): Place {
  const share = Math.max(0, (atMs - startsAtMs) / durationMs)
  const t = Math.min(1, share)
  const swing = overshoot * Math.sin(Math.PI * Math.min(1, Math.max(0, (share - 0.7) / 0.9)))
  const done = t * t * t * (10 - 15 * t + 6 * t * t) + swing
  const between = (a: number, b: number) => a + (b - a) * done
  return {
    yawDeg: between(from.yawDeg, to.yawDeg),
    pitchDeg: between(from.pitchDeg, to.pitchDeg),
    distance: between(from.distance, to.distance),
  }
}
