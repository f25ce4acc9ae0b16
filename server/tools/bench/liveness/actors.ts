/** Species → the view of the camera at each moment, and the manipulation of the protocol. */
import sharp from 'sharp'
import type {
  ColourSet,
  LivenessPrompt,
  LivenessStepKind,
  ScreenColour,
} from '../../../proofing/liveness/types.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import type { HeadPose, NoiseLevel } from '../../specimen/liveness/camera.ts'
import type { Display, Mount } from '../../specimen/liveness/display.ts'
import { within, type Random } from '../../specimen/liveness/head-model.ts'
import {
  present,
  type Presentation,
  type PaiSpecies,
  type StageSettings,
} from '../../specimen/liveness/stage.ts'
import {
  createSubject,
  drawHabits,
  operatorHabits,
  type Screen,
  type Subject,
} from '../../specimen/liveness/subject.ts'
import type { Raster } from '../../../vision/raster.ts'
import type { Tampering } from './channel.ts'
import { seatPerson, shuffled, type Person } from './people.ts'

const SHOWN_PAI_SPECIES = ['flat', 'bent', 'flex', 'tent', 'mask', 'nosemask'] as const
/**
 * A display in a hand: with one continuous recording, or with one recording per movement, played on request; and the latter on a stand.
 */
export const REPLAY_PAI_SPECIES = ['replayRecorded', 'replayOperator', 'replayStand'] as const
const PROTOCOL_PAI_SPECIES = ['oldSession', 'reordered', 'injected', 'swap'] as const
export const BENCH_PAI_SPECIES = [
  'live',
  ...SHOWN_PAI_SPECIES,
  ...REPLAY_PAI_SPECIES,
  ...PROTOCOL_PAI_SPECIES,
] as const
export type BenchPaiSpecies = (typeof BENCH_PAI_SPECIES)[number]

export interface Actor {
  /** The choice within the species, for the report. */
  readonly variant: string
  readonly tampering: Tampering
  see(screen: Screen, atMs: number): void
  picture(atMs: number): Promise<Buffer>
}

export interface Casting {
  readonly type: LivenessType
  readonly person: Person
  readonly other: Person
  readonly room: Raster
  /** Patterned clothes and flickering lamps. */
  readonly tempts?: boolean
  readonly noise: NoiseLevel
  /** Only for replays: what holds the display. */
  readonly mount?: Mount
  /** Selects the variants of a species in turn. */
  readonly turn: number
  /** Only for replays: the place of the recording, if different, and its colours. */
  readonly recorded?: StageSettings['recorded']
  /** The colours that the screen paints. */
  readonly colourSet?: ColourSet
  /** The screen's share of the light on a face at the usual distance. */
  readonly shareOfRoom?: StageSettings['shareOfRoom']
}

export async function cast(species: BenchPaiSpecies, casting: Casting, random: Random): Promise<Actor> {
  switch (species) {
    case 'live':
      return shown('live', createSubject(drawHabits(random), random), casting, random)
    case 'replayRecorded':
      return shown('replay', recording(casting.type, random), casting, random)
    case 'replayOperator':
      return shown('replay', createSubject(operatorHabits(random), random), casting, random)
    case 'replayStand':
      return shown(
        'replay',
        createSubject(operatorHabits(random), random),
        { ...casting, mount: 'STAND' },
        random,
      )
    case 'oldSession': {
      const actor = shown('live', createSubject(drawHabits(random), random), casting, random)
      const tampering = casting.turn % 2 === 0 ? 'SAME_SESSION_AGAIN' : 'OTHER_SESSION_AGAIN'
      return { ...actor, tampering, variant: tampering }
    }
    case 'reordered':
      return reordered(casting, random)
    case 'injected':
      return injected(casting, random)
    case 'swap':
      return swapped(casting, random)
    case 'flat':
    case 'bent':
    case 'flex':
    case 'tent':
    case 'mask':
    case 'nosemask':
      return shown(species, createSubject(drawHabits(random), random), casting, random)
  }
}

