/** Judges the recording of a liveness session again, with the models and limits of this installation. */
import { describePrompt, readSessionRecording, repeatDraws } from '../../live/session-recording.ts'
import { loadLivenessLimits } from '../../verification/liveness-limits.ts'
import { loadThresholds } from '../../verification/thresholds.ts'
import { createCalls } from '../../vision/calls.ts'
import { ImageFaultError } from '../../vision/protocol.ts'
import type { Sessions } from '../../vision/sessions.ts'
import { openSessionJudge, type JudgeTools } from '../session-judge.ts'

export interface JudgedRecording {
  /** Empty if the recording cannot be read. */
  readonly type: string
  readonly pictures: number
  /** Empty without an answer. */
  readonly decision: 'bona_fide' | 'attack' | ''
  readonly outcome: RecordingOutcome
  /** Code of the API and names of the methods that decided. */
  readonly codes: readonly string[]
}

type RecordingOutcome =
  | 'ok'
  /** The rules could not decide. */
  | 'inconclusive'
  /** The session has no end, because its time ran out or the appliance stopped. */
  | 'unfinished'
  /** This installation would have prompted something else, so the pictures answer other prompts. */
  | 'prompts_differ'
  | 'unreadable'

const WITHOUT_ANSWER = { decision: '', codes: [] } as const
const OUTCOMES = {
  passed: { decision: 'bona_fide', outcome: 'ok' },
  failed: { decision: 'attack', outcome: 'ok' },
  inconclusive: { decision: '', outcome: 'inconclusive' },
} as const

export function createRecordingJudge(sessions: Sessions): (folder: string) => Promise<JudgedRecording> {
  const vision = createCalls(sessions)
  const tools = { vision, limits: loadLivenessLimits(), thresholds: loadThresholds() }
  return (folder) => judge(tools, folder)
}

async function judge(tools: JudgeTools, folder: string): Promise<JudgedRecording> {
  const recording = readSessionRecording(folder)
  if (!recording) return { type: '', pictures: 0, outcome: 'unreadable', ...WITHOUT_ANSWER }
  const { start, emptyScene, frames, end } = recording
  const about = { type: start.settings.livenessType, pictures: frames.length }
  if (!end) return { ...about, outcome: 'unfinished', ...WITHOUT_ANSWER }
  try {
    const session = openSessionJudge(tools, { ...start, draw: repeatDraws(start.draws), emptyScene })
    for (const frame of frames) {
      if (describePrompt(session.getPrompt()) !== frame.prompt)
        return { ...about, outcome: 'prompts_differ', ...WITHOUT_ANSWER }
      await session.addFrame(recording.readPicture(frame), frame)
    }
    if (session.getPrompt() !== null && end.breach === null)
      return { ...about, outcome: 'prompts_differ', ...WITHOUT_ANSWER }
    const { verdict } = await session.decide(end.breach)
    const { code, reasons } = verdict
    return { ...about, ...OUTCOMES[verdict.outcome], codes: [...(code === null ? [] : [code]), ...reasons] }
  } catch (error) {
    if (!isOfRecording(error)) throw error
    return { ...about, outcome: 'unreadable', ...WITHOUT_ANSWER }
  }
}

/** A missing or damaged picture, or draws of another version. */
function isOfRecording(error: unknown): boolean {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  return isMissing || error instanceof ImageFaultError || error instanceof RangeError
}
