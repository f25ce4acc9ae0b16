/** Screens the persons of a CSV file, for an operator who checks a register. Returns ids and scores, no names. */
import type { ScreenedPerson, ScreeningOutcome } from '../proofing/antifraud/watchlist.ts'
import { findCountries } from './countries.ts'
import { ListRefused } from './parsed-list.ts'
import { openTextFile } from './read-file.ts'
import { readRows } from './rows.ts'
import type { Watchlists } from './watchlists.ts'

export const PERSON_COLUMNS = [
  'id',
  'given_names',
  'surname',
  'name',
  'date_of_birth',
  'countries',
  'document_numbers',
] as const

export interface ScreenedRow {
  readonly id: string
  readonly outcome: ScreeningOutcome
  readonly score: number | null
  readonly entries: readonly string[]
}

/** Throws ListRefused unless the file has the columns id and name, or id and surname. */
export async function* screenFile(watchlists: Watchlists, path: string): AsyncGenerator<ScreenedRow> {
  const file = await openTextFile(path)
  let columns: readonly string[] | null = null
  for await (const { cells, number } of readRows(file)) {
    if (columns === null) {
      columns = cells.map((cell) => cell.toLowerCase())
      if (!columns.includes('id') || !(columns.includes('name') || columns.includes('surname')))
        throw new ListRefused(`${file.name} has no header row with id and name, or id and surname`)
      continue
    }
    const names = columns
    const cell = (column: (typeof PERSON_COLUMNS)[number]): string => cells[names.indexOf(column)] ?? ''
    const { outcome, score, entries } = await watchlists.screen(readPerson(cell))
    yield { id: cell('id') || `row ${number}`, outcome, score, entries }
  }
}

function readPerson(cell: (column: (typeof PERSON_COLUMNS)[number]) => string): ScreenedPerson {
  const orNull = (text: string): string | null => (text === '' ? null : text)
  const several = (text: string): string[] => text.split(';').filter((part) => part.trim() !== '')
  return {
    givenNames: several(cell('given_names')),
    surname: orNull(cell('surname')),
    fullname: orNull(cell('name')),
    dateOfBirth: orNull(cell('date_of_birth')),
    countries: findCountries(several(cell('countries'))),
    documentNumbers: several(cell('document_numbers')),
  }
}
