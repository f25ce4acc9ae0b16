import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { listStatedValues } from '../../../server/proofing/address-form.ts'
import {
  buildAddressQuestion,
  judgeAddressAnswer,
  REGISTER_FIELDS,
  toResident,
  type AddressAnswer,
  type RegisterField,
  type Resident,
} from '../../../server/proofing/address-register.ts'

const FORMATS = loadAddressFormats()
const HOME = {
  streetDetails: { streetLines: ['Lindenstraße'], verified: false },
  houseNumber: '5',
  postcode: '50667',
  city: 'Köln',
  country: 'DEU',
  verified: false,
}
const named = (verified: boolean, second = verified) => ({
  document: {
    idDocumentType: 'PASSPORT' as const,
    personalAttributes: {
      givenNames: [
        { value: 'Anna', verified },
        { value: 'Maria', verified: second },
      ],
      surname: { value: 'Eriksson', verified },
      dateOfBirth: { value: '1974-08-12', verified: false },
    },
  },
})

describe('the question', () => {
  test('has the configured values in the form of the country, and those of the person that are verified', () => {
    const resident = toResident('e1', named(true))
    expect(buildAddressQuestion(HOME, resident, REGISTER_FIELDS, FORMATS)).toEqual({
      country: 'DEU',
      values: {
        streetLine1: 'LINDENSTRASSE 5',
        postcode: '50667',
        city: 'KÖLN',
        address: 'LINDENSTRASSE 5, 50667 KÖLN',
        givenNames: 'Anna Maria',
        surname: 'Eriksson',
      },
    })
    expect(buildAddressQuestion(HOME, resident, ['address'], FORMATS)?.values).toEqual({
      address: 'LINDENSTRASSE 5, 50667 KÖLN',
    })
  })

  test('names no person of whom a name is not verified', () => {
    for (const content of [named(false), named(true, false), {}])
      expect(toResident('e1', content)).toEqual({ evidenceId: 'e1', values: {} })
  })

  test('is not put about an address without country, street or town', () => {
    const build = (
      change: object,
      sends: readonly RegisterField[] = REGISTER_FIELDS.filter((field) => field !== 'address'),
    ) => buildAddressQuestion({ ...HOME, ...change }, null, sends, FORMATS)
    expect(build({})).not.toBeNull()
    expect(build({ country: undefined })).toBeNull()
    expect(build({ streetDetails: undefined, houseNumber: undefined })).toBeNull()
    expect(build({ postcode: undefined, city: undefined })).toBeNull()
    const whole = { streetDetails: undefined, houseNumber: undefined, postcode: undefined, city: undefined }
    expect(build({ ...whole, fullAddress: 'Lindenstr. 5, Köln' })).toBeNull()
    expect(build({ ...whole, fullAddress: 'Lindenstr. 5, Köln' }, ['address'])).not.toBeNull()
  })
})

