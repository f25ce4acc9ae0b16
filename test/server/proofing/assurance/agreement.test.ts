import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agreementIndicators,
  compareStatements,
  disagreeingAttributes,
  disagreementErrors,
  statesName,
  type Agreement,
  type Statement,
} from '../../../../server/proofing/assurance/agreement.ts'
import type { KIND_OF_FAMILY } from '../../../../server/proofing/assurance/build-facts.ts'
import type {
  EvidenceContent,
  IdDocumentData,
  PersonalAttributes,
} from '../../../../server/proofing/evidence.ts'
import { buildTd3 } from '../../../../server/proofing/mrz/build.ts'

const value = (text: string) => ({ value: text, verified: false })

interface Person {
  readonly surname?: string
  readonly givenNames?: readonly string[]
  readonly fullname?: string
  readonly dateOfBirth?: string
  readonly gender?: string
  readonly nationality?: string
}

function attributesOf({ givenNames, ...others }: Person): PersonalAttributes {
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, value(text)])),
    ...(givenNames ? { givenNames: givenNames.map(value) } : {}),
  }
}

const ANNA = { surname: 'ERIKSSON', givenNames: ['ANNA', 'MARIA'], dateOfBirth: '1974-08-12' }

const statement = (family: keyof typeof KIND_OF_FAMILY, content: EvidenceContent): Statement => ({
  family,
  type: family === 'IDDOCUMENT' ? 'PASSPORT' : family === 'CONTACT' ? 'MOBILE_OTP' : family,
  content,
})
const document = (person: Person, data: Partial<IdDocumentData> = {}): Statement =>
  statement('IDDOCUMENT', {
    document: { idDocumentType: 'PASSPORT', personalAttributes: attributesOf(person), ...data },
  })
const trustedClaim = (person: Person): Statement =>
  statement('TRUSTED_ID_CLAIM', {
    trustedClaim: {
      idpIdentifier: 'bank',
      oidcGrantType: 'CODE_FLOW',
      shared: { personalAttributes: attributesOf(person) },
    },
  })
const claim = (person: Person, mobile?: string): Statement =>
  statement('ID_CLAIM', {
    claim: {
      attributesData: attributesOf(person),
      ...(mobile ? { contactDetails: { mobile: value(mobile) } } : {}),
    },
  })
const attributes = (person: Person): Statement =>
  statement('ATTRIBUTES', { attributes: attributesOf(person) })
const contact = (mobile: string): Statement => statement('CONTACT', { mobile: value(mobile) })
const address = statement('ADDRESS', { address: { city: 'Uppsala', verified: false } })

/** Checks both directions. */
function between(a: Statement, b: Statement): Agreement {
  const found = compareStatements(a, b)
  expect(compareStatements(b, a)).toEqual(found)
  expect(disagreeingAttributes(a, b)).toEqual(found.disagreements)
  return found
}
const disagreeing = (a: Statement, b: Statement) => between(a, b).disagreements

describe('evidence of every kind', () => {
  const kinds = (person: Person) => [
    document(person),
    trustedClaim(person),
    claim(person),
    attributes(person),
  ]

  test('is compared with evidence of every other kind', () => {
    const other = { ...ANNA, surname: 'SVENSSON', dateOfBirth: '1974-12-08' }
    for (const one of kinds(ANNA)) {
      for (const agreeing of kinds(ANNA)) expect(disagreeing(one, agreeing)).toEqual([])
      for (const another of kinds(other))
        expect(disagreeing(one, another)).toEqual(['dateOfBirth', 'surname'])
    }
  })

  test('without personal data disagrees with no other evidence', () => {
    for (const silent of [address, contact('+331'), statement('IDDOCUMENT', {}), statement('PORTRAIT', {})]) {
      for (const one of kinds(ANNA)) expect(disagreeing(one, silent)).toEqual([])
      expect(disagreeing(silent, silent)).toEqual([])
    }
    expect(disagreeing(statement('TRUSTED_ID_CLAIM', {}), document(ANNA))).toEqual([])
  })

  test('names what it disagrees in, sorted, and never a value', () => {
    const a = { ...ANNA, gender: 'F', nationality: 'SWE' }
    const b = {
      surname: 'BERG',
      givenNames: ['LENA'],
      dateOfBirth: '1980-01-01',
      gender: 'M',
      nationality: 'NOR',
    }
    expect(between(document(a), claim(b))).toEqual({
      disagreements: ['dateOfBirth', 'gender', 'givenNames', 'nationality', 'surname'],
      unclear: [],
      resolvable: [],
    })
  })
})

