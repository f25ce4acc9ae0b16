/** Runs a whole appliance for a time, with proofings, faults and samples, and counts everything at the end. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { waitUntilAskedToStop } from '../../../commands/asked-to-stop.ts'
import { writeFileWhole } from '../../../files/write-file.ts'
import { PRODUCT_VERSION } from '../../../version.ts'
import { percentile } from '../../../vision/documents/percentiles.ts'
import { RelyingService } from '../../demo/client.ts'
import { captureLive, drawHolder, LIVENESS_TYPE, type Holder } from '../../demo/live-session.ts'
import { listSpecimens, type Specimen } from '../../demo/specimens.ts'
import { createApplicant, createBook, type ApplicantSetting, type Book } from '../crash/applicant.ts'
import { countEverything, countFindings, listFindings } from '../crash/count-everything.ts'
import { withInstallation, type Installation } from '../crash/installation.ts'
import { seeded } from '../crash/random.ts'
import { listPossibleFaults } from './faults.ts'
import type { Latency, SoakResult, SoakSettings, StepTimes } from './result.ts'
import { createSampler, METRICS_TOKEN_FILE } from './sampler.ts'
import { judgeSeries, type Sample } from './series.ts'

/** A live session takes about twenty seconds and a core for the drawing. */
const LIVE_EVERY = 6
/** A hostile picture is made of this one, which is small so that the appliance spends its time on proofings. */
const HOSTILE_BASE_WIDTH_PX = 480
const DISK_BYTES = 1_000_000_000
/** Thirty proofings a minute. */
const DISK_BYTES_PER_MINUTE = 50_000_000
const SAY_EVERY_MS = 60_000
/** A restart takes minutes on a machine that other work keeps busy, and a soak is often run beside other work. */
const PATIENCE_MS = 900_000

export async function runSoak(settings: SoakSettings, say: (line: string) => void): Promise<SoakResult> {
  const metricsToken = randomBytes(24).toString('hex')
  const installationSetting = {
    name: 'soak',
    centre: settings.centre,
    isDisturbed: true,
    keep: false,
    diskBytes: DISK_BYTES + settings.minutes * DISK_BYTES_PER_MINUTE,
    config: { metrics: { tokenFile: METRICS_TOKEN_FILE } },
    prepare: (kioskDir: string) => writeFileWhole(join(kioskDir, METRICS_TOKEN_FILE), metricsToken),
  }
  return withInstallation(installationSetting, async (installation) => {
    const startedAt = new Date().toISOString()
    const book = createBook()
    const broken: string[] = []
    const disturbed = await disturb(installation, { settings, book, metricsToken, say, broken })
    say('counting every proof')
    await waitForJobs(installation, metricsToken)
    const { findings, proofs } = await countEverything(installation, book)
    const judged = judgeSeries(disturbed.samples)
    const found = countFindings(findings)
    const isWhole = Object.values(found).every((count) => count === 0) && broken.length === 0
    return {
      startedAt,
      version: PRODUCT_VERSION,
      database: installation.database,
      settings,
      isGood: isWhole && judged.every(({ verdict }) => verdict !== 'DRIFT'),
      counts: {
        ...found,
        received: book.proofs.size,
        sealed: proofs,
        live: disturbed.latencies.filter(({ step }) => step === 'live session').length,
        abandoned: book.abandoned,
        broken: broken.length,
      },
      findings: [...broken, ...listFindings(findings)],
      judged,
      times: summarise(disturbed.latencies),
      ...disturbed,
    }
  })
}

/** Hostile pictures and abandoned visits leave jobs, and a job that has not run yet is no loss. */
async function waitForJobs({ kiosk, kioskDir }: Installation, metricsToken: string): Promise<void> {
  const sampler = createSampler(kiosk, kioskDir, metricsToken)
  const until = performance.now() + PATIENCE_MS
  while ((await sampler.take(0, 0)).values.openJobs !== 0 && performance.now() < until) await wait(1000)
}

interface Undertaking {
  readonly settings: SoakSettings
  readonly book: Book
  readonly metricsToken: string
  readonly say: (line: string) => void
  readonly broken: string[]
}