function shown(species: PaiSpecies, subject: Subject, casting: Casting, random: Random): Actor {
  const presentation = createPresentation(species, casting, random)
  let colour: ScreenColour | null = null
  return {
    variant: presentation.display
      ? describeDisplay(presentation.display)
      : casting.tempts
        ? `${species}, tempting`
        : species,
    tampering: 'NONE',
    see(screen, atMs) {
      ;({ colour } = screen.prompt)
      subject.see(screen, atMs)
    },
    picture: (atMs) => presentation.picture(subject.poseAt(atMs), colour),
  }
}

/** Device, and how much of its edge is seen. */
function describeDisplay({ device, isEdgeSeen }: Display): string {
  return `${device}, ${isEdgeSeen ? 'edge seen' : 'view filled'}`
}

function createPresentation(species: PaiSpecies, casting: Casting, random: Random): Presentation {
  const { person, other, room, noise, recorded, colourSet, shareOfRoom, mount, tempts } = casting
  const [subjectHead, wearer] = [seatPerson(person, random), seatPerson(other, random)]
  const screen = { ...(colourSet ? { colourSet } : {}), ...(shareOfRoom ? { shareOfRoom } : {}) }
  const look = { ...(mount ? { mount } : {}), ...(tempts ? { tempts } : {}) }
  const settings = { species, subjectHead, wearer, background: room, noise, ...screen, ...look }
  return present(recorded ? { ...settings, recorded } : settings, random)
}

const TURNS: readonly LivenessStepKind[] = ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP', 'LOOK_DOWN', 'COME_CLOSER']
const PAUSE_MS = [1200, 1900] as const
const STEP_MS = [1900, 3200] as const

/** A person who repeats an earlier session and ignores the present prompts. */
export function recording(type: LivenessType, random: Random): Subject {
  const subject = createSubject(drawHabits(random), random)
  const steps = recordedSteps(type, random)
  let [next, dueMs] = [0, 0]
  return {
    see: () => undefined,
    poseAt(atMs) {
      while (atMs >= dueMs) {
        const step = steps[next % steps.length]
        subject.see({ prompt: promptFor(step.kind, next + 1), hint: 'FOLLOW_PROMPT' }, dueMs)
        dueMs += step.lastsMs
        next++
      }
      return subject.poseAt(atMs)
    },
  }
}

function recordedSteps(type: LivenessType, random: Random) {
  const straight = () => ({ kind: 'LOOK_STRAIGHT' as LivenessStepKind, lastsMs: within(PAUSE_MS, random) })
  const step = (kind: LivenessStepKind) => ({ kind, lastsMs: within(STEP_MS, random) })
  if (type === 'LIVENESS_PASSIVE') return [straight()]
  if (type === 'LIVENESS_PASSIVE_VIDEO') return [straight(), { ...step('COME_CLOSER'), lastsMs: 6000 }]
  return shuffled(TURNS, random).flatMap((kind) => [straight(), step(kind)])
}

function promptFor(kind: LivenessStepKind, index: number): LivenessPrompt {
  return { kind, index, of: index, colour: null, isHolding: false, attempt: 1 }
}

const FRAME_MS = 92
const RECORDED_FRAMES = 110
const BLOCK_FRAMES = [2, 9] as const

/**
 * Variant 1: a true session of a live person whose client misnumbers a few pictures. Variant 2: pictures of an earlier
 * session in another order, numbered and sealed correctly.
 */
async function reordered(casting: Casting, random: Random): Promise<Actor> {
  if (casting.turn % 2 === 0) {
    const actor = shown('live', createSubject(drawHabits(random), random), casting, random)
    return { ...actor, tampering: 'SWAPPED_FRAMES', variant: 'SWAPPED_FRAMES' }
  }
  const recorded = recording(casting.type, random)
  const presentation = createPresentation('live', casting, random)
  const pictures: Buffer[] = []
  for (let i = 0; i < RECORDED_FRAMES; i++)
    pictures.push(await presentation.picture(recorded.poseAt(i * FRAME_MS)))
  const mixed = shuffled(inBlocks(pictures, random), random).flat()
  let at = 0
  return {
    variant: 'MIXED_BLOCKS',
    tampering: 'NONE',
    see: () => undefined,
    // No picture is repeated exactly, because an attacker who can mix pictures can also re-encode them.
    picture: () => again(mixed[at++ % mixed.length], 1, random),
  }
}

