/**
 * Runs `npm run bench:screens`: measures how soon the built screens show something, how soon they answer a touch
 * while documents are being verified at the same time, and how much they load. Uses a real server, its real vision
 * worker and Debian's Chromium.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Browser, Page } from 'playwright-core'
import { withTemporaryServer, type Keys } from '../demo/server-process.ts'
import { ensureRendererBuilt } from '../../launch/renderer.ts'
import type { VerifierData } from './api-verifier.ts'
import { endBench } from './labelled-data.ts'
import { measureBundle } from './screens-bundle.ts'
import type { BundleSize } from './screens-bundle.ts'
import { touchThrough, type Touch } from './screens-touches.ts'
import { startSlowIssuer, type SlowIssuer, type WaitedProofings } from './screens-waiting.ts'

const HELP = `bench-screens: measures first paint, the answer to a touch while documents are verified, and the loaded size

  --loads N    loads of each page with nothing cached            (default 10)
  --rounds N   rounds of touches over the kiosk's screens        (default 1)
  --idle       verifies no documents, for comparison
  --waiting N  keeps N proofings waiting for an issuing source that answers after 3 seconds (default 0)
  --json       one JSON object at the end
  --help       this text

CHROMIUM_PATH names the browser (default /usr/bin/chromium). Times are milliseconds; sizes are kB, compressed, without
fonts. Goals: first paint at most 1000 ms, 95 of 100 touches answered within 100 ms, the kiosk at most 400 kB.
Ends with status 1 if a goal is missed.

Example: npm run bench:screens -- --loads 3 --json
`
const GOALS = { firstPaintMs: 1000, touchMs: 100, kioskBytes: 400_000 }
const PAGES = { kiosk: '', counter: 'counter/' } as const
type PageName = keyof typeof PAGES

interface Loads {
  readonly firstPaintMedian: number
  readonly firstPaintMost: number
  /** Time until the first screen can be read and touched. */
  readonly readyMedian: number
}

interface ScreensBench {
  readonly loads: Readonly<Record<PageName, Loads>>
  readonly touches: {
    readonly count: number
    readonly p50: number
    readonly p95: number
    readonly most: number
    readonly slowest: string
    readonly documentsVerified: number
  }
  /** Absent without `--waiting`. */
  readonly waited?: WaitedProofings
  readonly bundles: Readonly<Record<PageName, BundleSize>>
  readonly goalsMet: boolean
  readonly cores: number
  readonly processor: string
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      loads: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '1' },
      idle: { type: 'boolean', default: false },
      waiting: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [loads = 0, rounds = 0] = [values.loads, values.rounds].map(Number)
  if (![loads, rounds].every((number) => Number.isInteger(number) && number > 0)) {
    process.stderr.write('--loads and --rounds take whole numbers above 0\n')
    return 2
  }
  const waiting = Number(values.waiting)
  if (!Number.isInteger(waiting) || waiting < 0) {
    process.stderr.write('--waiting takes a whole number\n')
    return 2
  }
  const result = await measure({ loads, rounds, idle: values.idle, waiting })
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return endBench(result.touches.count, result.goalsMet)
}

interface Plan {
  readonly loads: number
  readonly rounds: number
  readonly idle: boolean
  /** Proofings that wait for an issuing source. */
  readonly waiting: number
}

async function measure(plan: Plan): Promise<ScreensBench> {
  const screensDir = await ensureRendererBuilt()
  const issuer = plan.waiting > 0 ? await startSlowIssuer() : null
  try {
    const use = ({ url }: { readonly url: string }, keys: Keys) =>
      measureServer(url, keys, plan, screensDir, issuer)
    return await withTemporaryServer('bench', use, issuer?.config)
  } finally {
    await issuer?.close()
  }
}

async function measureServer(
  url: string,
  keys: Keys,
  { loads, rounds, idle, waiting }: Plan,
  screensDir: string,
  issuer: SlowIssuer | null,
): Promise<ScreensBench> {
  const browser = await openBrowser()
  try {
    const loaded = {
      kiosk: await load(browser, `${url}/${PAGES.kiosk}`, loads),
      counter: await load(browser, `${url}/${PAGES.counter}`, loads),
    }
    const verifier = idle ? null : await startVerifier({ url, keys })
    const endWaiting = issuer?.keepWaiting(url, keys, waiting)
    const touches: Touch[] = []
    const before = verifier?.verified() ?? 0
    let waited: WaitedProofings | undefined
    try {
      for (let round = 0; round < rounds; round++) touches.push(...(await touchThrough(browser, url)))
    } finally {
      waited = await endWaiting?.()
    }
    const documentsVerified = (verifier?.verified() ?? 0) - before
    await verifier?.stop()
    return { ...conclude(loaded, touches, documentsVerified, screensDir), ...(waited ? { waited } : {}) }
  } finally {
    await browser.close()
  }
}

