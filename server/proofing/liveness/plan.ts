/** Draws a session's challenge sequence before it begins: kinds, order, colours and times. Never judges. */
import type { LivenessSettings } from '../capture-session.ts'
import type { LivenessLimits } from './limits.ts'
import { SCREEN_COLOURS, type Draw, type LivenessStepKind, type ScreenColour } from './types.ts'

export type Turn = 'TURN_LEFT' | 'TURN_RIGHT' | 'LOOK_UP' | 'LOOK_DOWN'
export type Movement = Turn | 'COME_CLOSER'

export interface PlannedStep {
  readonly kind: LivenessStepKind
  readonly colour: ScreenColour | null
  readonly holdMs: number
}

const TURNS: readonly Turn[] = ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP', 'LOOK_DOWN']
/** Turns and colours of LIVENESS_MLC: fit into half a minute together with the approach. */
const COMBINED_TURNS = 2
const COMBINED_COLOURS = 4

export function isMovement(kind: LivenessStepKind): kind is Movement {
  return kind !== 'LOOK_STRAIGHT' && kind !== 'SHOW_COLOUR'
}

export function drawPlan(
  settings: LivenessSettings,
  draw: Draw,
  limits: LivenessLimits,
): readonly PlannedStep[] {
  const order = drawOrder(settings, draw)
  const isStill = settings.livenessType === 'LIVENESS_PASSIVE'
  return order.map(({ kind, colour }, index) => ({
    kind,
    colour,
    holdMs: holdTime(kind, index, isStill, draw, limits),
  }))
}

/** Colours in a fresh order, shown if the first ones gave no answer. Empty for types without colours. */
export function drawMoreColours(
  { livenessType }: LivenessSettings,
  draw: Draw,
  { course }: LivenessLimits,
): readonly PlannedStep[] {
  if (livenessType !== 'LIVENESS_MLC') return []
  return drawColours(draw).map((colour) => ({ kind: 'SHOW_COLOUR', colour, holdMs: course.colourShownMs }))
}

/** True if an active session also prompts an approach. */
function asksApproach({ securityLevel }: LivenessSettings): boolean {
  return securityLevel !== 'LOW'
}

interface OrderedStep {
  readonly kind: LivenessStepKind
  readonly colour: ScreenColour | null
}
const plain = (kind: LivenessStepKind): OrderedStep => ({ kind, colour: null })
const STRAIGHT = plain('LOOK_STRAIGHT')

function drawOrder(settings: LivenessSettings, draw: Draw): readonly OrderedStep[] {
  switch (settings.livenessType) {
    case 'LIVENESS_PASSIVE':
      return [STRAIGHT]
    case 'LIVENESS_PASSIVE_VIDEO':
      return [STRAIGHT, plain('COME_CLOSER')]
    case 'LIVENESS_ACTIVE': {
      const turns = drawTurns(settings.nbChallenge ?? COMBINED_TURNS, draw)
      const movements = asksApproach(settings) ? withApproach(turns, draw) : turns
      return movements.flatMap((kind) => [STRAIGHT, plain(kind)])
    }
    case 'LIVENESS_MLC': {
      const movements = withApproach(drawTurns(COMBINED_TURNS, draw), draw)
      const colours = drawColours(draw)
      // The screen's light is strongest near it, so the colours follow the approach.
      return movements.flatMap((kind) => [
        STRAIGHT,
        plain(kind),
        ...(kind === 'COME_CLOSER'
          ? colours.map((colour) => ({ kind: 'SHOW_COLOUR', colour }) as const)
          : []),
      ])
    }
  }
}

function drawTurns(count: number, draw: Draw): readonly Movement[] {
  const orders = turnOrders(count)
  return orders[draw(orders.length)] ?? []
}

function withApproach(turns: readonly Movement[], draw: Draw): readonly Movement[] {
  return turns.toSpliced(draw(turns.length + 1), 0, 'COME_CLOSER')
}

/**
 * Never the same turn twice in succession, and at least one to the side: a sheet of paper imitates a tilt more easily
 * than a turn.
 */
function turnOrders(count: number): readonly (readonly Turn[])[] {
  let orders: readonly (readonly Turn[])[] = [[]]
  for (let step = 0; step < count; step++) {
    orders = orders.flatMap((order) =>
      TURNS.filter((turn) => turn !== order.at(-1)).map((turn) => [...order, turn]),
    )
  }
  return orders.filter((order) => order.some((turn) => turn === 'TURN_LEFT' || turn === 'TURN_RIGHT'))
}

/** Each at most once: a repeated colour adds little, and orders must be distinguishable. */
function drawColours(draw: Draw): readonly ScreenColour[] {
  const colours: ScreenColour[] = []
  for (let place = 0; place < COMBINED_COLOURS; place++) {
    const others = SCREEN_COLOURS.filter((colour) => !colours.includes(colour))
    colours.push(others[draw(others.length)])
  }
  return colours
}

function holdTime(
  kind: LivenessStepKind,
  index: number,
  isStill: boolean,
  draw: Draw,
  { course: challenge }: LivenessLimits,
): number {
  const between = (least: number, most: number): number => least + draw(Math.max(1, most - least + 1))
  if (kind === 'SHOW_COLOUR') return challenge.colourShownMs
  if (isStill) return between(challenge.stillCalmAtLeastMs, challenge.stillCalmAtMostMs)
  if (index === 0) return between(challenge.firstCalmAtLeastMs, challenge.firstCalmAtMostMs)
  return between(challenge.holdAtLeastMs, challenge.holdAtMostMs)
}