describe('the answer', () => {
  const place = { streetLine1: 'MATCH', postcode: 'MATCH', city: 'MATCH' } as const
  const STATED = listStatedValues(HOME, FORMATS)
  const judgeAll = (
    { matches, ...answer }: Partial<AddressAnswer>,
    { stated = STATED, sent = ['surname'] as readonly string[], resident = null as Resident | null } = {},
  ) =>
    judgeAddressAnswer(
      {
        record: 'FOUND',
        matches: { ...place, ...matches },
        authoritative: false,
        residentId: null,
        ...answer,
      },
      { stated, sent, resident },
    )
  const judge = (answer: Partial<AddressAnswer>, stated = STATED) =>
    judgeAll(answer, { stated }).map(({ outcome }) => outcome)
  const resident = { surname: 'MATCH', givenNames: 'SIMILAR' } as const

  test.each<[Partial<AddressAnswer>, readonly [string, string]]>([
    [{ matches: resident }, ['passed', 'passed']],
    [{ matches: { ...resident, city: 'SIMILAR' } }, ['passed', 'passed']],
    [{}, ['passed', 'inconclusive']],
    [{ matches: { surname: 'MATCH' } }, ['passed', 'inconclusive']],
    [{ matches: { surname: 'MATCH', givenNames: 'NOT_COMPARED' } }, ['passed', 'inconclusive']],
    [{ matches: { ...resident, surname: 'NO_MATCH' } }, ['passed', 'inconclusive']],
    [{ matches: { ...resident, surname: 'NO_MATCH' }, authoritative: true }, ['passed', 'failed']],
    [{ matches: { ...resident, dateOfBirth: 'NO_MATCH' } }, ['passed', 'inconclusive']],
    [{ matches: { ...resident, dateOfBirth: 'NO_MATCH' }, authoritative: true }, ['passed', 'failed']],
    [{ matches: { ...resident, postcode: 'NO_MATCH' } }, ['failed', 'inconclusive']],
    [{ record: 'NOT_FOUND', authoritative: true }, ['failed', 'inconclusive']],
    [{ record: 'AMBIGUOUS', matches: resident }, ['inconclusive', 'inconclusive']],
  ])('%o: ADDRESS_EXISTENCE and ADDRESS_SOURCE %o', (answer, expected) =>
    expect(judge(answer)).toEqual(expected),
  )

  test('leaves an address open of which a part was not compared', () => {
    const open = ['inconclusive', 'inconclusive']
    expect(judge({ matches: { ...resident, city: 'NOT_COMPARED' } })).toEqual(open)
    const further = { ...HOME, streetDetails: { streetLines: ['Lindenstraße', 'Turm 9'], verified: false } }
    expect(judge({ matches: resident }, listStatedValues(further, FORMATS))).toEqual(open)
    expect(judge({ matches: resident }, listStatedValues({ ...HOME, state: 'Bayern' }, FORMATS))).toEqual(
      open,
    )
    for (const part of ['district', 'locality', 'county'])
      expect(judge({ matches: resident }, listStatedValues({ ...HOME, [part]: 'X' }, FORMATS))).toEqual(open)
  })

  test.each(['12² Lindenstraße', '❾ Lindenstraße', 'Lindenstraße 12 🅑', '🅑', '1+2 Lindenstraße'])(
    'leaves an address open with signs that its normal form lacks: %s',
    (line) => {
      const address = { ...HOME, streetDetails: { streetLines: ['Lindenstraße', line], verified: false } }
      expect(listStatedValues(address, FORMATS)).toBeNull()
    },
  )

  test('reads fractions, dashes and the usual punctuation of streets', () => {
    const written = (line: string) => {
      const streetDetails = { streetLines: [line], verified: false }
      const address = { ...HOME, houseNumber: undefined, streetDetails }
      expect(listStatedValues(address, FORMATS)).not.toBeNull()
      return buildAddressQuestion(address, null, ['streetLine1', 'city'], FORMATS)?.values.streetLine1
    }
    expect(written('12½ Lindenstraße')).toBe('12 1/2 LINDENSTRASSE')
    expect(written('Lindenstraße 12–14, “Haus A”')).toBe('LINDENSTRASSE 12-14 HAUS A')
    expect(written('Calle N.º 5')).toBe('CALLE N O 5')
    expect(written('N° 5, rue d’Alésia')).toBe('N 5 RUE D’ALÉSIA')
  })

  test('leaves an address open whose text in one line says something else than its parts', () => {
    const judgeText = (fullAddress: string) =>
      judge({ matches: resident }, listStatedValues({ ...HOME, fullAddress }, FORMATS))
    expect(judgeText('66 Evil Road, 9999 Paris')).toEqual(['inconclusive', 'inconclusive'])
    expect(judgeText('Lindenstraße 5, 50667 KÖLN')).toEqual(['passed', 'passed'])
  })

  test('that leaves an address open has a reason', () => {
    const why = (...asked: Parameters<typeof judgeAll>) => judgeAll(...asked).map(({ reason }) => reason)
    const named = { evidenceId: 'e1', values: { givenNames: 'Anna', surname: 'Eriksson' } }
    expect(why({ matches: resident })).toEqual([undefined, undefined])
    expect(why({ matches: { ...resident, city: 'NOT_COMPARED' } })).toEqual(['COVERAGE', 'COVERAGE'])
    expect(why({ record: 'AMBIGUOUS' })).toEqual(['RECORD', 'RECORD'])
    expect(why({ matches: { ...resident, surname: 'NO_MATCH' } })).toEqual([undefined, 'RECORD'])
    expect(why({}, { sent: [] })).toEqual([undefined, 'REFERENCE'])
    expect(why({}, { sent: [], resident: { evidenceId: 'e1', values: {} } })).toEqual([
      undefined,
      'REFERENCE',
    ])
    expect(why({}, { sent: [], resident: named })).toEqual([undefined, 'SUPPORT'])
  })

  test('about the whole text confirms the parts of which the text consists', () => {
    const matches = { ...resident, streetLine1: 'NOT_COMPARED', address: 'MATCH' } as const
    expect(judge({ matches })).toEqual(['passed', 'passed'])
  })
})
