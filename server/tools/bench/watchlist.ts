/**
 * Runs `npm run bench:watchlist`: measures on an invented list how often listed people are found by distorted data,
 * and how often other people raise an alarm. Picks the thresholds on one half of the people and reports the rates of
 * the other half. Writes no file.
 */
import { setFlagsFromString } from 'node:v8'
import { parseArgs } from 'node:util'
import { runInNewContext } from 'node:vm'
import type { MatchLimits } from '../../proofing/watchlist/limits.ts'
import { prepareSought } from '../../proofing/watchlist/score.ts'
import { loadMatchLimits } from '../../watchlists/limits.ts'
import { ScreeningIndex } from '../../watchlists/screening-index.ts'
import { seeded, type Random } from './crash/random.ts'
import { endBench } from './labelled-data.ts'
import { quantile, wilson95 } from './error-rates.ts'
import {
  DISTORTIONS,
  drawEntry,
  presentListed,
  presentOther,
  type Entry,
  type Presented,
} from './watchlist/people.ts'
import { ORIGINS } from './watchlist/origins.ts'

const HELP = `bench-watchlist: hit rate and false-alarm rate of the comparison with watchlists, on invented people

  --persons N      on the invented list                        (default 40000)
  --trials N       number of listed and of other people per half (default 2000)
  --seed N         the same seed draws the same people         (default 1)
  --json           one JSON object at the end
  --help           this text

All people are invented: common names of ${ORIGINS.length} origins in their usual spellings, drawn for each run. Listed people have
${DISTORTIONS.length} kinds of distortion of the name in turn, a date of birth that is right (80 %), up to a year off (15 %) or not
known, and their own country (80 %) or another. Each is compared with the whole list. A miss: the person's own entry is below the
threshold. A false alarm: a person who is not listed reaches it with any entry. Thresholds are picked on the
development half (possible: the lowest with at most ${percent(0.03)} false alarms; hit: with at most ${percent(0.002)}, a second factor
needed) and told for the other. Intervals are Wilson's, 95 %. Times are of one search; other programs on the machine change them.

Example: npm run bench:watchlist -- --persons 5000 --trials 500
`

/** Share of false alarms that a counter may accept. Our choice, printed with the rates. */
const MAX_ALARMS = { possible: 0.03, hit: 0.002 }
const THRESHOLDS = Array.from({ length: 26 }, (_, i) => Math.round((0.7 + i / 100) * 100) / 100)

export interface Rate {
  readonly rate: number
  readonly errors: number
  readonly trials: number
  readonly ci95: readonly [number, number]
}
interface Held {
  readonly presented: Presented
  /** Score of the own entry for listed people, of the nearest entry for others. */
  readonly score: number
  readonly withSecondFactor: number
}
interface Half {
  readonly listed: readonly Held[]
  readonly others: readonly Held[]
}
interface WatchlistBench {
  readonly seed: number
  readonly persons: number
  readonly names: number
  readonly words: number
  readonly trials: number
  readonly picked: { readonly possible: number; readonly hit: number }
  /** Rates of the half that was not used for choosing, at the thresholds of resources/watchlist.json. */
  readonly inForce: ReturnType<typeof ratesAt>
  readonly atPicked: ReturnType<typeof ratesAt>
  readonly byThreshold: readonly {
    readonly threshold: number
    readonly misses: Rate
    readonly falseAlarms: Rate
  }[]
  readonly byDistortion: Readonly<Record<string, Rate>>
  readonly byOrigin: Readonly<Record<string, { readonly misses: Rate; readonly falseAlarms: Rate }>>
  readonly cost: {
    readonly loadMs: number
    readonly memoryMb: number
    readonly searchMs: { readonly median: number; readonly p99: number; readonly cpuMean: number }
  }
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      persons: { type: 'string', default: '40000' },
      trials: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [persons, trials, seed] = [values.persons, values.trials, values.seed].map(Number)
  if (![persons, trials, seed].every((number) => Number.isInteger(number) && number > 0)) {
    process.stderr.write('--persons, --trials and --seed take whole numbers above 0\n')
    return 2
  }
  const result = bench(persons, trials, seed, loadMatchLimits())
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : inWords(result))
  return Promise.resolve(endBench(result.trials))
}

