/** Error rates of results with labels: ISO/IEC 19795-1 for comparisons, ISO/IEC 30107-3 for presentation attacks. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { UsageError } from '../../commands/usage.ts'
import { wilson95 } from '../bench/error-rates.ts'

type Row = Readonly<Partial<Record<string, string>>>

const BONA_FIDE = /^bona[ _-]?fide$/i

/** Throws UsageError if the file holds no results with labels. */
export function describeRates(path: string): string {
  const rows = readResults(path)
  const labelled = rows.filter(({ label = '' }) => label !== '')
  if (labelled.length === 0) throw new UsageError(`${path} has no labelled results`)
  const lines = 'probe' in labelled[0] ? rateComparisons(labelled) : ratePresentations(labelled)
  return [
    `${rows.length} results, ${labelled.length} of them labelled; intervals: Wilson, 95 %, as if results were independent`,
    ...lines,
    '',
  ].join('\n')
}

function readResults(path: string): Row[] {
  try {
    return parse(readFileSync(path), { columns: true, comment: '#', comment_no_infix: true })
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

function rateComparisons(rows: readonly Row[]): string[] {
  const of = (label: string) => rows.filter((row) => row.label?.toLowerCase() === label)
  const [genuine, impostor] = [of('genuine'), of('impostor')]
  const compared = (of: readonly Row[]) => of.filter(({ outcome }) => outcome === 'ok')
  const isMatch = ({ decision }: Row): boolean => decision === 'match'
  return [
    line('failure to enrol or acquire', rows.filter(({ outcome }) => outcome !== 'ok').length, rows.length),
    line('FNMR', compared(genuine).filter((row) => !isMatch(row)).length, compared(genuine).length),
    line('FMR', compared(impostor).filter(isMatch).length, compared(impostor).length),
    // These count a failure as a rejection, as a user experiences it.
    line('FRR', genuine.filter((row) => !isMatch(row)).length, genuine.length),
    line('FAR', impostor.filter(isMatch).length, impostor.length),
  ]
}

function ratePresentations(rows: readonly Row[]): string[] {
  const bonaFide = rows.filter(({ label = '' }) => BONA_FIDE.test(label))
  const attacks = rows.filter(({ label = '' }) => !BONA_FIDE.test(label))
  const species = [...new Set(attacks.map(({ label = '' }) => label))].sort()
  const noAnswer = (of: readonly Row[]): number => of.filter(({ decision }) => decision === '').length
  return [
    line(
      'BPCER (bona fide refused)',
      bonaFide.filter(({ decision }) => decision === 'attack').length,
      bonaFide.length,
    ),
    line('BPNRR (bona fide without answer)', noAnswer(bonaFide), bonaFide.length),
    ...species.flatMap((name) => {
      const own = attacks.filter(({ label }) => label === name)
      return [
        line(`APCER ${name}`, own.filter(({ decision }) => decision === 'bona_fide').length, own.length),
        line(`APNRR ${name}`, noAnswer(own), own.length),
      ]
    }),
  ]
}

function line(name: string, errors: number, trials: number): string {
  if (trials === 0) return `${name}: no trials`
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`
  const [low, high] = wilson95(errors, trials)
  return `${name}: ${errors} of ${trials} = ${percent(errors / trials)} [${percent(low)}, ${percent(high)}]`
}