function inBlocks<T>(items: readonly T[], random: Random): T[][] {
  const blocks: T[][] = []
  for (let at = 0; at < items.length;) {
    const size = Math.round(within(BLOCK_FRAMES, random))
    blocks.push(items.slice(at, at + size))
    at += size
  }
  return blocks
}

const INJECTIONS = ['SAME_FILE', 'FRESH_NOISE', 'ENLARGED'] as const

/** One still picture through a virtual camera: unchanged, with new noise each time, or enlarged on request. */
async function injected(casting: Casting, random: Random): Promise<Actor> {
  const variant = INJECTIONS[casting.turn % INJECTIONS.length]
  const subject = createSubject(drawHabits(random), random)
  const first = subject.poseAt(0)
  const still = await createPresentation('live', casting, random).picture({
    ...first,
    yawDeg: 0,
    pitchDeg: 0,
  })
  return {
    variant,
    tampering: 'NONE',
    see: (screen, atMs) => subject.see(screen, atMs),
    async picture(atMs) {
      if (variant === 'SAME_FILE') return still
      const times = variant === 'ENLARGED' ? first.distance / subject.poseAt(atMs).distance : 1
      return again(still, Math.max(1, times), random)
    },
  }
}

const FRESH_NOISE = 3

async function again(still: Buffer, times: number, random: Random): Promise<Buffer> {
  const { data, info } = await sharp(still).raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  for (let i = 0; i < data.length; i++)
    data[i] = Math.min(255, Math.max(0, data[i] + (random() - 0.5) * 2 * FRESH_NOISE))
  const raw = { width, height, channels: 3 } as const
  const larger = { width: Math.round(width * times), height: Math.round(height * times) }
  const enlarged = await sharp(data, { raw }).resize(larger.width, larger.height).raw().toBuffer()
  const middle = {
    left: Math.floor((larger.width - width) / 2),
    top: Math.floor((larger.height - height) / 2),
    width,
    height,
  }
  return sharp(enlarged, { raw: { ...larger, channels: 3 } })
    .extract(middle)
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** Two people follow the same prompts; from some step after the first, the second one is before the camera. */
function swapped(casting: Casting, random: Random): Actor {
  const subject = createSubject(drawHabits(random), random)
  const first = createPresentation('live', casting, random)
  const { person, other } = casting
  const second = createPresentation('live', { ...casting, person: other, other: person }, random)
  const share = random()
  const afterMs = within(SWAP_AFTER_MS, random)
  let [swapsAtMs, isSwapped] = [Infinity, false]
  let colour: ScreenColour | null = null
  return {
    get variant() {
      return isSwapped ? 'swap' : NOT_STAGED
    },
    tampering: 'NONE',
    see(screen, atMs) {
      const { index, of } = screen.prompt
      ;({ colour } = screen.prompt)
      // If the only prompt is to look straight, the swap happens during it; an earlier swap would show only the second
      // person.
      const isDue = of === 1 ? screen.hint === 'ALL_GOOD' : index >= 2 + Math.floor(share * (of - 1))
      if (isDue && swapsAtMs === Infinity) swapsAtMs = atMs + afterMs + (of === 1 ? SWAP_IN_STILL_MS : 0)
      subject.see(screen, atMs)
    },
    picture: (atMs) => {
      const pose: HeadPose = subject.poseAt(atMs)
      isSwapped ||= atMs >= swapsAtMs
      return (isSwapped ? second : first).picture(pose, colour)
    },
  }
}

/** The session ended before the attack began, so it is not counted. */
export const NOT_STAGED = 'NOT_STAGED'
const SWAP_AFTER_MS = [100, 600] as const
const SWAP_IN_STILL_MS = 700
