/**
 * `npm run bench:chip`: runs the cases of BSI TR-03105 part 5.1 against simulated chips, in this process or over pcscd, and measures how
 * long a passport takes at the speeds of a contactless interface. The table of cases gives the expected outcome; a case without a profile
 * counts as failed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from '../../commands/usage.ts'
import { ACCESS_CASES } from './chip/cases/access.ts'
import { FILE_CASES } from './chip/cases/files.ts'
import { PACE_CASES } from './chip/cases/pace.ts'
import { SECURITY_OBJECT_CASES } from './chip/cases/security-object.ts'
import { parsePlan, type PlannedCase } from './chip/plan.ts'
import { NoReport, onLanes } from './chip/pcscd-lanes.ts'
import { runCase, type CaseResult, type CaseTable } from './chip/run-case.ts'
import { describeSpeed, MAX_SECONDS, measureSpeed, type SpeedResult } from './chip/speed.ts'
import { BIT_RATES } from './chip/timed-chip.ts'
import { findMissingPackages } from '../simulator/chip/pcscd.ts'
import { endBench } from './labelled-data.ts'

const USUAL_PLAN = '../shared/chip/tr-03105-5.1.tsv'

const HELP = `bench-chip: the cases of BSI TR-03105 part 5.1 for readers, against simulated chips

  --plan FILE   the table of cases    (default ${USUAL_PLAN}; without it the bench is skipped)
  --only TEXT   only cases whose id begins with it, such as LDS_H_
  --out FOLDER  writes FOLDER/ID.json for each case: expected outcome, verdict and reason of each step
  --over pcscd  40 of the cases, spread over the table, through a pcscd with virtual readers and the reader process of the product; with
                --only all that it names. Needs the packages pcscd, vsmartcard-vpcd and bubblewrap. Prints the largest size of the process
  --speed LIST  no cases: the time of a passport with a portrait of 15 000 and of 20 000 bytes at these speeds (kbit/s): ${BIT_RATES.join(', ')}, or both
                with a comma. The time is that of a model (server/tools/bench/chip/timed-chip.ts) and of this program; limit ${MAX_SECONDS} s
  --slower N    with --speed: multiplies the assumed times of the chip, 1 to 10 (default 1)
  --json        one JSON object at the end
  --help        this text

cases: those of the scope icao. A case is passed if each of its documents ends as the table says and, for a failure, in a step that the
case is about; a case without a profile is failed. notApplicable: the plan removed it. outOfScope: terminal authentication. plan and
title count the cases whose text the table has from the plan, and those of which it has only the title.

Example: npm run bench:chip -- --only LDS_H_ --json
`

const TABLE: CaseTable = { ...ACCESS_CASES, ...PACE_CASES, ...FILE_CASES, ...SECURITY_OBJECT_CASES }

interface Counts {
  readonly cases: number
  readonly passed: number
  readonly failed: number
  readonly notApplicable: number
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      plan: { type: 'string' },
      only: { type: 'string', default: '' },
      out: { type: 'string' },
      over: { type: 'string' },
      speed: { type: 'string' },
      slower: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.speed !== undefined) return runSpeed(values.speed, values.slower, values.json)
  if (values.over !== undefined) requirePcscd(values.over)
  const path = resolve(values.plan ?? USUAL_PLAN)
  if (!existsSync(path)) {
    if (values.plan !== undefined) throw new UsageError(`${path} does not exist: nothing was measured.`)
    process.stdout.write('skipped: shared data not found\n')
    return 0
  }
  const started = performance.now()
  const all = parsePlan(readFileSync(path, 'utf8')).filter(({ id }) => id.startsWith(values.only))
  const isOverPcscd = values.over !== undefined
  const { results, peakBytes } = isOverPcscd ? await runOverPcscd(all, values.only) : await runHere(all)
  if (values.out !== undefined) writeResults(values.out, results)
  const inScope = results.filter(({ scope }) => scope === 'icao')
  const result = {
    ...count(inScope),
    plan: count(inScope.filter(({ basis }) => basis === 'plan')),
    title: count(inScope.filter(({ basis }) => basis === 'title')),
    outOfScope: results.length - inScope.length,
    ...(isOverPcscd ? { over: 'pcscd', processPeakBytes: peakBytes } : {}),
    seconds: Math.round((performance.now() - started) / 100) / 10,
  }
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result, inScope))
  return endBench(inScope.length, result.failed === 0)
}

type Ran = { readonly results: readonly CaseResult[]; readonly peakBytes: number | null }

async function runHere(all: readonly PlannedCase[]): Promise<Ran> {
  const results: CaseResult[] = []
  for (const planned of all) results.push(await runCase(planned, TABLE))
  return { results, peakBytes: null }
}

/** Each command takes 48 ms in the virtual reader, nearly all of it waiting, so several readers run at once. */
const LANES = 4
const CASES_OVER_PCSCD = 40

