/** Reads the consolidated list of the United Nations Security Council (consolidated.xml) in pieces. */
import type { DateSpan, ListedPerson } from '../proofing/watchlist/listed.ts'
import { collectPersons } from './collected-persons.ts'
import { listChildren, readText, type Element } from '../xml/element.ts'
import { readElements } from './elements.ts'
import { dateOfParts, readListDate } from './list-dates.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'
import type { ParsedList } from './parsed-list.ts'
import { spanFrom } from '../proofing/watchlist/births.ts'

const NAME_PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']

export async function readUnXml(file: TextFile): Promise<ParsedList> {
  const persons = collectPersons(file.name)
  const root = await readElements(file, 'CONSOLIDATED_LIST', new Set(['INDIVIDUAL', 'ENTITY']), (element) => {
    if (element.name === 'ENTITY') {
      persons.leaveOut()
      return
    }
    persons.add(readPerson(element))
  })
  return persons.finish(root.dateGenerated ?? '')
}

function readPerson(element: Element): ListedPerson | null {
  const id = readText(element, 'REFERENCE_NUMBER') || readText(element, 'DATAID')
  if (id === '') return null
  const draft = new PersonDraft(id)
  draft.addName(NAME_PARTS.map((part) => readText(element, part)).join(' '), false)
  draft.addName(readText(element, 'NAME_ORIGINAL_SCRIPT'), false)
  for (const alias of listChildren(element, 'INDIVIDUAL_ALIAS')) {
    const isWeak = /^low/i.test(readText(alias, 'QUALITY'))
    for (const name of readText(alias, 'ALIAS_NAME').split(';')) draft.addName(name, isWeak)
  }
  for (const birth of listChildren(element, 'INDIVIDUAL_DATE_OF_BIRTH')) draft.addBirth(readBirth(birth))
  for (const nationality of listChildren(element, 'NATIONALITY')) {
    for (const value of listChildren(nationality, 'VALUE')) draft.addCountry(value.text)
  }
  for (const place of listChildren(element, 'INDIVIDUAL_PLACE_OF_BIRTH'))
    draft.addOrigin(readText(place, 'COUNTRY'))
  for (const document of listChildren(element, 'INDIVIDUAL_DOCUMENT'))
    draft.addDocument(readText(document, 'NUMBER'))
  return draft.finish()
}

function readBirth(birth: Element): DateSpan | null {
  const circa = /^approx/i.test(readText(birth, 'TYPE_OF_DATE')) ? 'circa ' : ''
  const [first, last] = ['FROM_YEAR', 'TO_YEAR'].map((name) => dateOfParts(readText(birth, name)))
  if (first && last) return spanFrom(first, last)
  return readListDate(circa + (readText(birth, 'DATE') || readText(birth, 'YEAR')))
}
