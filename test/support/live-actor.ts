/**
 * A subject before the camera of a scripted session, who follows each prompt after a reaction time, as fast
 * as a head moves. Pictures encode their content (`scripted-vision`), so no two of them are the same.
 */
import type { PortraitGuidance } from '../../server/api/contract/capture.ts'
import type { ScreenColour } from '../../server/proofing/liveness/types.ts'
import { picture, type Scene } from '../server/app/scripted-vision.ts'

type Prompt = Extract<PortraitGuidance, { state: 'CAPTURING' }>['prompt']

interface Pose {
  readonly leftDeg: number
  readonly upDeg: number
  /** Factor of the width at the beginning. */
  readonly nearer: number
}

const REST: Pose = { leftDeg: 0, upDeg: 0, nearer: 1 }
const POSES: Readonly<Record<Prompt['kind'], Pose>> = {
  LOOK_STRAIGHT: REST,
  COME_CLOSER: { ...REST, nearer: 1.9 },
  TURN_LEFT: { ...REST, leftDeg: 27 },
  TURN_RIGHT: { ...REST, leftDeg: -27 },
  LOOK_UP: { ...REST, upDeg: 20 },
  LOOK_DOWN: { ...REST, upDeg: -20 },
  SHOW_COLOUR: { ...REST, nearer: 1.9 },
}
/** A person's usual reaction time, from prompt to movement. */
const REACTION_MS = 500
const DEG_PER_S = 70
const NEARER_PER_S = 0.6
const HEAD_PX = 400

export interface ActorOptions {
  /** The person of the face; it may change later. */
  readonly face?: string
  readonly scene?: Partial<Extract<Scene, { shows: 'person' }>>
  /** Overrides the rendering of the face. */
  readonly liveOver?: Extract<Scene, { shows: 'person' }>['live']
  /** Makes other movements than prompted. */
  readonly poseFor?: (prompt: Prompt) => Pose
}

export interface Actor {
  /** Returns the picture `elapsedMs` after the one before, during this prompt. */
  picture(prompt: Prompt, elapsedMs: number): Uint8Array
  become(face: string): void
}

export function liveActor({
  face = 'A',
  scene = {},
  liveOver = {},
  poseFor = poseOf,
}: ActorOptions = {}): Actor {
  let pose = REST
  let asked: Prompt | null = null
  let waitedMs = 0
  let noise = 0
  let who = face
  return {
    picture: (prompt, elapsedMs) => {
      waitedMs = asked?.kind === prompt.kind && asked.index === prompt.index ? waitedMs + elapsedMs : 0
      asked = prompt
      const target = waitedMs >= REACTION_MS ? poseFor(prompt) : pose
      pose = moved(pose, target, elapsedMs / 1000)
      noise++
      return picture({
        shows: 'person',
        face: who,
        noise,
        live: { ...liveOf(pose, prompt.colour), ...liveOver },
        ...scene,
      })
    },
    become: (other) => {
      who = other
    },
  }
}

function poseOf({ kind }: Prompt): Pose {
  return POSES[kind]
}

function moved(from: Pose, to: Pose, seconds: number): Pose {
  const step = (a: number, b: number, most: number) => a + Math.sign(b - a) * Math.min(Math.abs(b - a), most)
  return {
    leftDeg: step(from.leftDeg, to.leftDeg, DEG_PER_S * seconds),
    upDeg: step(from.upDeg, to.upDeg, DEG_PER_S * seconds),
    nearer: step(from.nearer, to.nearer, NEARER_PER_S * seconds),
  }
}

function liveOf({ leftDeg, upDeg, nearer }: Pose, colour: ScreenColour | null) {
  const headWidthPx = HEAD_PX * nearer
  const [width, height] = [headWidthPx, headWidthPx * 1.25]
  return {
    leftDeg,
    upDeg,
    headWidthPx,
    box: { x: 800 - width / 2, y: 600 - height / 2, width, height },
    ...(colour ? { skin: litBy(colour), forehead: litBy(colour) } : {}),
  }
}

/** A screen at arm's length adds about a tenth to a room's light. */
function litBy(colour: ScreenColour) {
  const shines = { RED: 'r', GREEN: 'g', BLUE: 'b', YELLOW: 'rg', CYAN: 'gb', MAGENTA: 'rb' }[colour]
  const light = (channel: string, own: number) => own + (shines.includes(channel) ? 0.04 : 0)
  return { r: light('r', 0.4), g: light('g', 0.3), b: light('b', 0.25) }
}
