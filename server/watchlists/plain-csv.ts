/**
 * Reads an own list as CSV with a header row. Columns: id; name, or given_names and surname; and optionally aliases,
 * weak_aliases, date_of_birth, countries, document_numbers, type. ";" separates several values in one cell.
 */
import type { ListedPerson } from '../proofing/watchlist/listed.ts'
import { readListDate } from './list-dates.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'
import { readRows, type Row } from './rows.ts'

export const PLAIN_COLUMNS = [
  'id',
  'name',
  'given_names',
  'surname',
  'aliases',
  'weak_aliases',
  'date_of_birth',
  'countries',
  'document_numbers',
  'type',
] as const
type Column = (typeof PLAIN_COLUMNS)[number]
type Cells = (column: Column) => string

/** Values of the column type that mean a person; all other rows are skipped. */
const PERSON = /^(individual|person|)$/i

export async function readPlainCsv(file: TextFile): Promise<ParsedList> {
  let header: ReadonlyMap<string, number> | null = null
  const persons = new Map<string, ListedPerson>()
  let leftOut = 0
  for await (const row of readRows(file)) {
    if (header === null) {
      header = readHeader(file, row)
      continue
    }
    const columns: ReadonlyMap<string, number> = header
    const cell: Cells = (column) => row.cells[columns.get(column) ?? -1] ?? ''
    if (!PERSON.test(cell('type'))) {
      leftOut++
      continue
    }
    const person = readPerson(file, row, cell)
    if (persons.has(person.id)) throw new ListRefused(`${file.name}, row ${row.number}: this id occurs twice`)
    persons.set(person.id, person)
  }
  return { date: null, persons: [...persons.values()], leftOut }
}

export function isPlainHeader(cells: readonly string[]): boolean {
  const names = new Set(cells.map(columnName))
  return names.has('id') && (names.has('name') || names.has('surname'))
}

function readHeader(file: TextFile, { cells }: Row): ReadonlyMap<string, number> {
  const names = cells.map(columnName)
  if (!isPlainHeader(cells))
    throw new ListRefused(`${file.name} has no header row with id and name, or id and surname`)
  const unknown = names.findIndex((name) => !PLAIN_COLUMNS.some((column) => column === name))
  if (unknown >= 0)
    throw new ListRefused(`${file.name}: column ${unknown + 1} is none of ${PLAIN_COLUMNS.join(', ')}`)
  if (new Set(names).size < names.length) throw new ListRefused(`${file.name} has a column twice`)
  return new Map(names.map((name, index) => [name, index]))
}

function readPerson(file: TextFile, { number }: Row, cell: Cells): ListedPerson {
  const refuse = (problem: string): never => {
    throw new ListRefused(`${file.name}, row ${number}: ${problem}`)
  }
  if (cell('id') === '') refuse('no id')
  const draft = new PersonDraft(cell('id'))
  draft.addName(cell('name'), false)
  draft.addName(`${cell('given_names')} ${cell('surname')}`, false)
  for (const name of valuesIn(cell('aliases'))) draft.addName(name, false)
  for (const name of valuesIn(cell('weak_aliases'))) draft.addName(name, true)
  for (const date of valuesIn(cell('date_of_birth')))
    draft.addBirth(readListDate(date.replace('/', ' to ')) ?? refuse('a date that is not understood'))
  for (const country of valuesIn(cell('countries'))) draft.addCountry(country)
  for (const document of valuesIn(cell('document_numbers'))) draft.addDocument(document)
  return draft.finish() ?? refuse('no name')
}

function valuesIn(cell: string): string[] {
  return cell
    .split(';')
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

function columnName(cell: string): string {
  return cell.trim().toLowerCase().replace(/[ -]+/g, '_')
}