export function bench(persons: number, trials: number, seed: number, limits: MatchLimits): WatchlistBench {
  const random = seeded(seed)
  const entries = Array.from({ length: persons }, (_, i) => drawEntry(random, i + 1))
  const before = heapMb()
  const start = performance.now()
  const index = new ScreeningIndex(limits)
  for (const { listed } of entries) index.add(listed)
  const loadMs = Math.round(performance.now() - start)
  const memoryMb = Math.round(heapMb() - before)
  const times: number[] = []
  const cpu = process.cpuUsage()
  const [development, heldOut] = [0, 1].map((half): Half =>
    present(entries, half, trials, random, index, times),
  )
  const { user, system } = process.cpuUsage(cpu)
  const picked = pick(development)
  const inForce = { possible: limits.possible, hit: limits.hit }
  const { names, words } = index.size
  return {
    seed,
    persons,
    names,
    words,
    trials,
    picked,
    inForce: ratesAt(heldOut, inForce),
    atPicked: ratesAt(heldOut, picked),
    byThreshold: THRESHOLDS.map((threshold) => ({
      threshold,
      misses: rateMisses(heldOut.listed, threshold),
      falseAlarms: rateAlarms(heldOut.others, threshold),
    })),
    byDistortion: Object.fromEntries(
      DISTORTIONS.map((distortion) => [
        distortion,
        rateMisses(
          heldOut.listed.filter(({ presented }) => presented.distortion === distortion),
          limits.possible,
        ),
      ]),
    ),
    byOrigin: Object.fromEntries(
      ORIGINS.map(({ name }) => {
        const ofOrigin = (held: readonly Held[]) => held.filter(({ presented }) => presented.origin === name)
        return [
          name,
          {
            misses: rateMisses(ofOrigin(heldOut.listed), limits.possible),
            falseAlarms: rateAlarms(ofOrigin(heldOut.others), limits.possible),
          },
        ]
      }),
    ),
    cost: {
      loadMs,
      memoryMb,
      searchMs: {
        median: Math.round(quantile(times, 0.5) ?? 0),
        p99: Math.round(quantile(times, 0.99) ?? 0),
        cpuMean: Math.round((user + system) / 1000 / times.length),
      },
    },
  }
}

/** Even entries belong to one half, odd ones to the other; other people are drawn for each half. */
function present(
  entries: readonly Entry[],
  half: number,
  trials: number,
  random: Random,
  index: ScreeningIndex,
  times: number[],
): Half {
  const hold = (presented: Presented): Held => {
    const start = performance.now()
    const found = index.search(prepareSought(presented.asked))
    times.push(performance.now() - start)
    const counted = presented.id === null ? found : found.filter(({ id }) => id === presented.id)
    const best = (matches: typeof found) => Math.max(0, ...matches.map(({ score }) => score))
    return {
      presented,
      score: best(counted),
      withSecondFactor: best(counted.filter(({ hasSecondFactor }) => hasSecondFactor)),
    }
  }
  const own = entries.filter((_, i) => i % 2 === half)
  const listed = Array.from({ length: trials }, (_, i) =>
    hold(presentListed(random, random.pick(own), DISTORTIONS[i % DISTORTIONS.length])),
  )
  return { listed, others: Array.from({ length: trials }, () => hold(presentOther(random))) }
}

