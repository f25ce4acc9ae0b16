/** Error rates of results with labels: ISO/IEC 19795-1 for comparisons, ISO/IEC 30107-3 for presentation attacks. */
import { readFileSync, statSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { UsageError } from '../../commands/usage.ts'
import { LABELS } from '../bench/documents/labels.ts'
import { wilson95 } from '../bench/error-rates.ts'
import { COMPARISONS, requireDifferent, requireLabels } from './list-file.ts'
import { findWholeRecords, ROWS_LINE } from './results-file.ts'

type Row = Readonly<Partial<Record<string, string>>>

const BONA_FIDE = /^bona[ _-]?fide$/i

interface ResultsKind {
  /** Columns that name the row. */
  readonly key: readonly string[]
  /** Columns of the answer. */
  readonly answer: readonly string[]
  readonly labels?: readonly string[]
  rate(rows: readonly Row[]): string[]
}

const KINDS: readonly ResultsKind[] = [
  {
    key: COMPARISONS.needed,
    answer: ['decision', 'outcome'],
    labels: COMPARISONS.labels ?? [],
    rate: rateComparisons,
  },
  { key: ['file'], answer: ['status', 'decision'], rate: rateDocuments },
  { key: ['file'], answer: ['decision', 'outcome'], rate: ratePresentations },
  { key: ['recording'], answer: ['decision', 'outcome'], rate: ratePresentations },
]

/**
 * Throws UsageError if the file holds no results with labels, if a row repeats another, or if a label is unknown: such rows
 * would falsify every rate.
 */
export function describeRates(path: string): string {
  const { rows, expected } = readResults(path)
  const columns = Object.keys(rows[0] ?? {})
  const kind = KINDS.find(({ key, answer }) => [...key, ...answer].every((name) => columns.includes(name)))
  if (!kind)
    throw new UsageError(`${path} holds no results: their columns are those that docs/evaluate.md lists`)
  requireDifferent(path, rows, kind.key)
  if (kind.labels) requireLabels(path, rows, kind.labels)
  const labelled = rows.filter(({ label = '' }) => label !== '')
  // Fields of documents are rated without a label, too.
  if (labelled.length === 0 && !columns.includes('status'))
    throw new UsageError(`${path} has no labelled results`)
  return [
    ...describeCompleteness(rows.length, expected),
    `${rows.length} results, ${labelled.length} of them labelled; intervals: Wilson, 95 %, as if results were independent`,
    ...kind.rate(columns.includes('status') ? rows : labelled),
    '',
  ].join('\n')
}

function describeCompleteness(count: number, expected: number | null): string[] {
  if (expected === null) return ['unknown whether complete: no line "# rows" states the length of the list']
  const missing = expected - count
  if (missing < 0) throw new UsageError(`${count} results, but the list had ${expected} rows`)
  return missing === 0
    ? []
    : [`INCOMPLETE: ${missing} of ${expected} rows are missing; repeat the run to add them`]
}

/** `expected`: rows of the list; null: the file does not tell. */
function readResults(path: string): { readonly rows: readonly Row[]; readonly expected: number | null } {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`${path} does not exist or is no regular file`)
  const text = readFileSync(path, 'utf8')
  const [header] = /^(?:#.*\n)*/.exec(text) ?? ['']
  const count = ROWS_LINE.exec(header)?.[1]
  const table = text.slice(header.length)
  try {
    // A run that was interrupted may have left a part of a row.
    const rows = parse(count === undefined ? table : findWholeRecords(table).text, {
      columns: true,
      bom: true,
    })
    return { rows: rows as Row[], expected: count === undefined ? null : Number(count) }
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
  return [
    ...rateErrors(bonaFide, 'attack', { error: 'BPCER bona fide', noAnswer: 'BPNRR bona fide' }),
    ...species.flatMap((name) =>
      rateErrors(
        attacks.filter(({ label }) => label === name),
        'bona_fide',
        { error: `APCER ${name}`, noAnswer: `APNRR ${name}` },
      ),
    ),
  ]
}

/**
 * ISO/IEC 30107-3 divides the errors by all presentations, also by those without an answer. So a detector that seldom answers
 * has few errors: the second line divides by the answers.
 */
function rateErrors(
  rows: readonly Row[],
  wrong: 'attack' | 'bona_fide',
  names: { readonly error: string; readonly noAnswer: string },
): string[] {
  const errors = rows.filter(({ decision }) => decision === wrong).length
  const unanswered = rows.filter(({ decision }) => decision === '').length
  return [
    line(`${names.error}, of all presentations`, errors, rows.length),
    line(`${names.error}, of those with an answer`, errors, rows.length - unanswered),
    line(`${names.noAnswer}, without an answer`, unanswered, rows.length),
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
        line(
          `${field} wrong and returned as verified`,
          outcomes.filter((outcome) => outcome === 'confirmed wrong').length,
          outcomes.length,
        ),
      ]
    }),
  ]
}

function line(name: string, errors: number, trials: number): string {
  if (trials === 0) return `${name}: no trials`
  const [low, high] = wilson95(errors, trials)
  return `${name}: ${errors} of ${trials} = ${percent(errors / trials)} [${percent(low)}, ${percent(high)}]`
}

/** Small rates keep two significant digits, because requirements go down to 0.01 %. */
function percent(share: number): string {
  const value = 100 * share
  return `${value === 0 || value >= 0.1 ? value.toFixed(2) : Number(value.toPrecision(2))} %`
}
