/**
 * What each method takes off a replay: a recording on a screen, running by itself or played movement by movement by
 * an attacker who reads the prompts. Order and timing alone need no picture; all methods together are tried on drawn sessions
 * that ask for everything.
 */
import { livenessSettings } from '../../../proofing/capture-session.ts'
import { challengeFinding } from '../../../proofing/liveness/findings.ts'
import { recordChallenge } from '../../../proofing/liveness/record.ts'
import { advanceSession, beginChallenge, getEnd, getPrompt } from '../../../proofing/liveness/session.ts'
import { judgeScene } from '../../../proofing/liveness/scene.ts'
import { SCREEN_COLOURS, type LiveFace, type ScreenColour } from '../../../proofing/liveness/types.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { HeadPose } from '../../specimen/liveness/camera.ts'
import { normal, within, type Random } from '../../specimen/liveness/head-model.ts'
import { createSubject, drawHabits, operatorHabits, type Subject } from '../../specimen/liveness/subject.ts'
import { loadLivenessLimits } from '../../../verification/liveness-limits.ts'
import { createDetector } from '../../../vision/faces/detect.ts'
import { measureMesh } from '../../../vision/faces/mesh.ts'
import { decodeImage } from '../../../vision/image.ts'
import { measureSceneChange } from '../../../vision/liveness/measure-scene.ts'
import type { Raster } from '../../../vision/raster.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'
import { cast, recording } from '../liveness/actors.ts'
import { openInProcess } from '../liveness/in-process.ts'
import { furnishRoom } from '../liveness/rooms.ts'
import type { Person } from '../liveness/people.ts'
import { computeRate, type CountedRate } from './attack-rates.ts'

export const REPLAYED = ['live', 'replayRecorded', 'replayOperator'] as const
export type Replayed = (typeof REPLAYED)[number]

/** About eleven pictures a second at uneven intervals; no session lasts longer. */
const FRAME_MS = 92
const UNEVEN = [0.85, 1.25] as const
const MAX_MS = 120_000

/** Error of a face mesh's pose: it underestimates a turn and is off by some degrees (laboratory, 21 Nov 2026). */
const READ = { yawTimes: 0.86, yawDeg: 1, pitchTimes: 1.05, pitchDeg: 1, offsetDeg: 8, width: 0.01 }
const CAMERA = { widthPx: 640, focal: 1, headCm: 14.5 }

/** Share of sessions that satisfy order and timing, by number of directions; no other check is simulated. */
export function simulateOrder(per: number, seed: number) {
  const rates = (species: Replayed) =>
    [1, 2, 3].map((turns) => {
      const met = Array.from({ length: per }, (_, turn) =>
        meetsOrder(species, turns, seed * 1_000_003 + turn * 97 + turns),
      )
      return [`${turns}`, computeRate(met, Boolean)] as const
    })
  return Object.fromEntries(REPLAYED.map((species) => [species, Object.fromEntries(rates(species))]))
}

function meetsOrder(species: Replayed, turns: number, seed: number): boolean {
  const [random, drawn] = [createRandom(seed), createRandom(seed + 1)]
  const limits = loadedLimits()
  const type = 'LIVENESS_ACTIVE'
  const settings = livenessSettings(
    { mode: 'nativeSDK', type, nbChallenge: turns },
    { type, securityLevel: 'MEDIUM' },
  )
  const subject = createReplaySubject(species, random)
  const offset = normal(random) * READ.offsetDeg
  let challenge = beginChallenge(settings, (below) => Math.floor(drawn() * below), limits)
  let [atMs, sequence] = [0, 0]
  for (let prompt = getPrompt(challenge); prompt !== null && atMs < MAX_MS; prompt = getPrompt(challenge)) {
    subject.see({ prompt, hint: 'FOLLOW_PROMPT' }, atMs)
    atMs += FRAME_MS * within(UNEVEN, random)
    sequence++
    challenge = advanceSession(
      challenge,
      { sequence, atMs, face: faceAt(subject.poseAt(atMs), offset, random) },
      limits,
    )
    if (getEnd(challenge) !== null) break
  }
  const record = recordChallenge(settings, challenge, null, { breach: null, models: [] })
  return challengeFinding(record, limits).outcome === 'passed'
}

let limitsOnce: ReturnType<typeof loadLivenessLimits> | null = null
const loadedLimits = () => (limitsOnce ??= loadLivenessLimits())

function createReplaySubject(species: Replayed, random: Random): Subject {
  if (species === 'replayRecorded') return recording('LIVENESS_ACTIVE', random)
  return createSubject(species === 'live' ? drawHabits(random) : operatorHabits(random), random)
}

function faceAt(pose: HeadPose, pitchOffset: number, random: Random): LiveFace {
  const share = (CAMERA.focal * CAMERA.headCm) / pose.distance
  const widthShare = share * (1 + normal(random) * READ.width)
  return {
    leftDeg: READ.yawTimes * pose.yawDeg + normal(random) * READ.yawDeg,
    upDeg: READ.pitchTimes * pose.pitchDeg + normal(random) * READ.pitchDeg + pitchOffset,
    rollDeg: pose.rollDeg,
    headWidthPx: widthShare * CAMERA.widthPx,
    widthShare,
    centre: {
      x: 0.5 + (CAMERA.focal * pose.x) / pose.distance,
      y: 0.5 + ((4 / 3) * (CAMERA.focal * pose.y)) / pose.distance,
    },
    eyeOpenness: 0.3,
    mouthOpenness: 0.05,
    sharpness: 2,
    pad: null,
    skin: null,
    forehead: null,
    surround: null,
    edges: null,
    isGood: true,
  }
}

