/**
 * Reads the consolidated list of persons under financial sanctions of the European Union (XML, "xmlFullSanctionsList_1_1")
 * in pieces. Its values are attributes.
 */
import type { DateSpan, ListedPerson } from '../proofing/watchlist/listed.ts'
import { findChild, listChildren, readElements, type Element } from './elements.ts'
import { dateOfParts, readListDate, spanOfYears } from './list-dates.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'

/** An entry without a kind counts as a person, so that no person is lost. */
const NO_PERSON = ['enterprise', 'e']
/** Days of other calendars are not comparable. */
const CALENDARS = ['', 'gregorian']

export async function readEuXml(file: TextFile): Promise<ParsedList> {
  const persons = new Map<string, ListedPerson>()
  let leftOut = 0
  const root = await readElements(file, 'export', new Set(['sanctionEntity']), (element) => {
    const { code = '', classificationCode = code } = findChild(element, 'subjectType')?.attributes ?? {}
    if ([code, classificationCode].some((kind) => NO_PERSON.includes(kind.toLowerCase()))) {
      leftOut++
      return
    }
    const person = readPerson(element)
    if (person === null) throw new ListRefused(`${file.name} holds a person without a number or a name`)
    if (persons.has(person.id)) throw new ListRefused(`${file.name} holds one person twice`)
    persons.set(person.id, person)
  })
  const date = /^\d{4}-\d{2}-\d{2}/.exec(root.generationDate ?? '')?.[0] ?? null
  return { date, persons: [...persons.values()], leftOut }
}

function readPerson(element: Element): ListedPerson | null {
  const { logicalId = '', euReferenceNumber = '' } = element.attributes
  const id = euReferenceNumber.trim() || logicalId.trim()
  if (id === '') return null
  const draft = new PersonDraft(id)
  for (const { attributes } of listChildren(element, 'nameAlias')) {
    const { wholeName = '', firstName = '', middleName = '', lastName = '', strong = '' } = attributes
    draft.addName(
      wholeName.trim() || `${firstName} ${middleName} ${lastName}`,
      strong.toLowerCase() === 'false',
    )
  }
  for (const { attributes } of listChildren(element, 'citizenship')) {
    draft.addCountry(attributes.countryIso2Code ?? '')
    draft.addCountry(attributes.countryDescription ?? '')
  }
  for (const { attributes } of listChildren(element, 'birthdate')) {
    draft.addBirth(readBirth(attributes))
    draft.addOrigin(attributes.countryIso2Code ?? '')
  }
  for (const { attributes } of listChildren(element, 'identification'))
    draft.addDocument(attributes.number ?? '')
  return draft.finish()
}

function readBirth(of: Readonly<Record<string, string>>): DateSpan | null {
  if (!CALENDARS.includes((of.calendarType ?? '').toLowerCase())) return null
  const circa = of.circa === 'true' ? 'circa ' : ''
  if (of.birthdate) return readListDate(circa + of.birthdate)
  if (of.yearRangeFrom || of.yearRangeTo) return spanOfYears(of.yearRangeFrom, of.yearRangeTo)
  const { year = '', monthOfYear = '', dayOfMonth = '' } = of
  return circa === '' ? dateOfParts(year, monthOfYear, dayOfMonth) : readListDate(circa + year)
}