describe('names', () => {
  test('are compared as a whole where one side states only that', () => {
    expect(disagreeing(document(ANNA), claim({ fullname: 'Anna Eriksson' }))).toEqual([])
    expect(disagreeing(document(ANNA), claim({ fullname: 'Anna Svensson' }))).toEqual(['fullname'])
    expect(disagreeing(document({ ...ANNA, givenNames: [] }), claim({ givenNames: ['Lena'] }))).toEqual([
      'fullname',
    ])
  })

  test('that an MRZ may have cut agree with the whole ones; those of print have to be whole', () => {
    // Doc 9303 part 4, section 4.2.3.
    const zone = { surname: 'NILAVADHANANANDA', givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'KRASUANG'] }
    const mrz = buildTd3({
      documentCode: 'P',
      issuingState: 'UTO',
      documentNumber: 'L898902C3',
      nationality: 'UTO',
      birthDate: '740812',
      sex: 'F',
      expiryDate: '391231',
      ...zone,
    })
    const cut = { surname: 'NILAVADHANANANDA', givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'K'] }
    const whole = attributes({ surname: 'Nilavadhanananda', givenNames: ['Chayapa', 'Dejtham', 'Krasuang'] })
    const right = attributes({
      surname: 'Nilavadhanananda',
      givenNames: ['Chayapa', 'Dejthamrong', 'Krasuang'],
    })
    expect(disagreeing(document(cut, { mrz }), right)).toEqual([])
    expect(disagreeing(document(cut, { mrz }), whole)).toEqual(['givenNames'])
    const initials = { ...cut, givenNames: ['CHA', 'DEJ', 'K'] }
    expect(disagreeing(document(initials, { mrz }), right)).toEqual([])
    expect(disagreeing(document(initials), right)).toEqual(['givenNames'])
    expect(disagreeing(document(initials, { mrz: ['no', 'zone'] }), right)).toEqual(['givenNames'])
  })

  test('in scripts without a common spelling are unclear, and that is to be seen', () => {
    const found = between(document(ANNA), claim({ ...ANNA, surname: '山田' }))
    expect(found).toEqual({ disagreements: [], unclear: ['surname'], resolvable: [] })
    expect(agreementIndicators(found)).toEqual(['NAME_AGREEMENT_UNVERIFIED'])
    expect(agreementIndicators(between(document(ANNA), claim(ANNA)))).toEqual([])
  })

  test('written by the changing rules of a state agree on papers of that state and on no others', () => {
    const [a, b] = [{ surname: 'TSVETKOV' }, { surname: 'CVETKOV' }]
    expect(disagreeing(document(a, { issuingCountry: 'BGR' }), document(b))).toEqual([])
    expect(disagreeing(document(a), claim({ ...b, nationality: 'SRB' }))).toEqual([])
    expect(disagreeing(document(a, { issuingCountry: 'DEU' }), document(b))).toEqual(['surname'])
    const [c, d] = [{ surname: 'MUHAMMAD' }, { surname: 'MUHAMAD' }]
    expect(disagreeing(document(c, { issuingCountry: 'PAK' }), document(d))).toEqual([])
    expect(disagreeing(document(c, { issuingCountry: 'BGR' }), document(d))).toEqual(['surname'])
  })
})

