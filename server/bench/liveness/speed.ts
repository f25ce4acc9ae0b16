/**
 * How fast the appliance is in real time, as its own process: live pictures answered per second, and the time from the last
 * picture to the verdict. The camera goes on while a picture is looked at; drawing takes its share of the machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PortraitGuidance } from '../../capture/contract.ts'
import { CONFIG_FILE } from '../../config/config.ts'
import { RelyingService } from '../../demo/client.ts'
import { createKeys, startServerProcess } from '../../demo/server-process.ts'
import type { LivenessType } from '../../proofing/types.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { Actor } from './actors.ts'
import { captureClient } from './capture-client.ts'
import { quantiles, type Quantiles } from './figures.ts'

export interface SpeedFigures {
  readonly type: LivenessType
  readonly sessions: number
  readonly frames: number
  /** From sending a picture to its guidance. */
  readonly guidanceMs: Quantiles | null
  /** Pictures answered per second of a session, drawing included. */
  readonly framesPerSecond: number
  /** From sending the last picture, and from its answer, to the moment at which the relying service can read the verdict. */
  readonly verdictMs: Quantiles | null
  readonly verdictAfterAnswerMs: Quantiles | null
}

export interface SpeedOptions {
  readonly type: LivenessType
  readonly sessions: number
  readonly packs: 'core' | 'all'
  readonly modelsDir: string
  /** Somebody live. */
  readonly cast: (index: number, random: () => number) => Promise<Actor>
}

const NO_RATE_LIMIT = 10_000_000
const POLL_MS = 10
const LONGEST_VERDICT_MS = 60_000

export async function measureSpeed(options: SpeedOptions): Promise<SpeedFigures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-speed-'))
  const rateLimits = { relyingServicePerMinute: NO_RATE_LIMIT, userAgentPerMinute: NO_RATE_LIMIT }
  writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify({ rateLimits, vision: { packs: options.packs } }))
  process.env.COUNTERPROOF_MODELS = options.modelsDir
  const server = await startServerProcess(dataDir)
  try {
    const keys = await createKeys(dataDir, 'bench')
    const times: SessionTimes[] = []
    for (let index = 0; index < options.sessions; index++)
      times.push(await oneSession(server.url, keys, options, index))
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
    }
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

interface SessionTimes {
  readonly guidanceMs: readonly number[]
  readonly seconds: number
  readonly verdictMs: number
  readonly afterAnswerMs: number
}

async function oneSession(
  url: string,
  keys: ConstructorParameters<typeof RelyingService>[1],
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
  const guidanceMs: number[] = []
  while (guidance?.state === 'CAPTURING') {
    actor.see(guidance, now())
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
  return {
    // The last one measures the whole session: it is no guidance.
    guidanceMs: guidanceMs.slice(0, -1),
    seconds: sentAt / 1000,
    verdictMs: decidedAt - sentAt,
    afterAnswerMs: decidedAt - endedAt,
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
  for (const until = now() + LONGEST_VERDICT_MS; now() < until;) {
    const response = await fetch(`${url}/v1/identities/${identityId}/status/${evidenceId}`, { headers })
    const { status } = (await response.json()) as { readonly status: string }
    if (status !== 'PROCESSING') return now()
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error('no verdict within a minute')
}