function pick({ others }: Half): { readonly possible: number; readonly hit: number } {
  const lowest = (most: number, getScore: (held: Held) => number): number =>
    THRESHOLDS.find((threshold) => share(others, (held) => getScore(held) >= threshold) <= most) ?? 1
  const possible = lowest(MAX_ALARMS.possible, ({ score }) => score)
  return {
    possible,
    hit: Math.max(
      possible,
      lowest(MAX_ALARMS.hit, ({ withSecondFactor }) => withSecondFactor),
    ),
  }
}

function ratesAt({ listed, others }: Half, { possible, hit }: { possible: number; hit: number }) {
  return {
    possible,
    hit,
    misses: rateMisses(listed, possible),
    falseAlarms: rateAlarms(others, possible),
    /** Rate of listed people who are a HIT, and rate of other people who are one. */
    hits: computeRate(listed, ({ withSecondFactor }) => withSecondFactor >= hit),
    falseHits: computeRate(others, ({ withSecondFactor }) => withSecondFactor >= hit),
  }
}

function rateMisses(held: readonly Held[], threshold: number): Rate {
  return computeRate(held, ({ score }) => score < threshold)
}

function rateAlarms(held: readonly Held[], threshold: number): Rate {
  return computeRate(held, ({ score }) => score >= threshold)
}

function computeRate(held: readonly Held[], counts: (held: Held) => boolean): Rate {
  const errors = held.filter(counts).length
  const [low, high] = wilson95(errors, held.length)
  return { rate: round(share(held, counts)), errors, trials: held.length, ci95: [round(low), round(high)] }
}

function share(held: readonly Held[], counts: (held: Held) => boolean): number {
  return held.length === 0 ? 0 : held.filter(counts).length / held.length
}

/** Heap size after garbage collection. */
function heapMb(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1_000_000
}

function round(rate: number): number {
  return Math.round(rate * 10_000) / 10_000
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`
}

function told({ rate, errors, trials, ci95: [low, high] }: Rate): string {
  return `${percent(rate).padStart(7)}  (${errors} of ${trials}, ${percent(low)} to ${percent(high)})`
}

function inWords(result: WatchlistBench): string {
  const { cost, inForce, atPicked, picked } = result
  const lines = [
    `seed ${result.seed}: ${result.persons} persons, ${result.names} names, ${result.words} words; ${result.trials} trials each`,
    `one search: median ${cost.searchMs.median} ms, 99 % within ${cost.searchMs.p99} ms, ${cost.searchMs.cpuMean} ms of the processor; ` +
      `loaded in ${cost.loadMs} ms, ${cost.memoryMb} MB`,
    '',
    `picked on the development half: possible ${picked.possible}, hit ${picked.hit}; on the other half`,
    `  misses       ${told(atPicked.misses)}`,
    `  false alarms ${told(atPicked.falseAlarms)}`,
    `  hits         ${told(atPicked.hits)}`,
    `  false hits   ${told(atPicked.falseHits)}`,
    `in force: possible ${inForce.possible}, hit ${inForce.hit}; on the other half`,
    `  misses       ${told(inForce.misses)}`,
    `  false alarms ${told(inForce.falseAlarms)}`,
    `  hits         ${told(inForce.hits)}`,
    `  false hits   ${told(inForce.falseHits)}`,
    '',
    'threshold  misses, false alarms',
    ...result.byThreshold
      .filter((_, i) => i % 2 === 0)
      .map(
        ({ threshold, misses, falseAlarms }) =>
          `  ${threshold.toFixed(2)}  ${told(misses)}  ${told(falseAlarms)}`,
      ),
    '',
    'misses in force, by distortion',
    ...Object.entries(result.byDistortion).map(([name, rate]) => `  ${name.padEnd(36)}${told(rate)}`),
    '',
    'misses and false alarms in force, by origin',
    ...Object.entries(result.byOrigin).map(
      ([name, { misses, falseAlarms }]) => `  ${name.padEnd(12)}${told(misses)}  ${told(falseAlarms)}`,
    ),
    '',
  ]
  return lines.join('\n')
}
