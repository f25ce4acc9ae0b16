/**
 * Converts the text of the pages to facts: first the layout, then fields by number, label, place or format. Does not
 * judge whether they are true.
 */
import { withFurtherLines, withSecondLine } from './address.ts'
import { findValue } from './beside-label.ts'
import { orderOfDates } from './dates.ts'
import type { PageKnowledge, PageTemplate, ValueForm } from './knowledge.ts'
import { withFirstParts } from './label-parts.ts'
import { findLabel, isCaption, labelEntries, type Label } from './labels.ts'
import { formFields } from './by-form.ts'
import { nationalityAlone, nationalityNamed } from './nationality.ts'
import { numberedPieces, numbersBeforeValues, readNumbered, surnameAbove } from './numbered.ts'
import type { PageFacts, PageField, PageFieldName, PrintedText } from './page-facts.ts'
import { PAGE_FIELDS } from './page-facts.ts'
import { kindOfPages, type PageKind } from './page-kind.ts'
import {
  areLevel,
  computeConfidence,
  splitSegments,
  splitAtLabels,
  withoutFirst,
  type Segment,
} from './segments.ts'
import { bareText } from './spelling.ts'
import type { PageContent } from './text.ts'
import { cellsOfSex } from './unread-cells.ts'
import { FORM_OF, readValue, type ReadingContext, type Value } from './values.ts'

/**
 * One entry per side, in the order front, back. `coded`: what MRZ or barcode states about the document, so that layout and
 * date order are those of its issuer. Their country precedes the printed one, because a page also names the country of
 * birth.
 */
export function readPageFacts(
  pages: readonly PageContent[],
  now: Date,
  knowledge: PageKnowledge,
  coded: Pick<PageKind, 'kind' | 'country'> | null = null,
): PageFacts {
  const segments = splitSegments(pages)
  const entries = labelEntries(knowledge.words)
  const numbers = numberedPieces(segments)
  const title = kindOfPages(segments, knowledge.words)
  const named: PageKind = {
    ...title,
    kind: title.kind ?? coded?.kind ?? null,
    country: coded?.country ?? title.country,
  }
  const labels = segments.flatMap((segment) => {
    const label = findLabel(segment, entries)
    return label ? [{ ...label, field: fieldMeant(label, named) }] : []
  })
  const template = chooseTemplate(knowledge.templates, pages, named, [
    ...labels.map(({ field }) => field),
    ...numbersBeforeValues(numbers, segments),
  ])
  const texts = segments.map(({ text }) => text)
  const order = orderOfDates(texts, chooseOrder(named) ?? template?.dateOrder ?? null)
  const { months, sexes } = knowledge.words
  const states = new Set(Object.keys(knowledge.words.countries))
  const context: ReadingContext = { months, sexes, order, country: named.country, states, now }
  const whole = withFirstParts(labels, segments, entries)
  const unlabelled = splitAtLabels(
    segments.filter((segment) => !labels.some((label) => label.segment === segment)),
    whole.filter((label) => !isFurtherLanguage(label, whole)).map(({ segment }) => segment),
  )
  const labelWords = (segment: Segment): number => {
    const label = findLabel(segment, entries)
    return label ? segment.words.length - (label.rest?.words.length ?? 0) : 0
  }
  const isNoCaption = ({ field, value }: PageField): boolean =>
    !IN_WORDS.includes(FORM_OF[field]) || !isCaption(bareText(value), entries)
  const found = [
    ...(template ? readNumbered(numbers, segments, template.numbered, labelWords, context) : []),
    ...labelledFields(whole, unlabelled, context),
    ...(template ? surnameAbove(numbers, unlabelled, template.numbered, context) : []),
    ...(template ? placedFields(template, unlabelled, context) : []),
    ...formFields(unlabelled, named.kind ?? template?.kinds[0] ?? null, context),
  ].filter(isNoCaption)
  const kind = title.kind ?? (template?.kinds.length === 1 ? template.kinds[0] : null)
  const fields = withGivenNames(bestOfEach(withoutMisled(found)))
  const sexNotRead = fields.some(({ field }) => field === 'sex') ? [] : cellsOfSex(labels, segments)
  const printed = (segment: Segment): PrintedText => ({
    text: segment.text,
    confidence: computeConfidence(segment.words),
    captureIndex: segment.captureIndex,
    isLabel: labels.some((label) => label.segment === segment),
    place: { y: segment.y, height: segment.height },
  })
  const people = fields.find(({ field }) => field === 'nationality')
  const nationality = people
    ? nationalityNamed(people.value, knowledge.words)
    : nationalityAlone(unlabelled, knowledge.words)
  return {
    template: template?.id ?? null,
    kind,
    country: title.country,
    state: title.state,
    ...(nationality === null ? {} : { nationality }),
    fields,
    ...(sexNotRead.length === 0 ? {} : { sexNotRead }),
    unreadLines: segments.filter(isUnread).length,
    print: segments.map(printed),
    dates: segments.flatMap((segment) => {
      const roles = (['birthDate', 'expiryDate'] as const).map((name) => readValue(segment, name, context))
      return roles.flatMap((date) =>
        date ? [{ value: date.value, confidence: date.confidence, line: printed(segment) }] : [],
      )
    }),
  }
}