async function disturb(
  installation: Installation,
  { settings, book, metricsToken, say, broken }: Undertaking,
): Promise<Pick<SoakResult, 'seconds' | 'faults' | 'samples' | 'latencies'>> {
  const { kiosk, kioskDir, keys, disk } = installation
  const begun = performance.now()
  const readSeconds = (): number => (performance.now() - begun) / 1000
  const samples: Sample[] = []
  const latencies: Latency[] = []
  const faults: SoakResult['faults'][number][] = []
  const random = seeded(settings.seed)
  const specimens = listSpecimens()
  let isAskedToStop = false
  let hasFailed = false
  void waitUntilAskedToStop().then(() => {
    if (!isOver()) say('asked to stop: the run ends now, and everything is counted')
    isAskedToStop = true
  })
  const isOver = (): boolean =>
    isAskedToStop ||
    hasFailed ||
    readSeconds() >= settings.minutes * 60 ||
    (settings.proofings !== null && book.proofs.size >= settings.proofings)
  /** Ends early with the run. */
  const pause = async (seconds: number): Promise<void> => {
    const until = readSeconds() + seconds
    while (!isOver() && readSeconds() < until)
      await wait(Math.max(0, Math.min(500, (until - readSeconds()) * 1000)))
  }

  const applicant = createApplicant({
    url: kiosk.url,
    keys,
    specimens,
    book,
    patienceMs: PATIENCE_MS,
    timed: (step, ms) => latencies.push({ seconds: readSeconds(), step, ms }),
    presentLive: createLivePortraits(installation, specimens),
  })
  const sample = async (): Promise<void> => {
    const sampler = createSampler(kiosk, kioskDir, metricsToken)
    while (!isOver()) {
      samples.push(await sampler.take(readSeconds(), book.proofs.size))
      await pause(settings.sampleEverySeconds)
    }
  }
  const report = async (): Promise<void> => {
    while (!isOver()) {
      await pause(SAY_EVERY_MS / 1000)
      const values = samples.at(-1)?.values
      say(
        `${Math.round(readSeconds() / 60)} min: ${book.proofs.size} proofs, ${faults.length} faults, ` +
          `server ${Math.round(values?.serverMemory ?? 0)} MB, workers ${Math.round(values?.worker1Memory ?? 0)} and ` +
          `${Math.round(values?.worker2Memory ?? 0)} MB, ${values?.backlog ?? 0} proofs wait for the central service`,
      )
    }
  }
  const disturbAtRandom = async (): Promise<void> => {
    const document = await sharp(readFileSync(specimens[0].document))
      .resize(HOSTILE_BASE_WIDTH_PX)
      .png()
      .toBuffer()
    const broke = (finding: string): void => void broken.push(finding)
    for (;;) {
      await pause(settings.faultEverySeconds * (0.5 + random.next()))
      if (isOver()) return
      const share = findShare(settings, readSeconds(), book.proofs.size)
      const possible = listPossibleFaults(share, disk !== null).filter(({ name }) =>
        name.includes(settings.only),
      )
      if (possible.length === 0) continue
      const fault = random.pick(possible)
      const seconds = readSeconds()
      await fault.run({ installation, book, random, specimens, document, broke })
      faults.push({ seconds, name: fault.name, lasted: readSeconds() - seconds })
    }
  }
  const stopInTime = async (): Promise<void> => {
    while (!isOver()) await pause(60)
    applicant.stop()
  }
  const parts = [applicant.run(), stopInTime(), sample(), report(), disturbAtRandom()].map((part) =>
    part.catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  // A failure ends the other parts, and they end before the appliance is removed.
  await Promise.allSettled(parts)
  await Promise.all(parts)
  return { seconds: readSeconds(), faults, samples, latencies }
}

/** Share of the run that has passed. */
function findShare({ minutes, proofings }: SoakSettings, seconds: number, received: number): number {
  return Math.max(seconds / (minutes * 60), proofings === null ? 0 : received / proofings)
}

/** Every few proofings the specimen person comes before a simulated camera and follows the prompts of the appliance. */
function createLivePortraits(
  { kiosk, keys }: Installation,
  specimens: readonly Specimen[],
): NonNullable<ApplicantSetting['presentLive']> {
  const holders = new Map<string, Promise<Holder>>()
  const draw = (portrait: string): Promise<Holder> => {
    const holder = holders.get(portrait) ?? drawHolder(portrait)
    holders.set(portrait, holder)
    return holder
  }
  const service = new RelyingService(kiosk.url, keys)
  return async (identityId, count) => {
    if (count % LIVE_EVERY !== LIVE_EVERY - 1) return null
    try {
      const actor = await (await draw(specimens[count % specimens.length].portrait))()
      const { evidenceId, sessionId } = await service.openPortraitSession(identityId, { type: LIVENESS_TYPE })
      // A session that a fault broke ends by its deadline.
      const ended = captureLive(kiosk.url, sessionId, actor, () => undefined).then(
        () => undefined,
        () => undefined,
      )
      return { evidenceId, ended }
    } catch {
      // The server is away, and the applicant sends a file instead.
      return null
    }
  }
}

function summarise(latencies: readonly Latency[]): readonly StepTimes[] {
  return [...new Set(latencies.map(({ step }) => step))].map((step) => {
    const times = latencies.filter((each) => each.step === step).map(({ ms }) => ms)
    return {
      step,
      number: times.length,
      median: Math.round(percentile(times, 0.5)),
      p95: Math.round(percentile(times, 0.95)),
      longest: Math.round(percentile(times, 1)),
    }
  })
}
