/** Rules of the screens: searches, timing of messages, and masking. Pure functions, no page. */
import { describe, expect, test } from 'vitest'
import type { CheckField, WaitingStep } from '../../../server/kiosk/contract/index.ts'
import { ALPHA_2 } from '../../../server/proofing/country-codes.ts'
import { keptSettings, DEFAULTS } from '../../../renderer/kiosk/display.ts'
import { createFormats } from '../../../renderer/kiosk/formats.ts'
import {
  learnCountries,
  maskValue,
  shownFields,
  formatField,
} from '../../../renderer/kiosk/screens/check-fields.ts'
import { isoDate } from '../../../renderer/kiosk/screens/check-typing.ts'
import { listActs, listSentences, receiversSentence } from '../../../renderer/kiosk/screens/consent-words.ts'
import { findCountries, sortCountries } from '../../../renderer/kiosk/screens/country-search.ts'
import {
  DIAL_COUNTRIES,
  groupDigits,
  internationalNumber,
} from '../../../renderer/kiosk/screens/dial-codes.ts'
import { groupSigns } from '../../../renderer/group-signs.ts'
import { chooseFailure } from '../../../renderer/kiosk/screens/phone.ts'
import { listAlternatives } from '../../../renderer/kiosk/screens/portrait-pages.ts'
import { nextKey } from '../../../renderer/kiosk/screens/result.ts'
import { waitingWords } from '../../../renderer/kiosk/screens/waiting-words.ts'

const country = (iso3: string, name: string, first = false) => ({
  iso3,
  iso2: ALPHA_2.get(iso3) ?? '',
  name,
  first,
})

describe('countries are found by the text that the applicant types', () => {
  const all = [
    country('CIV', 'Côte d’Ivoire'),
    country('BIH', 'Bosnia & Herzegovina'),
    country('ZAF', 'South Africa'),
  ]

  test('without marks and case, by any word of the name, and by the code on the document', () => {
    expect(findCountries(all, 'cote').map(({ iso3 }) => iso3)).toEqual(['CIV'])
    expect(findCountries(all, 'herz').map(({ iso3 }) => iso3)).toEqual(['BIH'])
    expect(findCountries(all, 'ZAF').map(({ iso3 }) => iso3)).toEqual(['ZAF'])
    expect(findCountries(all, 'xyz')).toEqual([])
  })
  test.each([
    ['uk', 'GBR'],
    ['britain', 'GBR'],
    ['england', 'GBR'],
    ['holland', 'NLD'],
    ['turkey', 'TUR'],
    ['ivory coast', 'CIV'],
    ['america', 'USA'],
    ['usa', 'USA'],
    ['deutschland', 'DEU'],
    ['schweiz', 'CHE'],
    ['suisse', 'CHE'],
    ['españa', 'ESP'],
    ['espana', 'ESP'],
    ['allemagne', 'DEU'],
    ['magyar', 'HUN'],
    ['polska', 'POL'],
    ['ألمانيا', 'DEU'],
    ['czech republic', 'CZE'],
  ])('by a common name, in each shipped language and in its own: %s', (typed, wanted) => {
    const every = [...ALPHA_2].map(([iso3, iso2]) =>
      country(iso3, new Intl.DisplayNames('en', { type: 'region' }).of(iso2) ?? iso3),
    )
    expect(findCountries(every, typed)[0]?.iso3).toBe(wanted)
  })
  test('a name that begins so comes before one that has it inside', () => {
    const both = [country('IOT', 'British Indian Ocean Territory'), country('IND', 'India')]
    expect(findCountries(both, 'ind').map(({ iso3 }) => iso3)).toEqual(['IND', 'IOT'])
  })
  test('an Arabic name is found without its hamza', () => {
    expect(findCountries([country('DEU', 'ألمانيا')], 'المان')).toHaveLength(1)
  })
  test('the branch’s own countries stand first, the rest as the language sorts', () => {
    const sorted = sortCountries(
      [country('ZWE', 'Zimbabwe', true), country('AUT', 'Österreich'), country('POL', 'Polen')],
      'de',
    )
    expect(sorted.map(({ iso3 }) => iso3)).toEqual(['ZWE', 'AUT', 'POL'])
  })
})

test('too many wrong codes are told as such, and not as a message that did not go out', () => {
  expect(chooseFailure({ triesLeft: 0 })).toBe('spent')
  expect(chooseFailure({ triesLeft: 2 })).toBe('failed')
})