describe('a state that keeps names in another script', () => {
  const agreeing = (state: string, a: string, b: string) =>
    disagreeing(document({ surname: a }, { issuingCountry: state }), document({ surname: b })).length === 0

  test.each('BGR BIH BLR KAZ KGZ MKD MNE MNG RUS SRB TJK UKR'.split(' '))('writes Cyrillic: %s', (state) => {
    expect(agreeing(state, 'TSVETKOV', 'CVETKOV')).toBe(true)
    expect(agreeing(state, 'MUHAMMAD', 'MUHAMAD')).toBe(false)
  })

  test.each(
    'AFG ARE BHR COM DJI DZA EGY IRN IRQ JOR KWT LBN LBY MAR MRT OMN PAK PSE QAT SAU SDN SOM SYR TCD TUN YEM'.split(
      ' ',
    ),
  )('writes Arabic: %s', (state) => {
    expect(agreeing(state, 'MUHAMMAD', 'MUHAMAD')).toBe(true)
    expect(agreeing(state, 'TSVETKOV', 'CVETKOV')).toBe(false)
  })

  test('is found by nationality and issuer, of either side', () => {
    const [a, b] = [{ surname: 'TSVETKOV' }, { surname: 'CVETKOV' }]
    expect(disagreeing(document(a), document({ ...b, nationality: 'RUS' }))).toEqual([])
    expect(disagreeing(document({ ...a, nationality: 'DEU' }), document(b))).toEqual(['surname'])
  })
})

describe('a correction by attributes', () => {
  const read = document({ surname: 'ER1KSSON' })

  test('agrees with the document that was misread', () => {
    expect(disagreeing(read, attributes({ surname: 'ERIKSSON' }))).toEqual([])
    expect(disagreeing(document({ surname: 'ERIKSSONK' }), attributes({ surname: 'ERIKSSON' }))).toEqual([])
    expect(disagreeing(read, attributes({ surname: 'ERIXON' }))).toEqual(['surname'])
  })

  test('is made of attributes and a document, and of nothing else', () => {
    const misread = { surname: 'ERLKSSON' }
    expect(disagreeing(document(misread), attributes(ANNA))).toEqual([])
    expect(disagreeing(document(misread), document(ANNA))).toEqual(['surname'])
    expect(disagreeing(document(misread), claim(ANNA))).toEqual(['surname'])
    expect(disagreeing(attributes(misread), attributes(ANNA))).toEqual(['surname'])
    expect(disagreeing(attributes(misread), claim(ANNA))).toEqual(['surname'])
    expect(disagreeing(attributes(misread), trustedClaim(ANNA))).toEqual(['surname'])
  })
})

describe('another surname', () => {
  const married = { ...ANNA, surname: 'SVENSSON' }

  test('with the same given names and birth date disagrees, and a person may clear it up', () => {
    const found = between(document(ANNA), document(married))
    expect(found).toEqual({ disagreements: ['surname'], unclear: [], resolvable: ['surname'] })
    expect(agreementIndicators(found)).toEqual(['NAME_CHANGE_UNVERIFIED'])
  })

  test('with anything else that differs, or is not stated, is another person’s', () => {
    for (const other of [
      { ...married, dateOfBirth: undefined },
      { ...married, givenNames: undefined },
      { ...married, dateOfBirth: '1974-08-13' },
      { ...married, givenNames: ['LENA'] },
    ]) {
      const stated = Object.fromEntries(Object.entries(other).filter(([, text]) => text !== undefined))
      expect(between(document(ANNA), document(stated)).resolvable).toEqual([])
    }
    const female = document({ ...ANNA, gender: 'F' })
    expect(between(female, document({ ...married, gender: 'M' })).resolvable).toEqual([])
  })

  test('that is half of a double one, or the one at birth that a document names, is none', () => {
    expect(disagreeing(document(ANNA), document({ ...ANNA, surname: 'ERIKSSON BERG' }))).toEqual([])
    expect(disagreeing(document(ANNA), document({ ...ANNA, surname: 'BERG GEB. ERIKSSON' }))).toEqual([])
  })
})

