/**
 * How fast the appliance is in real time, as its own process: live pictures answered per second, and the time from the last
 * picture to the verdict. The camera continues while a picture is looked at; drawing takes its share of the machine.
 */
import { readFileSync } from 'node:fs'
import type { PortraitGuidance } from '../../../api/contract/capture.ts'
import { RelyingService } from '../../demo/client.ts'
import { withTemporaryServer, type Keys, type ServerProcess } from '../../demo/server-process.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { Actor } from './actors.ts'
import { captureClient } from './capture-client.ts'
import { quantiles, type Quantiles } from './figures.ts'

interface SpeedFigures {
  readonly type: LivenessType
  readonly sessions: number
  readonly frames: number
  /** Time from sending a picture to its guidance. */
  readonly guidanceMs: Quantiles | null
  /** Pictures answered per second of a session, including drawing. */
  readonly framesPerSecond: number
  /**
   * Times from sending the last picture, and from its answer, until the relying service can read the verdict.
   */
  readonly verdictMs: Quantiles | null
  readonly verdictAfterAnswerMs: Quantiles | null
  /**
   * Processor time of server and worker, which is more reliable than the clock on a busy machine. Null if unavailable.
   */
  readonly processorMs: { readonly perPicture: number; readonly verdict: Quantiles | null } | null
}

interface SpeedOptions {
  readonly type: LivenessType
  readonly sessions: number
  readonly packs: 'core' | 'all'
  readonly modelsDir: string
  /** A live person. */
  readonly cast: (index: number, random: () => number) => Promise<Actor>
}

const POLL_MS = 10
const MAX_VERDICT_MS = 60_000
/** The first session compiles the code and is not counted. */
const WARM_UP = 1

export async function measureSpeed(options: SpeedOptions): Promise<SpeedFigures> {
  process.env.COUNTERPROOF_MODELS = options.modelsDir
  return withTemporaryServer('speed', (server, keys) => playSessions(server, keys, options), {
    vision: { packs: options.packs },
  })
}

async function playSessions(server: ServerProcess, keys: Keys, options: SpeedOptions): Promise<SpeedFigures> {
  const times: SessionTimes[] = []
  for (let index = 0; index < WARM_UP + options.sessions; index++) {
    const session = await oneSession(server, keys, options, index)
    if (index >= WARM_UP) times.push(session)
  }
  const guidance = times.flatMap(({ guidanceMs }) => guidanceMs)
  const seconds = times.reduce((sum, { seconds }) => sum + seconds, 0)
  return {
    type: options.type,
    sessions: times.length,
    frames: guidance.length,
    guidanceMs: quantiles(guidance),
    framesPerSecond: Math.round((10 * guidance.length) / seconds) / 10,
    verdictMs: quantiles(times.map(({ verdictMs }) => verdictMs)),
    verdictAfterAnswerMs: quantiles(times.map(({ afterAnswerMs }) => afterAnswerMs)),
    processorMs: processorTime(times),
  }
}

function processorTime(times: readonly SessionTimes[]): SpeedFigures['processorMs'] {
  const known = times.flatMap(({ processor }) => processor ?? [])
  if (known.length === 0) return null
  const frames = times.reduce((sum, { guidanceMs }) => sum + guidanceMs.length, 0)
  const spent = known.reduce((sum, { guidanceMs }) => sum + guidanceMs, 0)
  return {
    perPicture: Math.round(spent / Math.max(1, frames)),
    verdict: quantiles(known.map(({ verdictMs }) => verdictMs)),
  }
}

interface SessionTimes {
  readonly guidanceMs: readonly number[]
  readonly seconds: number
  readonly verdictMs: number
  readonly afterAnswerMs: number
  readonly processor: { readonly guidanceMs: number; readonly verdictMs: number } | null
}

async function oneSession(
  { url, pid }: Pick<ServerProcess, 'url' | 'pid'>,
  keys: Keys,
  { type, cast }: SpeedOptions,
  index: number,
): Promise<SessionTimes> {
  const service = new RelyingService(url, keys)
  const { id } = await service.createIdentity([])
  await service.consent(id, ['PORTRAIT'])
  const { evidenceId, sessionId } = await service.openPortraitSession(id, { type })
  const client = captureClient(url, sessionId)
  const actor = await cast(index, createRandom(index + 1))
  const startedAt = performance.now()
  const now = (): number => performance.now() - startedAt
  let guidance: PortraitGuidance | null = await client.begin(0)
  let picture = await actor.picture(now())
  let sentAt = 0
  const processorAtFirst = processorMs(pid)
  let processorBefore = processorAtFirst
  const guidanceMs: number[] = []
  while (guidance?.state === 'CAPTURING') {
    actor.see(guidance, now())
    processorBefore = processorMs(pid)
    sentAt = now()
    const [answer, next] = await Promise.all([
      client.frame(picture, sentAt).then((answered) => ({ answered, atMs: now() })),
      actor.picture(sentAt),
    ])
    guidanceMs.push(answer.atMs - sentAt)
    guidance = answer.answered
    picture = next
  }
  const endedAt = sentAt + (guidanceMs.at(-1) ?? 0)
  const decidedAt = await decided(url, keys.userAgentKey, id, evidenceId, now)
  const processorAtLast = processorMs(pid)
  return {
    // Leaves out the last call, which measures the whole session and gives no guidance.
    guidanceMs: guidanceMs.slice(0, -1),
    seconds: sentAt / 1000,
    verdictMs: decidedAt - sentAt,
    afterAnswerMs: decidedAt - endedAt,
    processor:
      processorAtFirst === null || processorBefore === null || processorAtLast === null
        ? null
        : {
            guidanceMs: processorBefore - processorAtFirst,
            verdictMs: processorAtLast - processorBefore,
          },
  }
}

async function decided(
  url: string,
  key: string,
  identityId: string,
  evidenceId: string,
  now: () => number,
): Promise<number> {
  const headers = { apikey: key, 'user-agent': 'counterproof-bench/1 (en)' }
  for (const until = now() + MAX_VERDICT_MS; now() < until;) {
    const response = await fetch(`${url}/v1/identities/${identityId}/status/${evidenceId}`, { headers })
    const { status } = (await response.json()) as { readonly status: string }
    if (status !== 'PROCESSING') return now()
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error('no verdict within a minute')
}

/** Linux: a hundred ticks per second. */
const TICK_MS = 10
/** Indices in /proc/PID/stat after the name in brackets: user and system time. */
const TIMES_AT = [11, 12] as const

/** Processor time of a process and its descendants; null if the system does not report it. */
function processorMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const own = TIMES_AT.reduce((sum, at) => sum + Number(fields[at]) * TICK_MS, 0)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    const pids = children === '' ? [] : children.split(' ').map(Number)
    return pids.reduce((sum, child) => sum + (processorMs(child) ?? 0), own)
  } catch {
    return null
  }
}