test('an applicant sent to the counter is told not to start again only if something was captured', () => {
  expect(nextKey({ outcome: 'PERSON', isCaptured: true })).toBe('result.next.PERSON')
  expect(nextKey({ outcome: 'PERSON', isCaptured: false })).toBe('result.next.PERSON.new')
  expect(nextKey({ outcome: 'LATER', isCaptured: false })).toBe('result.next.LATER')
})

test('an applicant who cannot do a task is offered the alternatives that exist', () => {
  const ways = { livenessType: 'LIVENESS_ACTIVE', withoutTurning: 'HERE', withoutColours: 'COUNTER' } as const
  expect(listAlternatives(ways)).toEqual(['turning'])
  expect(listAlternatives({ ...ways, livenessType: 'LIVENESS_MLC' })).toEqual(['turning', 'colours'])
  expect(listAlternatives({ ...ways, withoutTurning: null })).toEqual([])
})

describe('telephone numbers', () => {
  const numberOf = (wanted: string, typed: string) => {
    const dial = DIAL_COUNTRIES.find(({ iso2 }) => iso2 === wanted)
    if (!dial) throw new TypeError(`no country ${wanted}`)
    return internationalNumber(dial, typed)
  }
  test('the zero of inside the country goes, except where it is part of the number', () => {
    expect(numberOf('FR', '0612345678')).toBe('+33612345678')
    expect(numberOf('IT', '0612345678')).toBe('+390612345678')
    expect(numberOf('CI', '0712345678')).toBe('+2250712345678')
  })
  test('what no number of the country can be, by its length, is no number', () => {
    expect(numberOf('FR', '061')).toBeNull()
    expect(numberOf('FR', '0612345678123456')).toBeNull()
    for (const [country, good, ...impossible] of [
      ['ES', '612345678', '61234567', '6123456789'],
      ['US', '2125550100', '212555010', '21255501000'],
      ['DE', '015112345678'],
    ] as const) {
      expect(numberOf(country, good)).not.toBeNull()
      for (const typed of impossible) expect([typed, numberOf(country, typed)]).toEqual([typed, null])
    }
  })
  test('every country has lengths that fit into an international number', () => {
    for (const { code, lengths } of DIAL_COUNTRIES) {
      expect(lengths.length).toBeGreaterThan(0)
      expect(lengths.some((length) => code.length + length <= 15 && code.length + length >= 7)).toBe(true)
    }
  })
  test('numbers are grouped as people write them', () => {
    expect(groupDigits('33', '0612345678')).toBe('06 12 34 56 78')
    expect(groupDigits('1', '2125550100')).toBe('212 555 0100')
    expect(groupDigits('49', '15112345678')).toBe('151 123 456 78')
  })
  test('every country stands once in the list, with a code of one to three digits', () => {
    expect(new Set(DIAL_COUNTRIES.map(({ iso2 }) => iso2)).size).toBe(DIAL_COUNTRIES.length)
    expect(
      DIAL_COUNTRIES.filter(({ iso2, code }) => !/^[A-Z]{2}$/.test(iso2) || !/^[1-9]\d{0,2}$/.test(code)),
    ).toEqual([])
  })
})

describe('the data read from a document', () => {
  const field = (name: CheckField['name'], value: string | null, hardToRead = false): CheckField => ({
    name,
    value,
    original: null,
    typed: null,
    hardToRead,
    hasCrop: false,
    editable: true,
    shortened: false,
  })
  test('a missing part of a name is not shown, another missing detail is, and what was hard to read comes first', () => {
    const shown = shownFields([
      field('givenNames', null),
      field('familyName', 'SAMPLE'),
      field('address', null),
      field('sex', 'F', true),
    ])
    expect(shown.map(({ name }) => name)).toEqual(['sex', 'familyName', 'address'])
  })
  test('a country has no words before its name is there: no code flashes up', () => {
    const words = () =>
      formatField(
        { formats: createFormats('en'), t: (key: string) => key } as never,
        field('nationality', 'UTO'),
        true,
      )
    expect(words()).toBe('')
    learnCountries([{ iso3: 'UTO', iso2: 'XX', name: 'Utopia', first: true, documents: [] }])
    expect(words()).toBe('Utopia (UTO)')
  })
  test('a number is covered but for its end, a short one as well', () => {
    expect(maskValue('L898902C42')).toBe('••••••••42')
    expect(maskValue('7')).toBe('•••7')
  })
  test('a typed date may have unknown parts; an impossible or abbreviated date is refused', () => {
    expect(isoDate('05.07.1964')).toBe('1964-07-05')
    expect(isoDate('٠٥.٠٧.١٩٦٤')).toBe('1964-07-05')
    expect(isoDate('00.00.1964')).toBe('1964-00-00')
    expect(isoDate('05.13.1964')).toBeNull()
    expect(isoDate('5.7.64')).toBeNull()
  })
})

