/**
 * Reads the consolidated list of persons under financial sanctions of the European Union (XML, "xmlFullSanctionsList_1_1")
 * in pieces. Its values are attributes.
 */
import type { DateSpan, ListedPerson } from '../proofing/watchlist/listed.ts'
import { collectPersons } from './collected-persons.ts'
import { findChild, listChildren, type Element } from '../xml/element.ts'
import { readElements } from './elements.ts'
import { dateOfParts, readListDate, spanOfYears } from './list-dates.ts'
import type { ParsedList } from './parsed-list.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'

/** An entry without a kind counts as a person, so that no person is lost. */
const NO_PERSON = ['enterprise', 'e']
/** Days of other calendars are not comparable. */
const CALENDARS = ['', 'gregorian']

export async function readEuXml(file: TextFile): Promise<ParsedList> {
  const persons = collectPersons(file.name)
  const root = await readElements(file, 'export', new Set(['sanctionEntity']), (element) => {
    const { code = '', classificationCode = code } = findChild(element, 'subjectType')?.attributes ?? {}
    if ([code, classificationCode].some((kind) => NO_PERSON.includes(kind.toLowerCase()))) {
      persons.leaveOut()
      return
    }
    persons.add(readPerson(element))
  })
  return persons.finish(root.generationDate ?? '')
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
