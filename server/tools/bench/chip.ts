/**
 * `npm run bench:chip`: runs the cases of BSI TR-03105 part 5.1 against simulated chips. The table of cases gives the expected outcome;
 * a case without a profile counts as failed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from '../../commands/usage.ts'
import { ACCESS_CASES } from './chip/cases/access.ts'
import { FILE_CASES } from './chip/cases/files.ts'
import { PACE_CASES } from './chip/cases/pace.ts'
import { SECURITY_OBJECT_CASES } from './chip/cases/security-object.ts'
import { parsePlan } from './chip/plan.ts'
import { runCase, type CaseResult, type CaseTable } from './chip/run-case.ts'
import { endBench } from './labelled-data.ts'

const USUAL_PLAN = '../shared/chip/tr-03105-5.1.tsv'

const HELP = `bench-chip: the cases of BSI TR-03105 part 5.1 for readers, against chips in this process

  --plan FILE   the table of cases    (default ${USUAL_PLAN}; without it the bench is skipped)
  --only TEXT   only cases whose id begins with it, such as LDS_H_
  --out FOLDER  writes FOLDER/ID.json for each case: expected outcome, verdict and reason of each step
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
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const path = resolve(values.plan ?? USUAL_PLAN)
  if (!existsSync(path)) {
    if (values.plan !== undefined) throw new UsageError(`${path} does not exist: nothing was measured.`)
    process.stdout.write('skipped: shared data not found\n')
    return 0
  }
  const started = performance.now()
  const all = parsePlan(readFileSync(path, 'utf8')).filter(({ id }) => id.startsWith(values.only))
  const results: CaseResult[] = []
  for (const planned of all) results.push(await runCase(planned, TABLE))
  if (values.out !== undefined) writeResults(values.out, results)
  const inScope = results.filter(({ scope }) => scope === 'icao')
  const result = {
    ...count(inScope),
    plan: count(inScope.filter(({ basis }) => basis === 'plan')),
    title: count(inScope.filter(({ basis }) => basis === 'title')),
    outOfScope: results.length - inScope.length,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  }
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result, inScope))
  return endBench(inScope.length, result.failed === 0)
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
    ...all
  }: Counts & { plan: Counts; title: Counts; outOfScope: number; seconds: number },
  results: readonly CaseResult[],
): string {
  const line = (name: string, { cases, passed, failed, notApplicable }: Counts): string =>
    `${name.padEnd(8)} ${cases} cases, ${passed} passed, ${failed} failed, ${notApplicable} not applicable`
  return [
    line('all', all),
    line('plan', plan),
    line('title', title),
    `out of scope ${outOfScope}, ${seconds} s`,
    ...results
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ id, reason }) => `failed   ${id}: ${reason ?? ''}`),
    '',
  ].join('\n')
}