test('consents of one kind are one act, and two photos are compared', () => {
  expect(listActs(['ID_DOCUMENT', 'PORTRAIT', 'MOBILE', 'MOBILE_OTP']).map(([, key]) => key)).toEqual([
    'consent.act.document',
    'consent.act.portrait',
    'consent.act.operator',
    'consent.act.phone',
    'consent.act.compare',
  ])
})

test('a consent names its sources and their values, and one without a name by what it is', () => {
  const disclosures = {
    MOBILE: [{ name: null, values: ['phoneNumber', 'surname'] }],
    ID_CLAIM: [{ name: 'Bureau', values: ['address'] }],
  } as const
  const t = (key: string, given?: object) => (given ? `${key} ${JSON.stringify(given)}` : key)
  const words = { t, language: 'en' } as never
  expect(listSentences(['PORTRAIT', 'MOBILE'], disclosures, words)).toEqual([
    'consent.sent {"source":"consent.source.operator","values":"consent.value.phoneNumber and consent.value.surname"}',
  ])
  expect(listSentences(['GIV', 'ID_CLAIM'], disclosures, words)).toEqual([
    'consent.sent {"source":"Bureau","values":"consent.value.address"}',
  ])
})

test('a consent promises that the organisation alone receives the data only if no source receives any', () => {
  const t = ((key: string) => key) as never
  const bank = 'Utopia Bank'
  expect(receiversSentence({}, bank, { t })).toBe('consent.receives')
  expect(receiversSentence({ GIV: [] }, bank, { t })).toBe('consent.receives')
  const giv = [{ name: 'Licence office', values: ['surname'] }] as const
  expect(receiversSentence({ GIV: giv }, bank, { t })).toBe('consent.receives.sources')
})

describe('waiting names what is really done', () => {
  const step = (mayLeave: boolean): WaitingStep => ({
    kind: 'waiting',
    ready: false,
    mayLeave,
    rows: [
      { name: 'document', state: 'DONE' },
      { name: 'portrait', state: 'DOING' },
      { name: 'seal', state: 'TODO' },
    ],
  })
  test('nothing in the first second, then the step, then that nothing is lost, then that one may go', () => {
    expect(waitingWords(step(true), 900, false)).toEqual({ doing: null, calm: null, mayLeave: false })
    expect(waitingWords(step(true), 1000, false)).toEqual({
      doing: 'waiting.portrait',
      calm: null,
      mayLeave: false,
    })
    expect(waitingWords(step(true), 20_000, false).calm).toBe('waiting.still')
    expect(waitingWords(step(true), 45_000, false)).toMatchObject({ calm: 'waiting.long', mayLeave: true })
  })
  test('an applicant may leave only if the server allows it, and then need not wait longer without a connection', () => {
    expect(waitingWords(step(false), 60_000, false)).toMatchObject({ calm: 'waiting.still', mayLeave: false })
    expect(waitingWords(step(true), 2000, true).mayLeave).toBe(true)
  })
})

describe('a page that is reloaded', () => {
  test('continues with large letters and contrast; speech waits until a voice is there', () => {
    const large = { ...DEFAULTS, textSize: 3, highContrast: true, speech: true }
    expect(keptSettings(large)).toEqual({ ...large, speech: false })
  })

  test.each([null, undefined, 7, {}, { ...DEFAULTS, textSize: 'large' }])(
    'takes no settings from %j',
    (state) => {
      expect(keptSettings(state)).toBeNull()
    },
  )
})

test('a typed number is shown in groups of four, or in those in which it was typed', () => {
  expect(groupSigns('P1234567AB')).toBe('P123 4567 AB')
  expect(groupSigns('P12-345')).toBe('P12-345')
  expect(groupSigns('P1 2345')).toBe('P1 2345')
})