/** Value formats that captions also have. */
const IN_WORDS: readonly ValueForm[] = ['name', 'text']

/** A visa names the passport to which it belongs; on cards other than licences the card number is the document number. */
function fieldMeant({ field, segment }: Label, { kind }: PageKind): Label['field'] {
  if (kind === 'VISA' && field === 'documentNumber' && OF_PASSPORT.test(segment.bare)) return null
  return field === 'cardNumber' && kind !== null && kind !== 'DRIVING_LICENSE' ? 'documentNumber' : field
}

const OF_PASSPORT = /\bpass/

/** Unit: label heights: a slash separates two languages of a label. */
const LANGUAGE_GAP = 3

/** The second language of a label beside the first starts no column of values. */
function isFurtherLanguage({ segment, field }: Label, labels: readonly Label[]): boolean {
  return labels.some((other) => {
    const gap = segment.x - (other.segment.x + other.segment.width)
    return (
      field !== null &&
      other.field === field &&
      areLevel(other.segment, segment) &&
      other.segment.x < segment.x &&
      gap <= LANGUAGE_GAP * segment.height
    )
  })
}

/** True for a word of at least three characters if no word of the line has a confidence of 0.5: not a speck. */
function isUnread({ words, bare }: Segment): boolean {
  return bare.length >= 3 && words.every(({ confidence }) => confidence < 0.5)
}

/** The layout with the most anchors among those that match the page's proportions and words. */
function chooseTemplate(
  templates: readonly PageTemplate[],
  pages: readonly PageContent[],
  { kind, country }: PageKind,
  seen: readonly (string | null)[],
): PageTemplate | null {
  const fitting = templates
    .filter(({ kinds, countries, aspect }) => {
      const proportions = pages.some((page) => page.aspect >= aspect.least && page.aspect <= aspect.most)
      const ofKind = kind === null || kinds.includes(kind)
      return (
        proportions &&
        ofKind &&
        (country === null || countries.length === 0 || countries.includes(country) || country === 'UTO')
      )
    })
    .map((template) => {
      const anchors = template.anchors.filter((anchor) => seen.includes(anchor)).length
      const sayings =
        (kind !== null && template.kinds.includes(kind) ? 1 : 0) +
        (country !== null && template.countries.includes(country) ? 2 : 0)
      return { template, anchors, weight: anchors + sayings }
    })
    .filter(({ template: { leastAnchors, needs, kinds }, anchors }) => {
      const needed = needs === undefined || needs.some((anchor) => seen.includes(anchor))
      const isNamed = kind !== null && kinds.includes(kind)
      // A layout that requires no anchors is recognised only by its name.
      const isSeen = isNamed ? anchors > 0 || leastAnchors === 0 : leastAnchors > 0 && anchors >= leastAnchors
      return needed && isSeen
    })
    .sort((a, b) => b.weight - a.weight)
  return fitting[0]?.template ?? null
}

/** Only the United States write the month first everywhere; Canada uses both orders. */
function chooseOrder({ country }: PageKind): ReadingContext['order'] {
  return country === 'USA' ? 'mdy' : null
}

/** `SURNAME, Name` under one label: surnames contain no comma. */
const WHOLE_NAME = /^\p{L}[^,]*,\s*\p{L}/u