/** The methods that did not refuse a session; null if a method was not asked. */
export interface ReplayedSession {
  readonly species: Replayed
  readonly accepts: {
    readonly depth: boolean | null
    readonly course: boolean
    readonly networks: boolean | null
    readonly scene: boolean | null
    readonly colours: boolean | null
    readonly product: boolean
  }
}

interface ReplayStage {
  readonly sessions: Sessions
  readonly people: readonly Person[]
  readonly seed: number
}

/** Plays one LIVENESS_MLC session; the replay was recorded in another session with other colours. */
export async function playReplay(
  stage: ReplayStage,
  species: Replayed,
  turn: number,
): Promise<ReplayedSession> {
  const { sessions, people } = stage
  const seed = stage.seed * 1_000_003 + turn * 97 + REPLAYED.indexOf(species) * 10_007
  const random = createRandom(seed)
  const room = await furnishRoom(random)
  const actor = await cast(
    species,
    {
      type: 'LIVENESS_MLC',
      person: people[turn % people.length],
      other: people[(turn + 1) % people.length],
      room,
      noise: 'nominal',
      turn,
      recorded: { background: await furnishRoom(random), colourAt: otherColours(random) },
    },
    random,
  )
  const channel = await openInProcess(sessions).open({
    type: 'LIVENESS_MLC',
    tampering: 'NONE',
    random: createRandom(seed + 1),
    colourSet: 'FULL',
  })
  const pictures: Buffer[] = []
  let atMs = 0
  for (let screen = await channel.begin(); screen !== null && atMs < MAX_MS;) {
    actor.see(screen, atMs)
    atMs += FRAME_MS * within(UNEVEN, random)
    const picture = await actor.picture(atMs)
    if (pictures.length < SCENE_AT_FRAME) pictures.push(picture)
    screen = await channel.frame(picture, atMs)
  }
  const { isLive, reasons, record } = await channel.verdict()
  const refused = (method: string) => reasons.some((reason) => reason.startsWith(`${method}_`))
  const own = record?.source === 'appliance' ? record : null
  const change = await sceneChange(sessions, pictures.at(-1), room)
  return {
    species,
    accepts: {
      course: !refused('COURSE'),
      depth: own?.depth ? !refused('DEPTH') : null,
      networks: own?.trace.pad ? !refused('PAD') : null,
      colours: own?.trace.colours.length ? !refused('REFLECTION') : null,
      scene: change === null ? null : judgeScene(change, loadedLimits().scene).outcome !== 'failed',
      product: isLive,
    },
  }
}

/** Number of the frame by which the person looks straight at the camera. */
const SCENE_AT_FRAME = 8

/** A recording shows its own colour sequence and changes at the latest when the screen changes. */
function otherColours(random: Random): (shown: ScreenColour | null) => ScreenColour | null {
  let [last, colour]: [ScreenColour | null, ScreenColour | null] = [null, null]
  return (shown) => {
    if (shown !== last) colour = shown && SCREEN_COLOURS[Math.floor(random() * SCREEN_COLOURS.length)]
    last = shown
    return colour
  }
}

async function sceneChange(
  sessions: Sessions,
  picture: Buffer | undefined,
  room: Raster,
): Promise<number | null> {
  if (!picture) return null
  const [mesher] = listSessions(sessions, 'face-mesh')
  const { raster } = await decodeImage(picture)
  const detect = createDetector(listSessions(sessions, 'face-detector')[0], mesher)
  const [face] = await detect(raster, { atFirstLook: true })
  return face ? measureSceneChange(raster, (await measureMesh(mesher, raster, face)).points, room) : null
}

const METHODS = ['depth', 'course', 'networks', 'scene', 'colours'] as const
/** Combinations of methods that must all accept; a missing measurement counts as refusal. */
const TOGETHER: Readonly<Record<string, readonly (typeof METHODS)[number][]>> = {
  'depth alone': ['depth'],
  'order and timing alone': ['course'],
  'networks alone': ['networks'],
  'empty scene alone': ['scene'],
  'colours alone': ['colours'],
  'depth, order and timing': ['depth', 'course'],
  'depth, order, timing, networks': ['depth', 'course', 'networks'],
  'depth, order, timing, scene': ['depth', 'course', 'scene'],
  'depth, order, timing, colours': ['depth', 'course', 'colours'],
  all: METHODS,
}

type Rates = Readonly<Record<string, CountedRate>>

/**
 * Share of sessions that each method accepts: single methods among the sessions they could measure, combinations among
 * all.
 */
export function takenOff(sessions: readonly ReplayedSession[]): Readonly<Record<string, Rates>> {
  return Object.fromEntries(
    [...Map.groupBy(sessions, ({ species }) => species)].map(([species, some]) => [
      species,
      Object.fromEntries([
        ...Object.entries(TOGETHER).map(([name, methods]) => [name, letThrough(some, methods)] as const),
        ['product', computeRate(some, ({ accepts }) => accepts.product)],
      ]),
    ]),
  )
}

function letThrough(
  sessions: readonly ReplayedSession[],
  methods: readonly (typeof METHODS)[number][],
): CountedRate {
  const measured =
    methods.length > 1 ? sessions : sessions.filter(({ accepts }) => accepts[methods[0]] !== null)
  return computeRate(measured, ({ accepts }) => methods.every((method) => accepts[method] === true))
}
