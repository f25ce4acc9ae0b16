/** Reads the UK Sanctions List of the Foreign, Commonwealth and Development Office (UK_Sanctions_List.xml) in pieces. */
import type { DateSpan, ListedPerson } from '../proofing/watchlist/listed.ts'
import { collectPersons } from './collected-persons.ts'
import { listDescendants, readText, type Element } from '../xml/element.ts'
import { readElements } from './elements.ts'
import { dateOfParts } from './list-dates.ts'
import type { ParsedList } from './parsed-list.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'

/** Given names first; Name6 is the family name, or the whole name. */
const NAME_PARTS = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6']
/** An entry without a kind counts as a person, so that no person is lost. */
const NO_PERSON = ['entity', 'ship']

export async function readUkXml(file: TextFile): Promise<ParsedList> {
  const persons = collectPersons(file.name)
  let date = ''
  await readElements(file, 'Designations', new Set(['DateGenerated', 'Designation']), (element) => {
    if (element.name === 'DateGenerated') {
      date = readDay(element.text)?.from ?? ''
      return
    }
    if (NO_PERSON.includes(readText(element, 'IndividualEntityShip').toLowerCase())) {
      persons.leaveOut()
      return
    }
    persons.add(readPerson(element))
  })
  return persons.finish(date)
}

function readPerson(element: Element): ListedPerson | null {
  const id = readText(element, 'UniqueID')
  if (id === '') return null
  const draft = new PersonDraft(id)
  for (const names of listDescendants(element, 'Name')) {
    const isWeak = /^low/i.test(readText(names, 'AliasStrength'))
    draft.addName(NAME_PARTS.map((part) => readText(names, part)).join(' '), isWeak)
  }
  for (const text of listTexts(element, 'NameNonLatinScript')) draft.addName(text, false)
  for (const text of listTexts(element, 'DOB')) draft.addBirth(readDay(text))
  for (const text of listTexts(element, 'Nationality')) draft.addCountry(text)
  for (const text of listTexts(element, 'CountryOfBirth')) draft.addOrigin(text)
  for (const text of listTexts(element, 'PassportNumber')) draft.addDocument(text)
  for (const text of listTexts(element, 'NationalIdentifierNumber')) draft.addDocument(text)
  return draft.finish()
}

const listTexts = (element: Element, name: string): string[] =>
  [...listDescendants(element, name)].map(({ text }) => text.trim())

/** "25/01/2001"; the list writes "dd" and "mm" for what is not known. */
function readDay(text: string): DateSpan | null {
  const [, day, month, year] = /^(\d{1,2}|dd)\/(\d{1,2}|mm)\/(\d{4})$/i.exec(text.trim()) ?? []
  if (year === undefined) return null
  const known = (part: string): string => (/\d/.test(part) ? part : '')
  return dateOfParts(year, known(month), known(day))
}
