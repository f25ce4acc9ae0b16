/**
 * Recordings of portrait sessions for an evaluation of liveness (docs/evaluate.md): a folder for each session with its
 * pictures and `session.ndjson`. The first line states what was drawn, each further line one picture, the last line the end.
 * Pictures are not encrypted, so the configuration allows recordings in test mode only.
 */
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { LivenessSettings } from '../proofing/capture-session.ts'
import {
  SESSION_BREACHES,
  type Draw,
  type LivenessPrompt,
  type SessionBreach,
} from '../proofing/liveness/types.ts'
import { CAPTURE_MODES, LIVENESS_TYPES, SECURITY_LEVELS } from '../proofing/types.ts'

/** Every event of the session, one a line; the last one tells its end. */
export const LINES_FILE = 'session.ndjson'
const EMPTY_SCENE_FILE = 'empty-scene'
/** A session of the longest time with 30 pictures per second has about 2 700 lines of 150 bytes. */
const MAX_LINES_BYTES = 4 * 1024 * 1024
const MAX_PICTURE_BYTES = 32 * 1024 * 1024
const MAX_FRAMES = 10_000

const Start = z.strictObject({
  format: z.literal('counterproof-liveness-session/1'),
  settings: z.strictObject({
    mode: z.enum(CAPTURE_MODES),
    livenessType: z.enum(LIVENESS_TYPES),
    securityLevel: z.enum(SECURITY_LEVELS),
    nbChallenge: z.int().min(1).max(10).optional(),
  }),
  /** Random numbers in the order in which the challenge sequence drew them. */
  draws: z.array(z.int().nonnegative()).max(1000),
  colourSet: z.enum(['FULL', 'CALM']),
  cameraMoves: z.boolean(),
  hasEmptyScene: z.boolean(),
})
const RecordedFrame = z.strictObject({
  sequence: z.int().min(1).max(MAX_FRAMES),
  /** Milliseconds since the beginning, and the appliance's own share of them. */
  atMs: z.number().nonnegative(),
  ownMs: z.number().nonnegative(),
  /** The prompt while this picture was taken. */
  prompt: z.string().max(60),
})
const End = z.strictObject({ end: z.literal(true), breach: z.enum(SESSION_BREACHES).nullable() })

type RecordedStart = Omit<z.infer<typeof Start>, 'format' | 'hasEmptyScene' | 'settings'> & {
  readonly settings: LivenessSettings
}
type RecordedFrame = z.infer<typeof RecordedFrame>

interface SessionRecording {
  readonly start: RecordedStart
  readonly emptyScene: Uint8Array | null
  readonly frames: readonly RecordedFrame[]
  /** Null if the session never ended, for example because its time ran out. */
  readonly end: { readonly breach: SessionBreach | null } | null
  /** Throws if the picture is missing or too large. */
  readPicture(frame: RecordedFrame): Uint8Array
}

/** Writes sessions as they run. The methods throw if the disk refuses. */
export interface SessionRecorder {
  begin(sessionId: string, start: RecordedStart, emptyScene: Uint8Array | null): void
  addFrame(sessionId: string, frame: RecordedFrame, picture: Uint8Array): void
  end(sessionId: string, breach: SessionBreach | null): void
}

const pictureName = ({ sequence }: Pick<RecordedFrame, 'sequence'>): string =>
  `${String(sequence).padStart(6, '0')}.picture`

export function createSessionRecorder(folder: string): SessionRecorder {
  const addLine = (sessionId: string, line: object): void =>
    appendFileSync(join(folder, sessionId, LINES_FILE), `${JSON.stringify(line)}\n`, { mode: 0o600 })
  return {
    begin(sessionId, start, emptyScene) {
      mkdirSync(join(folder, sessionId), { recursive: true, mode: 0o700 })
      if (emptyScene) writeFileSync(join(folder, sessionId, EMPTY_SCENE_FILE), emptyScene, { mode: 0o600 })
      addLine(sessionId, {
        format: 'counterproof-liveness-session/1',
        ...start,
        hasEmptyScene: emptyScene !== null,
      } satisfies z.infer<typeof Start>)
    },
    addFrame(sessionId, frame, picture) {
      writeFileSync(join(folder, sessionId, pictureName(frame)), picture, { mode: 0o600 })
      addLine(sessionId, frame)
    },
    end: (sessionId, breach) => addLine(sessionId, { end: true, breach } satisfies z.infer<typeof End>),
  }
}

/** Identifies a prompt within its session. */
export function describePrompt(prompt: LivenessPrompt | null): string {
  return prompt === null
    ? ''
    : [prompt.index, prompt.kind, prompt.attempt, prompt.colour ?? ''].join(' ').trim()
}

/** Records the numbers that `draw` returns. */
export function noteDraws(draw: Draw, draws: number[]): Draw {
  return (below) => {
    const drawn = draw(below)
    draws.push(drawn)
    return drawn
  }
}

/** Returns the recorded numbers in their order. Throws RangeError if more are drawn, or one does not fit. */
export function repeatDraws(draws: readonly number[]): Draw {
  let next = 0
  return (below) => {
    const drawn = draws.at(next++)
    if (drawn === undefined || drawn >= below) throw new RangeError('the recorded draws do not fit')
    return drawn
  }
}

/** Null if the folder holds no recording that this version can read. */
export function readSessionRecording(folder: string): SessionRecording | null {
  const lines = readLines(join(folder, LINES_FILE))
  if (lines === null) return null
  const start = Start.safeParse(lines.at(0))
  const last = End.safeParse(lines.at(-1))
  const frames = z
    .array(RecordedFrame)
    .max(MAX_FRAMES)
    .safeParse(lines.slice(1, last.success ? -1 : undefined))
  if (!start.success || !frames.success) return null
  const { settings, draws, colourSet, cameraMoves, hasEmptyScene } = start.data
  const { nbChallenge, ...others } = settings
  const readFile = (name: string): Uint8Array => {
    const path = join(folder, name)
    if (statSync(path).size > MAX_PICTURE_BYTES) throw new RangeError('a recorded picture is too large')
    return readFileSync(path)
  }
  return {
    start: {
      settings: { ...others, ...(nbChallenge === undefined ? {} : { nbChallenge }) },
      draws,
      colourSet,
      cameraMoves,
    },
    emptyScene: hasEmptyScene ? readFile(EMPTY_SCENE_FILE) : null,
    frames: frames.data,
    end: last.success ? { breach: last.data.breach } : null,
    readPicture: (frame) => readFile(pictureName(frame)),
  }
}

/** Null if the file is missing, too large or no JSON per line. A line that a crash cut off is left out. */
function readLines(path: string): unknown[] | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined || size > MAX_LINES_BYTES) return null
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown)
  } catch {
    return null
  }
}
