/** Error rates of results with labels: ISO/IEC 19795-1 for comparisons, ISO/IEC 30107-3 for presentation attacks. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { UsageError } from '../../commands/usage.ts'
import { LABELS } from '../bench/documents/labels.ts'
import { wilson95 } from '../bench/error-rates.ts'

type Row = Readonly<Partial<Record<string, string>>>

const BONA_FIDE = /^bona[ _-]?fide$/i

/** Throws UsageError if the file holds no results with labels. */
export function describeRates(path: string): string {
  const rows = readResults(path)
  const labelled = rows.filter(({ label = '' }) => label !== '')
  if ('status' in (rows.at(0) ?? {}))
    return [...introduce(rows, labelled), ...rateDocuments(rows), ''].join('\n')
  if (labelled.length === 0) throw new UsageError(`${path} has no labelled results`)
  const lines = 'probe' in labelled[0] ? rateComparisons(labelled) : ratePresentations(labelled)
  return [...introduce(rows, labelled), ...lines, ''].join('\n')
}

const introduce = (rows: readonly Row[], labelled: readonly Row[]): string[] => [
  `${rows.length} results, ${labelled.length} of them labelled; intervals: Wilson, 95 %, as if results were independent`,
]

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

/** NIST SP 800-63A-4: document false rejection and acceptance rates. */
function rateDocuments(rows: readonly Row[]): string[] {
  const isVerified = ({ decision }: Row): boolean => decision === 'verified'
  const genuine = rows.filter(({ label }) => label?.toLowerCase() === 'genuine')
  const forgeries = [...new Set(rows.map(({ label = '' }) => label))]
    .filter((label) => label !== '' && label.toLowerCase() !== 'genuine')
    .sort()
  const fields = LABELS.filter((field) => rows.some((row) => (row[field] ?? '') !== ''))
  return [
    line('DFRR (genuine not verified)', genuine.filter((row) => !isVerified(row)).length, genuine.length),
    ...forgeries.map((name) => {
      const own = rows.filter(({ label }) => label === name)
      return line(`DFAR ${name}`, own.filter(isVerified).length, own.length)
    }),
    ...fields.flatMap((field) => {
      const outcomes = rows.flatMap((row) => row[field] || [])
      return [
        line(`${field} exact`, outcomes.filter((outcome) => outcome === 'exact').length, outcomes.length),
        line(
          `${field} wrong`,
          outcomes.filter((outcome) => outcome.endsWith('wrong')).length,
          outcomes.length,
        ),
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
