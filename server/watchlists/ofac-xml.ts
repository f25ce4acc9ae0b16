/**
 * Reads the U.S. Treasury's lists in the advanced format (sdn_advanced.xml) piece by piece. The format uses numbers for
 * types, countries and scripts and explains them in its own tables; documents and places are separate from the persons.
 */
import { spanFrom } from '../proofing/watchlist/births.ts'
import type { DateSpan, ListedPerson } from '../proofing/watchlist/listed.ts'
import { findChild, listChildren, listDescendants, readText, type Element } from '../xml/element.ts'
import { readElements } from './elements.ts'
import { dateOfParts } from './list-dates.ts'
import { PersonDraft } from './person-draft.ts'
import type { TextFile } from './read-file.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'

const KEPT = [
  'DateOfIssue',
  'PartyType',
  'PartySubType',
  'FeatureType',
  'Country',
  'Location',
  'IDRegDocument',
  'DistinctParty',
]

/** The file's own tables. */
interface Tables {
  readonly partyTypes: Map<string, string>
  /** Party subtype → party type. */
  readonly subTypes: Map<string, string>
  readonly features: Map<string, string>
  readonly countries: Map<string, string>
  /** Place → number of its country. */
  readonly locations: Map<string, string>
}
interface Found extends Tables {
  date: string | null
  readonly documents: { readonly identity: string; readonly number: string }[]
  readonly parties: Element[]
}

export async function readOfacXml(file: TextFile): Promise<ParsedList> {
  const found: Found = {
    date: null,
    partyTypes: new Map(),
    subTypes: new Map(),
    features: new Map(),
    countries: new Map(),
    locations: new Map(),
    documents: [],
    parties: [],
  }
  const persons = new Map<string, ListedPerson>()
  const drafts = new Map<string, { readonly draft: PersonDraft; readonly identities: readonly string[] }>()
  let leftOut = 0
  await readElements(file, 'Sanctions', new Set(KEPT), (element) => {
    const take = TAKE[element.name]
    if (take) {
      take(found, element)
      return
    }
    if (!isIndividual(element, found)) {
      leftOut++
      return
    }
    const id = element.attributes.FixedRef ?? ''
    if (id === '' || drafts.has(id))
      throw new ListRefused(`${file.name} holds a person without a number, or twice`)
    drafts.set(id, readParty(element, id, found))
  })
  if (found.partyTypes.size === 0 && found.subTypes.size === 0)
    throw new ListRefused(`${file.name} does not say what its numbers mean: it is not the advanced format`)
  const numbers = Map.groupBy(found.documents, ({ identity }) => identity)
  for (const [id, { draft, identities }] of drafts) {
    for (const identity of identities)
      for (const { number } of numbers.get(identity) ?? []) draft.addDocument(number)
    const person = draft.finish()
    if (person === null) throw new ListRefused(`${file.name} holds a person without a name`)
    persons.set(id, person)
  }
  return { date: found.date, persons: [...persons.values()], leftOut }
}

type Take = (found: Found, element: Element) => void
const keep =
  (table: Exclude<keyof Tables, 'locations' | 'subTypes'>): Take =>
  (found, { attributes, text }) => {
    found[table].set(attributes.ID ?? '', text.trim())
  }
const TAKE: Readonly<Record<string, Take | undefined>> = {
  DateOfIssue: (found, element) => {
    found.date ??= dateIn(element)?.from ?? null
  },
  PartyType: keep('partyTypes'),
  PartySubType: (found, { attributes, text }) => {
    found.subTypes.set(attributes.ID ?? '', attributes.PartyTypeID ?? text.trim())
  },
  FeatureType: keep('features'),
  Country: keep('countries'),
  Location: (found, element) => {
    const country = findChild(element, 'LocationCountry')?.attributes.CountryID
    if (country !== undefined) found.locations.set(element.attributes.ID ?? '', country)
  },
  IDRegDocument: (found, element) => {
    const number = readText(element, 'IDRegistrationNo')
    found.documents.push({ identity: element.attributes.IdentityID ?? '', number })
  },
}

/** The party's subtype belongs to a party type with the name "Individual". */
function isIndividual(party: Element, { partyTypes, subTypes }: Tables): boolean {
  const kinds = listChildren(party, 'Profile').map((profile) => {
    const kind = subTypes.get(profile.attributes.PartySubTypeID ?? '') ?? ''
    return partyTypes.get(kind) ?? kind
  })
  return kinds.some((kind) => /^individual$/i.test(kind))
}

function readParty(party: Element, id: string, tables: Tables) {
  const draft = new PersonDraft(id)
  const identities: string[] = []
  for (const identity of listDescendants(party, 'Identity')) {
    identities.push(identity.attributes.ID ?? '')
    for (const alias of listChildren(identity, 'Alias')) {
      const isWeak = alias.attributes.LowQuality === 'true'
      for (const name of listChildren(alias, 'DocumentedName')) draft.addName(nameIn(name), isWeak)
    }
  }
  for (const feature of listDescendants(party, 'Feature')) readFeature(draft, feature, tables)
  return { draft, identities }
}

function nameIn(name: Element): string {
  const parts = listChildren(name, 'DocumentedNamePart').map((part) => readText(part, 'NamePartValue'))
  return parts.join(' ')
}

function readFeature(draft: PersonDraft, feature: Element, { features, countries, locations }: Tables): void {
  const kind = features.get(feature.attributes.FeatureTypeID ?? '') ?? ''
  if (/^birthdate$/i.test(kind)) {
    for (const period of listDescendants(feature, 'DatePeriod')) draft.addBirth(periodIn(period))
    return
  }
  const add = /^(nationality|citizenship)/i.test(kind)
    ? draft.addCountry.bind(draft)
    : /^place of birth$/i.test(kind)
      ? draft.addOrigin.bind(draft)
      : null
  if (add === null) return
  for (const { attributes } of listDescendants(feature, 'VersionLocation')) {
    add(countries.get(locations.get(attributes.LocationID ?? '') ?? '') ?? '')
  }
  for (const { text } of listDescendants(feature, 'VersionDetail')) add(text.split(',').at(-1) ?? '')
}

/** The span from the beginning of its start to the end of its end. */
function periodIn(period: Element): DateSpan | null {
  const dates = ['Start', 'End'].flatMap((side) =>
    ['From', 'To'].map((end) => dateIn(findChild(findChild(period, side), end))),
  )
  const known = dates.filter((date) => date !== null)
  const [first, last] = [known.at(0), known.at(-1)]
  return first && last ? spanFrom(first, last) : null
}

function dateIn(element: Element | undefined): DateSpan | null {
  const [year, month, day] = ['Year', 'Month', 'Day'].map((part) => readText(element, part))
  return year === '' ? null : dateOfParts(year, month, day)
}
