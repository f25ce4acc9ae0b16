/**
 * Reads the U.S. Treasury's lists as CSV: sdn.csv with alt.csv, and with sdn_comments.csv and add.csv if present. The
 * files have no header row; "-0-" means empty; persons are written "LAST, First".
 */
import type { ListedPerson } from '../proofing/watchlist/listed.ts'
import { readRemarks } from './ofac-remarks.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'
import { readRows, type Row } from './rows.ts'

/** ent_num, name, type, program, title, …, remarks */
const LIST_COLUMNS = 12
const [NUMBER, NAME, TYPE, REMARKS] = [0, 1, 2, 11]
/** ent_num, alt_num, type, name, remarks */
const ALIAS_COLUMNS = 5
const [ALIAS_NAME, ALIAS_REMARKS] = [3, 4]
/** ent_num, remarks */
const COMMENT_COLUMNS = 2
/** ent_num, add_num, address, city, country, remarks */
const ADDRESS_COLUMNS = 6
const ADDRESS_COUNTRY = 4

export interface OfacFiles {
  readonly list: TextFile
  readonly aliases: TextFile | null
  readonly comments: TextFile | null
  readonly addresses: TextFile | null
}

/** The file states no date. */
export async function readOfacCsv({ list, aliases, comments, addresses }: OfacFiles): Promise<ParsedList> {
  const drafts = new Map<string, PersonDraft>()
  const remarks = new Map<string, string>()
  const others = new Set<string>()
  for await (const row of readDataRows(list, LIST_COLUMNS)) {
    const number = row.cells[NUMBER]
    if (drafts.has(number) || others.has(number))
      throw new ListRefused(`${list.name} holds the entry of row ${row.number} twice`)
    if (row.cells[TYPE].toLowerCase() !== 'individual') {
      others.add(number)
      continue
    }
    const draft = new PersonDraft(number)
    draft.addName(readCell(row.cells[NAME]), false)
    drafts.set(number, draft)
    remarks.set(number, readCell(row.cells[REMARKS]))
  }
  const known = (file: TextFile, { cells: [number], number: row }: Row): PersonDraft | undefined => {
    if (!drafts.has(number) && !others.has(number))
      throw new ListRefused(`${file.name}, row ${row}, is of an entry that ${list.name} does not hold`)
    return drafts.get(number)
  }
  for await (const row of readDataRows(aliases, ALIAS_COLUMNS)) {
    const isWeak = /weak/i.test(row.cells[ALIAS_REMARKS])
    known(aliases as TextFile, row)?.addName(readCell(row.cells[ALIAS_NAME]), isWeak)
  }
  for await (const row of readDataRows(comments, COMMENT_COLUMNS)) {
    const [number, more] = row.cells
    if (known(comments as TextFile, row)) remarks.set(number, (remarks.get(number) ?? '') + readCell(more))
  }
  for await (const row of readDataRows(addresses, ADDRESS_COLUMNS)) {
    known(addresses as TextFile, row)?.addOrigin(readCell(row.cells[ADDRESS_COUNTRY]))
  }
  for (const [number, draft] of drafts) readRemarks(draft, remarks.get(number) ?? '')
  const persons = [...drafts.values()].map((draft) => draft.finish())
  return {
    date: null,
    persons: persons.filter((one): one is ListedPerson => one !== null),
    leftOut: others.size,
  }
}

/** Throws ListRefused for rows of another table. */
async function* readDataRows(file: TextFile | null, columns: number): AsyncGenerator<Row> {
  if (file === null) return
  for await (const row of readRows(file)) {
    if (row.cells.length !== columns || !/^\d+$/.test(row.cells[0]))
      throw new ListRefused(
        `${file.name}, row ${row.number}, is not the number of an entry and ${columns - 1} columns more: another file, or cut off`,
      )
    yield row
  }
}

function readCell(cell: string): string {
  return cell === '-0-' ? '' : cell
}