function conclude(
  loads: ScreensBench['loads'],
  touches: readonly Touch[],
  documentsVerified: number,
  screensDir: string,
): ScreensBench {
  const sorted = touches.toSorted((a, b) => a.ms - b.ms)
  const atShare = (share: number) => round(sorted[Math.ceil(sorted.length * share) - 1]?.ms ?? Infinity)
  const slowest = sorted.at(-1)
  const kiosk = measureBundle(screensDir, 'kiosk')
  const firstPaints = Object.values(loads).map(({ firstPaintMedian }) => firstPaintMedian)
  return {
    loads,
    touches: {
      count: touches.length,
      p50: atShare(0.5),
      p95: atShare(0.95),
      most: atShare(1),
      slowest: slowest?.what ?? '',
      documentsVerified,
    },
    bundles: { kiosk, counter: measureBundle(screensDir, 'counter') },
    goalsMet:
      Math.max(...firstPaints) <= GOALS.firstPaintMs &&
      atShare(0.95) <= GOALS.touchMs &&
      kiosk.scripts + kiosk.styles <= GOALS.kioskBytes,
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
  }
}

/** The browser is a development tool; an installation without it says so. */
async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    // Chromium's own sandbox cannot start as root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
}

/** Each load uses a new profile with an empty cache, as after an installation. */
async function load(browser: Browser, url: string, times: number): Promise<Loads> {
  const paints: number[] = []
  const readies: number[] = []
  for (let at = 0; at < times; at++) {
    const context = await browser.newContext({ viewport: { width: 1080, height: 1920 } })
    const page = await context.newPage()
    await page.goto(url)
    await page.locator('h1:visible').first().waitFor()
    paints.push(await measureFirstPaint(page))
    readies.push(await page.evaluate(() => performance.now()))
    await context.close()
  }
  return {
    firstPaintMedian: round(median(paints)),
    firstPaintMost: round(Math.max(...paints)),
    readyMedian: round(median(readies)),
  }
}

/** PerformancePaintTiming counts from the moment the address was opened. */
async function measureFirstPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const paint = list.getEntriesByName('first-contentful-paint')[0]
          if (paint) resolve(paint.startTime)
        }).observe({ type: 'paint', buffered: true })
      }),
  )
}

/** Verifies documents one after the other; resolves at the first decision, so that all touches happen during the work. */
async function startVerifier(data: VerifierData) {
  let verified = 0
  const thread = new Worker(new URL('./api-verifier.ts', import.meta.url), { workerData: data })
  await new Promise<void>((resolve, reject) => {
    thread.on('message', () => {
      verified += 1
      resolve()
    })
    thread.on('error', reject)
  })
  return { verified: () => verified, stop: () => thread.terminate() }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = NaN, high = NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return (low + high) / 2
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function describe({ loads, touches, waited, bundles, goalsMet, cores, processor }: ScreensBench): string {
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  const lines = Object.entries(loads).map(
    ([page, { firstPaintMedian, firstPaintMost, readyMedian }]) =>
      `${page}: first paint ${firstPaintMedian} ms (most ${firstPaintMost}), first screen ready ${readyMedian} ms`,
  )
  const { count, p50, p95, most, slowest, documentsVerified } = touches
  lines.push(
    `${count} touches at the kiosk: p50 ${p50} ms · p95 ${p95} ms · most ${most} ms (${slowest}); ` +
      `${documentsVerified} documents verified meanwhile`,
  )
  if (waited)
    lines.push(`${waited.answered} waiting proofings answered, 95 of 100 within ${waited.p95Seconds} s`)
  for (const [page, { scripts, styles, lazy }] of Object.entries(bundles)) {
    const languages = Object.entries(lazy).map(([name, bytes]) => `${name} ${kB(bytes)}`)
    lines.push(
      `${page}: ${kB(scripts)} scripts, ${kB(styles)} styles; later ${languages.join(', ') || 'nothing'}`,
    )
  }
  lines.push(`goals ${goalsMet ? 'met' : 'missed'} · ${cores} cores (${processor})`, '')
  return lines.join('\n')
}
