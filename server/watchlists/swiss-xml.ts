/**
 * Reads the list of all sanctioned persons of the Swiss State Secretariat for Economic Affairs (SECO, XML) in pieces. The list
 * keeps those who were taken off it, and states the countries of places apart from the persons.
 */
import type { ListedPerson } from '../proofing/watchlist/listed.ts'
import { findChild, listChildren, listDescendants, type Element } from '../xml/element.ts'
import { readElements } from './elements.ts'
import { dateOfParts } from './list-dates.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'

const NO_NAMES = ['title', 'suffix']
/** Limit of spellings for one name: the parts of a name multiply. */
const MAX_SPELLINGS = 50

interface Entry {
  readonly draft: PersonDraft
  readonly birthPlaces: readonly string[]
}

export async function readSwissXml(file: TextFile): Promise<ParsedList> {
  const entries = new Map<string, Entry>()
  const countries = new Map<string, string>()
  let leftOut = 0
  const root = await readElements(file, 'swiss-sanctions-list', new Set(['target', 'place']), (element) => {
    const { ssid = '' } = element.attributes
    if (element.name === 'place') {
      for (const name of readCountries(element)) countries.set(ssid, name)
      return
    }
    const individual = findChild(element, 'individual')
    if (!individual || wasTakenOff(element)) {
      leftOut++
      return
    }
    if (ssid === '') throw new ListRefused(`${file.name} holds a person without a number or a name`)
    if (entries.has(ssid)) throw new ListRefused(`${file.name} holds one person twice`)
    entries.set(ssid, readEntry(ssid, individual))
  })
  const persons = [...entries.values()].map(({ draft, birthPlaces }): ListedPerson => {
    for (const place of birthPlaces) draft.addOrigin(countries.get(place) ?? '')
    const person = draft.finish()
    if (person === null) throw new ListRefused(`${file.name} holds a person without a number or a name`)
    return person
  })
  const date = /^\d{4}-\d{2}-\d{2}/.exec(root.date ?? '')?.[0] ?? null
  return { date, persons, leftOut }
}

/** The latest change decides. If several have the same day, the person stays on the list. */
function wasTakenOff(target: Element): boolean {
  const changes = listChildren(target, 'modification').map(({ attributes }) => ({
    type: attributes['modification-type'],
    day: attributes['effective-date'] ?? attributes['publication-date'] ?? '',
  }))
  const last = changes
    .map(({ day }) => day)
    .sort()
    .at(-1)
  const latest = changes.filter(({ day }) => day === last)
  return latest.length > 0 && latest.every(({ type }) => type === 'de-listed')
}

function readEntry(id: string, individual: Element): Entry {
  const draft = new PersonDraft(id)
  const birthPlaces: string[] = []
  for (const identity of listChildren(individual, 'identity')) {
    for (const name of listChildren(identity, 'name')) {
      for (const spelling of listSpellings(name)) draft.addName(spelling, name.attributes.quality === 'low')
    }
    for (const { attributes } of listChildren(identity, 'day-month-year')) {
      const { year = '', month = '', day = '', calendar = 'Gregorian' } = attributes
      // Days of other calendars are not comparable.
      if (calendar === 'Gregorian') draft.addBirth(dateOfParts(year, month, day))
    }
    for (const nationality of listChildren(identity, 'nationality')) {
      for (const name of readCountries(nationality)) draft.addCountry(name)
    }
    for (const place of listChildren(identity, 'place-of-birth')) {
      for (const name of readCountries(place)) draft.addOrigin(name)
      birthPlaces.push(place.attributes['place-id'] ?? '')
    }
    for (const document of listChildren(identity, 'identification-document'))
      for (const { text } of listChildren(document, 'number')) draft.addDocument(text)
  }
  return { draft, birthPlaces }
}

/** The name as listed, then in each script with the spellings that the list gives for its parts. */
function listSpellings(name: Element): string[] {
  const parts = listChildren(name, 'name-part')
    .filter(({ attributes }) => !NO_NAMES.includes(attributes['name-part-type']))
    .toSorted((a, b) => Number(a.attributes.order) - Number(b.attributes.order))
    .map((part) => ({
      listed: listChildren(part, 'value').map(({ text }) => text.trim()),
      variants: listChildren(part, 'spelling-variant'),
    }))
  const scripts = new Set(
    parts.flatMap(({ variants }) => variants.map(({ attributes }) => attributes.script)),
  )
  const inScript = (script: string | undefined): string[] =>
    parts.reduce<string[]>(
      (names, { listed, variants }) => {
        const others = variants
          .filter(({ attributes }) => attributes.script === script)
          .map(({ text }) => text.trim())
        const isLatin = script === undefined || script === 'LATN'
        const texts = isLatin || others.length === 0 ? [...listed, ...others] : others
        const joined = names.flatMap((before) => texts.map((text) => `${before} ${text}`.trim()))
        return joined.length > 0 ? joined.slice(0, MAX_SPELLINGS) : names
      },
      [''],
    )
  return [undefined, ...scripts].flatMap(inScript)
}

function* readCountries(element: Element): Generator<string> {
  for (const { text, attributes } of listDescendants(element, 'country')) {
    yield attributes['iso-code'] ?? text
  }
}