describe('a birth date', () => {
  test.each([
    ['1974-08-12', '1974-08-12', []],
    ['1974-08-12', '1974-08', []],
    ['1974-08-12', '1974', []],
    ['1974-08-12', '1974-00-00', []],
    ['1974-08-12', '1974-08-XX', []],
    ['1974-08', '1974-00-12', []],
    ['1974-08-12', '1974-08-13', ['dateOfBirth']],
    ['1974-08-12', '1974-12', ['dateOfBirth']],
    ['1974-08-12', '1973', ['dateOfBirth']],
    ['1974-08-12', '1974-00-13', ['dateOfBirth']],
    ['1974-08-12', '1947-08-12', ['dateOfBirth']],
    ['1974-10-10', '1974-10-20', ['dateOfBirth']],
    ['1974-08-1X', '1974-08-20', []],
    ['1974-08', '1974-09-01', ['dateOfBirth']],
  ])('%s and %s', (a, b, expected) => {
    expect(disagreeing(document({ dateOfBirth: a }), claim({ dateOfBirth: b }))).toEqual(expected)
  })
})

describe('gender and nationality', () => {
  test.each([
    [{ gender: 'F' }, { gender: 'F' }, []],
    [{ gender: 'F' }, { gender: 'X' }, []],
    [{ gender: 'F' }, { gender: 'M' }, ['gender']],
    [{ nationality: 'SWE' }, { nationality: 'SWE' }, []],
    [{ nationality: 'SWE' }, { nationality: 'XXX' }, []],
    [{ nationality: 'SYR' }, { nationality: 'XXB' }, []],
    [{ nationality: 'SYR' }, { nationality: 'XXA' }, []],
    [{ nationality: 'SYR' }, { nationality: 'XXC' }, []],
    [{ nationality: 'SWE' }, { nationality: 'NOR' }, ['nationality']],
    [{ nationality: 'SWE' }, { gender: 'F' }, []],
  ])('%o and %o', (a, b, expected) => expect(disagreeing(document(a), claim(b))).toEqual(expected))

  test('of two states that each call the person their own are both right', () => {
    const french = document({ nationality: 'FRA' }, { issuingCountry: 'FRA' })
    const german = document({ nationality: 'DEU' }, { issuingCountry: 'DEU' })
    expect(disagreeing(french, german)).toEqual([])
    expect(disagreeing(french, document({ nationality: 'DEU' }, { issuingCountry: 'AUT' }))).toEqual([
      'nationality',
    ])
    expect(disagreeing(french, document({ nationality: 'DEU' }))).toEqual(['nationality'])
    expect(disagreeing(french, claim({ nationality: 'DEU' }))).toEqual(['nationality'])
  })
})

