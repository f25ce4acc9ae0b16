/**
 * Plays sessions over HTTP on a whole appliance in this process, with the real store, keys, jobs and vision worker.
 * Only its clock is simulated: time advances with the pictures, so that a session of 20 simulated seconds takes only
 * its computing time. The product draws its random values from the operating system, so two runs with one seed
 * differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { PortraitGuidance } from '../../../api/contract/capture.ts'
import type { Clock } from '../../../clock.ts'
import { CONFIG_FILE, loadConfig } from '../../../config/config.ts'
import { RelyingService } from '../../demo/client.ts'
import { start } from '../../../index.ts'
import { createLog } from '../../../log.ts'
import type { ColourSet } from '../../../proofing/liveness/types.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import type { Screen } from '../../specimen/liveness/subject.ts'
import type { Pack } from '../../../vision/manifest.ts'
import { startVision } from '../../../vision/client.ts'
import { captureClient, type SentCall } from './capture-client.ts'
import type { Channel, Channels, Tampering, Verdict } from './channel.ts'

/** Above the calls of a bench, because it tests liveness and not the rate limit. */
const NO_RATE_LIMIT = 10_000_000
const CONSENTS = ['PORTRAIT']
/** Pause between two sessions on the appliance's clock. */
const BETWEEN_MS = 1000
/** The picture whose number is wrong. */
const TAMPERED_FRAME = 12

/** Stands still until it is advanced. */
interface BenchClock extends Clock {
  passTo(ms: number): void
  nowMs(): number
}

function benchClock(): BenchClock {
  const startedAt = Date.now()
  let passed = 0
  return {
    now: () => new Date(startedAt + passed),
    monotonicMs: () => passed,
    bootId: () => null,
    passTo: (ms) => {
      passed = Math.max(passed, ms)
    },
    nowMs: () => passed,
  }
}

export async function openOverHttp(options: {
  readonly modelsDir: string
  readonly packs: readonly Pack[]
}): Promise<Channels> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-liveness-'))
  const rateLimits = { relyingServicePerMinute: NO_RATE_LIMIT, userAgentPerMinute: NO_RATE_LIMIT }
  writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify({ rateLimits, liveness: { cameraMoves: false } }))
  const clock = benchClock()
  const vision = await startVision({ log: () => undefined, ...options })
  const { models } = await vision.health({})
  const log = createLog(new Writable({ write: (_chunk: Buffer, _encoding, done: () => void) => done() }))
  const appliance = await start({ config: loadConfig({ dataDir, port: 0 }), clock, vision, log })
  const keys = appliance.store.apiKeys.createPair('default', 'bench', clock.now())
  const { url } = appliance
  const service = new RelyingService(url, keys)
  const open = async (type: LivenessType): Promise<Opened> => {
    clock.passTo(clock.nowMs() + BETWEEN_MS)
    const { id: identityId } = await service.createIdentity([])
    await service.consent(identityId, CONSENTS)
    return { identityId, ...(await service.openPortraitSession(identityId, { type })) }
  }
  return {
    open: async ({ type, tampering, colourSet }) =>
      openChannel({ url, service, clock, colourSet, open: () => open(type) }, tampering),
    hasProtocol: true,
    models: models.map(({ id }) => id),
    close: async () => {
      await appliance.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

interface Opened {
  readonly identityId: string
  readonly evidenceId: string
  readonly sessionId: string
}

interface Appliance {
  readonly url: string
  readonly service: RelyingService
  readonly clock: BenchClock
  readonly colourSet: ColourSet
  open(): Promise<Opened>
}

async function openChannel(appliance: Appliance, tampering: Tampering): Promise<Channel> {
  const { url, clock, service } = appliance
  const opened = await appliance.open()
  const client = captureClient(url, opened.sessionId)
  const beganAtMs = clock.nowMs()
  let [frames, endedAt] = [0, 0]
  return {
    begin: async () => readScreen(await client.begin(0, { colours: appliance.colourSet })),
    async frame(picture, atMs) {
      clock.passTo(beganAtMs + atMs)
      const isWrong = tampering === 'SWAPPED_FRAMES' && ++frames === TAMPERED_FRAME
      endedAt = performance.now()
      return readScreen(await client.frame(picture, atMs, isWrong))
    },
    async verdict() {
      const verdict = await awaitVerdict(service, opened, endedAt)
      if (tampering === 'SAME_SESSION_AGAIN') return sendAgain(appliance, client.sent, opened, verdict)
      if (tampering === 'OTHER_SESSION_AGAIN')
        return sendAgain(appliance, client.sent, await appliance.open(), verdict)
      return verdict
    },
  }
}

function readScreen(guidance: PortraitGuidance | null): Screen | null {
  return guidance?.state === 'CAPTURING' ? guidance : null
}

/** As the relying service obtains it: polls, then reads the details. */
async function awaitVerdict(service: RelyingService, opened: Opened, endedAt: number): Promise<Verdict> {
  await service.waitForEvidence(opened.identityId, opened.evidenceId)
  const elapsedMs = performance.now() - endedAt
  const { portrait } = await service.identity(opened.identityId)
  if (!portrait) throw new Error('an identity without the portrait that was captured')
  const { status, errors, positiveIndicators } = portrait.evidenceStatus
  const measured = Object.assign(
    {},
    ...(portrait.verificationDetails ?? [])
      .flatMap(({ measurements }) => measurements)
      .filter(({ check }) => check === 'BIOMETRIC_LIVENESS_CHALLENGE')
      .map((measurement) => measurement.measured),
  ) as Record<string, number | string>
  const told = typeof measured.reasons === 'string' ? measured.reasons.split(' ') : []
  return {
    isLive: positiveIndicators.includes('BIOMETRIC_LIVENESS_CHALLENGE_OK'),
    status,
    reasons: [...errors.map(({ code }) => code), ...told],
    measured,
    record: null,
    elapsedMs,
  }
}

/** Repeats every accepted call of a session at the same intervals. */
async function sendAgain(
  { clock, service }: Appliance,
  sent: readonly SentCall[],
  to: Opened,
  first: Verdict,
): Promise<Verdict> {
  if (!first.isLive) return { ...first, isLive: false, status: 'NOT_STAGED' }
  const beganAtMs = clock.nowMs()
  const answers: number[] = []
  for (const call of sent) {
    clock.passTo(beganAtMs + call.atMs)
    const response = await call.send(to.sessionId)
    await response.arrayBuffer()
    answers.push(response.status)
  }
  const taken = answers.filter((status) => status === 200).length
  const reasons = [`answers ${[...new Set(answers)].join(' ')}`]
  const isSame = (await service.identity(to.identityId)).portrait?.evidenceStatus.positiveIndicators
  // A finished session accepts nothing more; a fresh one reports its own result.
  if (isSame?.includes('BIOMETRIC_LIVENESS_CHALLENGE_OK'))
    return { ...first, isLive: taken > 0, status: 'REFUSED', reasons, measured: {} }
  const again = await awaitVerdict(service, to, performance.now())
  return { ...again, reasons: [...again.reasons, ...reasons] }
}