function runOverPcscd(all: readonly PlannedCase[], only: string): Promise<Ran> {
  const usable = all.filter(({ scope, notApplicable }) => scope === 'icao' && notApplicable === null)
  const step = Math.max(1, usable.length / CASES_OVER_PCSCD)
  const chosen =
    only === ''
      ? Array.from(
          { length: Math.min(CASES_OVER_PCSCD, usable.length) },
          (_, i) => usable[Math.floor(i * step)],
        )
      : usable
  return onLanes(
    chosen.flatMap((planned) => planned ?? []),
    LANES,
    (planned, inspect) =>
      runCase(planned, TABLE, inspect).catch((error: unknown) => {
        if (!(error instanceof NoReport)) throw error
        return { ...planned, outcome: 'failed' as const, reason: error.message, runs: [] }
      }),
  )
}

function requirePcscd(over: string): void {
  if (over !== 'pcscd') throw new UsageError('--over takes pcscd')
  const missing = findMissingPackages()
  if (missing.length > 0) throw new UsageError(`Install ${missing.join(', ')}: nothing was measured.`)
}

const PORTRAIT_BYTES = [15_000, 20_000] as const

async function runSpeed(asked: string, slower: string, json: boolean): Promise<number> {
  const slowness = Number(slower)
  if (!(slowness >= 1 && slowness <= 10)) throw new UsageError('--slower takes a number from 1 to 10')
  const rates = asked.split(',').map((rate) => {
    const known = BIT_RATES.find((one) => one === rate)
    if (known === undefined)
      throw new UsageError(`--speed takes ${BIT_RATES.join(' or ')}, or both with a comma`)
    return known
  })
  const results: SpeedResult[] = []
  for (const rate of rates)
    for (const extendedLength of [false, true])
      for (const portraitBytes of PORTRAIT_BYTES)
        results.push(await measureSpeed(rate, extendedLength, portraitBytes, slowness))
  const isQuick = results.every(({ seconds, verdict }) => seconds <= MAX_SECONDS && verdict === 'successful')
  process.stdout.write(
    json
      ? `${JSON.stringify({ maxSeconds: MAX_SECONDS, isQuick, results })}\n`
      : `${describeSpeed(results)}\n${isQuick ? 'each' : 'not each'} within ${MAX_SECONDS} s\n`,
  )
  return endBench(results.length, isQuick)
}

function count(results: readonly CaseResult[]): Counts {
  const having = (outcome: CaseResult['outcome']): number =>
    results.filter((each) => each.outcome === outcome).length
  return {
    cases: results.length,
    passed: having('passed'),
    failed: having('failed'),
    notApplicable: having('not_applicable'),
  }
}

function writeResults(folder: string, results: readonly CaseResult[]): void {
  mkdirSync(folder, { recursive: true })
  for (const result of results)
    writeFileSync(join(folder, `${result.id}.json`), `${JSON.stringify(result, null, 2)}\n`)
}

function describe(
  {
    plan,
    title,
    outOfScope,
    seconds,
    processPeakBytes,
    ...all
  }: Counts & {
    plan: Counts
    title: Counts
    outOfScope: number
    seconds: number
    processPeakBytes?: number | null
  },
  results: readonly CaseResult[],
): string {
  const line = (name: string, { cases, passed, failed, notApplicable }: Counts): string =>
    `${name.padEnd(8)} ${cases} cases, ${passed} passed, ${failed} failed, ${notApplicable} not applicable`
  return [
    line('all', all),
    line('plan', plan),
    line('title', title),
    `out of scope ${outOfScope}, ${seconds} s`,
    ...(processPeakBytes ? [`reader process: ${Math.round(processPeakBytes / 1e6)} MB at most`] : []),
    ...results
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ id, reason }) => `failed   ${id}: ${reason ?? ''}`),
    '',
  ].join('\n')
}