describe('a document number', () => {
  const LICENCE: IdDocumentData = {
    idDocumentType: 'DRIVING_LICENSE',
    idDocumentNumber: '12345678',
    issuingCountry: 'AUS',
    issuingState: 'VIC',
    expiryDate: '2030-01-31',
    personalAttributes: {},
  }
  const other = (data: Partial<IdDocumentData>): readonly string[] =>
    disagreeing(
      statement('IDDOCUMENT', { document: LICENCE }),
      statement('IDDOCUMENT', { document: { ...LICENCE, ...data }, submittedAsText: true }),
    )

  test('is that of the same document however it is written', () => {
    for (const idDocumentNumber of ['12345678', '12 345-678', 'I2345678']) {
      expect(other({ idDocumentNumber }), idDocumentNumber).toEqual([])
    }
    const zero = { ...LICENCE, idDocumentNumber: 'O1' }
    expect(
      disagreeing(
        statement('IDDOCUMENT', { document: zero }),
        statement('IDDOCUMENT', { document: { ...zero, idDocumentNumber: '01' } }),
      ),
    ).toEqual([])
  })

  test('differs on a document of one kind, issuer and last day', () => {
    const idDocumentNumber = '12345679'
    expect(other({ idDocumentNumber })).toEqual(['idDocumentNumber'])
    expect(other({ idDocumentNumber, expiryDate: undefined })).toEqual(['idDocumentNumber'])
    expect(other({ idDocumentNumber, issuingState: undefined })).toEqual(['idDocumentNumber'])
  })

  test('is compared with that of a document that was typed in; two that were seen are two documents', () => {
    const seen = statement('IDDOCUMENT', { document: LICENCE })
    const second = { ...LICENCE, idDocumentNumber: '12345679' }
    const typed = statement('IDDOCUMENT', { document: second, submittedAsText: true })
    expect(disagreeing(seen, typed)).toEqual(['idDocumentNumber'])
    expect(disagreeing(typed, statement('IDDOCUMENT', { document: LICENCE, submittedAsText: true }))).toEqual(
      ['idDocumentNumber'],
    )
    expect(disagreeing(seen, statement('IDDOCUMENT', { document: second }))).toEqual([])
  })

  test('of another kind, issuer or period says nothing about this one', () => {
    const idDocumentNumber = '12345679'
    for (const data of [
      { idDocumentType: 'PASSPORT' as const },
      { issuingCountry: 'NZL' },
      { issuingCountry: undefined },
      { issuingState: 'NSW' },
      { expiryDate: '2035-01-31' },
    ]) {
      expect(other({ idDocumentNumber, ...data })).toEqual([])
    }
    expect(other({ idDocumentNumber: undefined })).toEqual([])
    const nowhere = { ...LICENCE, issuingCountry: undefined }
    expect(
      disagreeing(
        statement('IDDOCUMENT', { document: nowhere }),
        statement('IDDOCUMENT', { document: { ...nowhere, idDocumentNumber } }),
      ),
    ).toEqual([])
  })
})

describe('a document read twice', () => {
  const read = (surname: string, number = 'L898902C3') =>
    document(
      { ...ANNA, surname },
      { idDocumentNumber: number, issuingCountry: 'UTO', expiryDate: '2039-12-31' },
    )

  test('agrees with itself where a reader took one shape for another or lost a mark', () => {
    for (const surname of ['ERIKSSON', 'ER1KSSON', 'ERlKSSON', 'ERIKS5ON', 'ERIKSSCN', 'Ériksson']) {
      expect(disagreeing(read('ERIKSSON'), read(surname)), surname).toEqual([])
    }
  })

  test('and a name that was exchanged on it does not', () => {
    expect(disagreeing(read('ERIKSSON'), read('SVENSSON'))).toEqual(['surname'])
    expect(disagreeing(read('ERIKSSON'), read('ERIXEN'))).toEqual(['surname'])
    expect(disagreeing(read('BERG'), read('BORG'))).toEqual([])
    expect(disagreeing(read('BERG'), read('HALL'))).toEqual(['surname'])
  })

  test('another document has to say the very same', () => {
    expect(disagreeing(read('ERIKSSON'), read('ERIKSSCN', 'X12345678'))).toEqual(['surname'])
  })
})

describe('a claimed phone number', () => {
  test('is compared with the one in verification, and with nothing else', () => {
    expect(disagreeing(claim({}, '+331'), contact('+331'))).toEqual([])
    expect(disagreeing(claim({}, '+331'), contact('+332'))).toEqual(['mobile'])
    expect(disagreeing(claim({}, '+331'), claim({}, '+332'))).toEqual([])
    expect(disagreeing(contact('+331'), contact('+332'))).toEqual([])
    expect(disagreeing(claim({}), contact('+332'))).toEqual([])
  })
})