function labelledFields(
  labels: readonly Label[],
  candidates: readonly Segment[],
  context: ReadingContext,
): PageField[] {
  const found = labels
    .flatMap((label) => {
      const value = label.field === null ? null : findValue(label, label.field, candidates, labels, context)
      if (!value || label.field === null) return []
      const isWhole = label.field === 'surname' && WHOLE_NAME.test(value.segment.text)
      const whole = isWhole ? readValue(value.segment, 'fullName', context) : null
      if (whole) return [{ field: 'fullName' as const, value: { ...value, ...whole } }]
      return [{ field: label.field, value }]
    })
    // If a field has two labels, or two parts of one, the label nearer to the value is used.
    .sort((a, b) => a.value.distance - b.value.distance)
  return found.flatMap(({ field, value }) => {
    const own = asField(field, value, value.segment)
    if (field === 'address') return [withFurtherLines(own, value.segment, candidates)]
    if (field === 'surname')
      return [
        withSecondLine(
          own,
          value.segment,
          candidates,
          labels.map(({ segment }) => segment),
        ),
      ]
    return field === 'birthDate' || field === 'birthPlace'
      ? [...birthFields(value.segment, context), own]
      : [own]
  })
}

/** `Date and place of birth` has one value for both. */
function birthFields(segment: Segment, context: ReadingContext): PageField[] {
  const date = readValue(segment, 'birthDate', context)
  const behind = date && withoutFirst(segment, date.usedWords)
  const place = behind && readValue(behind, 'birthPlace', context)
  if (!date) return []
  const fields = [asField('birthDate', date, segment)]
  return behind && place ? [...fields, asField('birthPlace', place, behind)] : fields
}

function asField(field: PageFieldName, { value, confidence }: Value, { captureIndex }: Segment): PageField {
  return { field, value, confidence, captureIndex, foundBy: 'label' }
}

function placedFields(
  { places }: PageTemplate,
  candidates: readonly Segment[],
  context: ReadingContext,
): PageField[] {
  return Object.entries(places).flatMap(([name, place]) => {
    const field = name as PageFieldName
    const inside = candidates.filter(
      ({ captureIndex, x, y, height, width, aspect }) =>
        captureIndex === 0 &&
        x + width / 2 >= place.x &&
        x + width / 2 <= place.x + place.width &&
        (y + height / 2) * aspect >= place.y &&
        (y + height / 2) * aspect <= place.y + place.height,
    )
    const read = inside.flatMap((segment) => {
      const value = readValue(segment, field, context)
      if (!value) return []
      const { confidence } = value
      const own = { field, value: value.value, confidence, captureIndex: 0, foundBy: 'template' as const }
      return [field === 'address' ? withFurtherLines(own, segment, candidates) : own]
    })
    return read.filter(({ value }) => FORM_OF_PLACED[field]?.test(value) ?? true).slice(0, 1)
  })
}

/** A wrong outline moves the places: a speck is no name, and a name is no address, which has a house number or postcode. */
const FORM_OF_PLACED: Partial<Record<PageFieldName, RegExp>> = { fullName: /\p{L}{2}/u, address: /\d/ }

/**
 * Removes fields to which a misread label assigned an impossible value. If three dates are assigned by order (by-form),
 * the first is not the issue, whatever its label, unless the birth has its own label. A number labelled as personal is
 * not the document number.
 */
function withoutMisled(found: readonly PageField[]): readonly PageField[] {
  const by = (way: PageField['foundBy'], name: PageFieldName) =>
    found.find(({ field, foundBy }) => field === name && foundBy === way)?.value
  const isToldByOrder =
    by('form', 'issueDate') !== undefined && by('label', 'birthDate') !== by('form', 'birthDate')
  const birth = isToldByOrder ? by('form', 'birthDate') : undefined
  const personal = by('label', 'personalNumber')
  return found.filter(
    ({ field, foundBy, value }) =>
      !(field === 'issueDate' && foundBy === 'label' && value === birth) &&
      !(field === 'documentNumber' && foundBy === 'form' && value === personal),
  )
}

/** If there is a separate surname, the full name contains the given names. */
function withGivenNames(fields: readonly PageField[]): PageField[] {
  const find = (name: PageFieldName): PageField | undefined => fields.find(({ field }) => field === name)
  const [whole, surname] = [find('fullName'), find('surname')]
  if (!whole || !surname || find('givenNames') || bareText(whole.value).includes(bareText(surname.value)))
    return [...fields]
  return fields.map((field) => (field === whole ? { ...whole, field: 'givenNames' } : field))
}

/** Threshold: below this confidence readings are wrong more often than right: background, not print. */
const EVEN_CHANCES = 0.5

/** Keeps the most reliable reading of each field: by number or label, by place, by format. Guesses lose. */
function bestOfEach(found: readonly PageField[]): PageField[] {
  return PAGE_FIELDS.flatMap((name) => {
    const own = found.filter(({ field }) => field === name)
    return own.find(({ confidence }) => confidence >= EVEN_CHANCES) ?? own[0] ?? []
  })
}