describe('the name reference', () => {
  test('states a name that an issuer or a provider vouches for', () => {
    expect(statesName(document(ANNA))).toBe(true)
    expect(statesName(document({ fullname: 'Anna Eriksson' }))).toBe(true)
    expect(statesName(trustedClaim(ANNA))).toBe(true)
    expect(statesName(trustedClaim({ fullname: 'Anna Eriksson' }))).toBe(true)
  })

  test('is nothing that the person wrote, and nothing without a name', () => {
    for (const none of [
      claim(ANNA),
      attributes(ANNA),
      contact('+331'),
      address,
      document({ dateOfBirth: '1974-08-12' }),
      document({ surname: '' }),
      document({ surname: '-' }),
      document({ givenNames: ['ANNA'] }),
      statement('IDDOCUMENT', {}),
      trustedClaim({ givenNames: ['Anna'] }),
      statement('TRUSTED_ID_CLAIM', {}),
      statement('TRUSTED_ID_CLAIM', { trustedClaim: { idpIdentifier: 'bank', oidcGrantType: 'CODE_FLOW' } }),
    ]) {
      expect(statesName(none)).toBe(false)
    }
  })
})

test('a disagreement is an error of its evidence: 1131 with the attribute, 1151 for the phone number', () => {
  const errors = disagreementErrors([
    { evidenceId: 'claim', attributes: ['mobile', 'surname'] },
    { evidenceId: 'document', attributes: [] },
  ])
  const coded = [...errors].map(([id, list]) => [id, list.map(({ code, field }) => [code, field])])
  expect(coded).toEqual([
    [
      'claim',
      [
        ['1151', 'mobile'],
        ['1131', 'surname'],
      ],
    ],
    ['document', []],
  ])
})

describe('whatever is stated', () => {
  const person = fc.record(
    {
      surname: fc.constantFrom('ERIKSSON', 'Ériksson', 'BERG ERIKSSON', '山田', 'MUELLER', 'MULLER', '-'),
      givenNames: fc.array(fc.constantFrom('ANNA', 'MARIA', 'A', 'Ä'), { maxLength: 3 }),
      fullname: fc.constantFrom('Anna Eriksson', 'Eriksson Anna Maria', '山田'),
      dateOfBirth: fc.constantFrom('1974-08-12', '1974-08', '1974-00-12', '1980-01-01'),
      gender: fc.constantFrom('F', 'M', 'X'),
      nationality: fc.constantFrom('UTO', 'SWE', 'XXX'),
    },
    { requiredKeys: [] },
  )
  const data = fc.record(
    {
      idDocumentNumber: fc.constantFrom('L898902C3', 'X1', 'X 1'),
      issuingCountry: fc.constantFrom('UTO', 'SWE', 'BGR'),
      expiryDate: fc.constantFrom('2030-01-01', '2031-01-01'),
    },
    { requiredKeys: [] },
  )
  const any = fc.oneof(
    fc.tuple(person, data).map(([who, what]) => document(who, what)),
    person.map(trustedClaim),
    fc.tuple(person, fc.constantFrom(undefined, '+331', '+332')).map(([who, mobile]) => claim(who, mobile)),
    person.map(attributes),
    fc.constantFrom('+331', '+332').map(contact),
  )

  test('the two say the same of each other, and what is unclear is no disagreement', () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        const { disagreements, unclear, resolvable } = between(a, b)
        expect(disagreements.filter((name) => unclear.includes(name))).toEqual([])
        expect(resolvable.every((name) => disagreements.includes(name))).toBe(true)
        expect([...disagreements].sort()).toEqual(disagreements)
      }),
      { numRuns: 600 },
    )
  })

  test('nothing disagrees with itself', () => {
    fc.assert(
      fc.property(any, (one) => {
        expect(compareStatements(one, one)).toEqual({ disagreements: [], unclear: [], resolvable: [] })
      }),
      { numRuns: 600 },
    )
  })
})
