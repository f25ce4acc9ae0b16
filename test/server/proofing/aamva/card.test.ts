/** A card as a whole: who issued it, what it is, where its holder lives. All persons are invented. */
import { describe, expect, test } from 'vitest'
import { readElements } from '../../../../server/proofing/aamva/elements.ts'
import { readHeader } from '../../../../server/proofing/aamva/header.ts'
import { countryOfState, findIssuer } from '../../../../server/proofing/aamva/issuers.ts'
import { parseAamva, readAamva } from '../../../../server/proofing/aamva/parse.ts'
import { dataOfLicence } from '../../../../server/proofing/aamva/to-document.ts'

const HEADER = '@\n\u001e\rANSI 636000080001DL00310200DL'
const card = (elements: Readonly<Record<string, string>>, header = HEADER) => {
  const all = { DAQ: 'T64235789', DCS: 'QUILL', DAC: 'ODA', DBB: '06161986', DCA: 'D', ...elements }
  const lines = Object.entries(all).map(([id, value]) => id + value)
  return parseAamva(`${header}${lines.join('\n')}\r`)
}

describe('issuers', () => {
  test('are known by their number', () => {
    expect(findIssuer('636033')).toEqual({ country: 'USA', jurisdiction: 'AL' })
    expect(findIssuer('636027')).toEqual({ country: 'USA', jurisdiction: 'US' })
    expect(findIssuer('604429')).toEqual({ country: 'CAN', jurisdiction: 'YT' })
    expect(findIssuer('636056')).toEqual({ country: 'MEX', jurisdiction: 'CO' })
    expect(findIssuer('000000')).toBeNull()
  })

  test('are states of one of two countries', () => {
    expect(['ON', 'NT', 'QC'].map(countryOfState)).toEqual(['CAN', 'CAN', 'CAN'])
    expect(['VA', 'PR', 'CO'].map(countryOfState)).toEqual(['USA', 'USA', 'USA'])
    expect(['HG', 'QQ', ''].map(countryOfState)).toEqual([null, null, null])
  })

  test('of another state than the address are told so, and no more', () => {
    expect(card({ DAJ: 'VA' })?.deviations).toEqual([])
    expect(card({ DAJ: 'va' })?.deviations).toEqual([])
    expect(card({ DAJ: 'MD' })).toMatchObject({
      jurisdiction: 'VA',
      deviations: ['ADDRESS_OUTSIDE_JURISDICTION'],
    })
    expect(card({})?.deviations).toEqual([])
  })

  test('that no list names are known by the address, or by the country that the card states', () => {
    const unknown = HEADER.replace('636000', '999999')
    const of = (elements: Readonly<Record<string, string>>) => card(elements, unknown)
    expect(of({ DAJ: 'on' })).toMatchObject({ country: 'CAN', jurisdiction: 'ON' })
    expect(of({ DAO: 'TX' })).toMatchObject({ country: 'USA', jurisdiction: 'TX' })
    expect(of({ DAJ: 'QQ', DCG: 'CAN' })).toMatchObject({ country: 'CAN', jurisdiction: null })
    expect(of({ DCG: 'CDN' })).toMatchObject({ country: 'CAN', jurisdiction: null })
    expect(of({ DCG: 'USA' })).toMatchObject({ country: 'USA', jurisdiction: null })
    expect(of({ DAJ: 'TX', DCG: 'CAN' })).toMatchObject({ country: 'USA', jurisdiction: 'TX' })
    expect(of({ DCG: 'CANX' })).toMatchObject({ country: 'USA' })
    expect(of({})?.deviations).toEqual(['ISSUER_UNKNOWN'])
  })
})

describe('the kind of a card', () => {
  const typed = (type: string, elements: Readonly<Record<string, string>> = {}) =>
    card(elements, HEADER.replaceAll('DL', type))?.kind

  test('is that of its subfile', () => {
    expect(typed('DL')).toBe('DRIVING_LICENSE')
    expect(typed('ID')).toBe('IDENTITY_CARD')
  })

  test('of an enhanced one, or of a card without a header, is told by whether it allows to drive', () => {
    expect(typed('EN')).toBe('DRIVING_LICENSE')
    const text = (classes: string) =>
      `DAQT64235789\nDCSQUILL\nDACODA\nDBB06161986\nDAGX\nDAIY\nDAJVA${classes}\n`
    expect(parseAamva(text('\nDCAD'))?.kind).toBe('DRIVING_LICENSE')
    expect(parseAamva(text('\nDARD'))?.kind).toBe('DRIVING_LICENSE')
    expect(parseAamva(text(''))).toMatchObject({
      kind: 'IDENTITY_CARD',
      version: 0,
      iin: '',
      deviations: ['HEADER_MISSING', 'ISSUER_UNKNOWN', 'DATE_ORDER'],
    })
  })

  test('without a header needs six elements, one of them the birth', () => {
    const lines = ['DAQT64235789', 'DCSQUILL', 'DACODA', 'DBB06161986', 'DAGX', 'DAIY']
    expect(readAamva(lines.join('\n')).facts).not.toBeNull()
    expect(readAamva(lines.slice(0, 5).join('\n')).problem).toBe('not-aamva')
    expect(readAamva([...lines.filter((line) => !line.startsWith('DBB')), 'DAJVA'].join('\n')).problem).toBe(
      'not-aamva',
    )
  })
})

describe('dates', () => {
  test('in another order than the edition’s, and days that do not exist, are remarked', () => {
    expect(card({ DBA: '20311210' })).toMatchObject({ expiryDate: '2031-12-10', deviations: ['DATE_ORDER'] })
    expect(card({ DBA: '02302031' })).toMatchObject({ expiryDate: null, deviations: ['DATE_IMPOSSIBLE'] })
    expect(card({ DBA: 'NONE', DBD: '' })).toMatchObject({
      expiryDate: null,
      issueDate: null,
      deviations: [],
    })
  })
})

describe('a name that may be cut', () => {
  const cut = (elements: Readonly<Record<string, string>>) => card(elements)?.nameMayBeTruncated
  const long = { DCS: 'Q'.repeat(40) }

  test('is one that any of three flags says or does not know, whatever its length', () => {
    for (const id of ['DDE', 'DDF', 'DDG'])
      for (const flag of ['T', 'U', 't']) expect(cut({ [id]: flag }), id + flag).toBe(true)
  })

  test('is one that fills its element, unless a flag says that it is whole', () => {
    expect(cut(long)).toBe(true)
    expect(cut({ ...long, DDE: 'N', DDF: 'N', DDG: 'N' })).toBe(false)
    expect(cut({ ...long, DDG: 'N' })).toBe(false)
    expect(cut({ DDE: 'N' })).toBe(false)
    expect(cut({})).toBe(false)
  })
})

describe('an address', () => {
  test('is the mailing address, of the first edition the residence where there is no other', () => {
    const mailing = { DAG: '1 LONG  LANE,', DAH: 'APT 2 ', DAI: 'ELSEWHERE', DAJ: 'VA', DAK: '232690000' }
    const residence = { DAL: '2 SHORT LANE', DAM: 'FLAT 3', DAN: 'NOWHERE', DAO: 'VA', DAP: '23270' }
    const first = {
      streetLines: ['1 LONG LANE', 'APT 2'],
      city: 'ELSEWHERE',
      state: 'VA',
      postcode: '23269',
    }
    const second = {
      streetLines: ['2 SHORT LANE', 'FLAT 3'],
      city: 'NOWHERE',
      state: 'VA',
      postcode: '23270',
    }
    expect(card({ ...mailing, ...residence })?.address).toEqual(first)
    expect(card(residence)?.address).toEqual(second)
    expect(card({ ...residence, DAI: 'ELSEWHERE' })?.address?.city).toBe('ELSEWHERE')
    expect(card({ ...residence, DAG: '1 LONG LANE' })?.address?.streetLines).toEqual(['1 LONG LANE'])
  })

  test('is none without a street and a city', () => {
    expect(card({ DAJ: 'VA', DAK: '23269' })?.address).toBeNull()
    expect(card({ DAI: 'ELSEWHERE' })?.address).toEqual({
      streetLines: [],
      city: 'ELSEWHERE',
      state: null,
      postcode: null,
    })
  })

  test.each([
    ['23269', '23269'],
    ['232694321', '23269-4321'],
    ['23269 - 4321', '23269-4321'],
    ['232690000', '23269'],
    ['232690', '23269'],
    ['2326943210', '2326943210'],
    ['x23269', 'x23269'],
    ['ABC  DEF', 'ABC DEF'],
  ])('of the USA has the postcode %s as %s', (printed, postcode) => {
    expect(card({ DAI: 'ELSEWHERE', DAK: printed })?.address?.postcode).toBe(postcode)
  })
})

describe('the elements of a text', () => {
  const of = (text: string) => readElements(text, readHeader(text))
  const LINES = ['DAQ1', 'DCSQUILL', 'DACODA', 'DADMARIT', 'DAGX', 'DAIY', 'DAJVA']

  test('are one per line, the first that says something', () => {
    const elements = of([...LINES, 'DCF', 'DCFsecond', 'DCFthird', 'no element'].join('\n'))
    expect(elements.get('DCF')).toBe('second')
    expect(elements.get('DAQ')).toBe('1')
    expect(elements.get('DCK')).toBeNull()
    expect(elements.size).toBe(8)
    expect(elements.deviations).toEqual([])
  })

  test('begin behind the type of their subfile and whatever else is no letter', () => {
    expect(of(['DLDAQ1', ...LINES.slice(1)].join('\n')).get('DAQ')).toBe('1')
    expect(of(['  ID DAQ1', ...LINES.slice(1)].join('\n')).get('DAQ')).toBe('1')
    expect(of(['PAA1', ...LINES].join('\n')).get('PAA')).toBe('1')
  })

  test.each([
    ['DBB06161986DBC1', 'DBC', '1'],
    ['DBA06161986DLDBC1', 'DBC', '1'],
    ['DBC1DAU067 in', 'DAU', '067 in'],
    ['DDENDDFN', 'DDF', 'N'],
  ])('of a fixed width show a separator that was lost: %s', (line, id, value) => {
    const elements = of([...LINES, line].join('\n'))
    expect(elements.get(id)).toBe(value)
    expect(elements.get(line.slice(0, 3))).not.toContain(id)
    expect(elements.deviations).toEqual(['TRAILING_CHARACTERS'])
  })

  test('of a fixed width lose what else follows, and blanks without a remark', () => {
    expect(of([...LINES, 'DBB06161986M'].join('\n'))).toMatchObject({ deviations: ['TRAILING_CHARACTERS'] })
    expect(of([...LINES, 'DBB06161986M'].join('\n')).get('DBB')).toBe('06161986')
    expect(of([...LINES, 'DBB06161986  '].join('\n')).deviations).toEqual([])
    expect(of([...LINES, 'DBB06161986ZVADAZBRO'].join('\n')).get('DAZ')).toBeNull()
    expect(of([...LINES, 'DBBNONE'].join('\n')).get('DBB')).toBe('NONE')
  })

  test('are looked for by their names where fewer than six lines hold one', () => {
    const joined = of('DAQT64235789DCSQUILLDACODADBB06161986DBC1DAJVA')
    expect(joined.get('DCS')).toBe('QUILL')
    expect(joined.size).toBe(6)
    expect(joined.deviations).toEqual(['SEPARATORS'])
  })

  test('of the jurisdiction’s own subfile are none of the card’s', () => {
    const head = '@\n\u001e\rANSI 636000080002DL00410041ZV00900013'
    const text = `${head}DL${LINES.slice(0, 5).join('\n')}\nDAIY\r`.padEnd(90, '\r') + 'ZVZVA1\nDCKxx\r'
    const elements = of(text)
    expect(elements.get('DAQ')).toBe('1')
    expect(elements.get('DCK')).toBeNull()
  })
})

describe('a text that was written down', () => {
  const LINES = ['DAQT64235789', 'DCSQUILL', 'DACODA', 'DBB06161986', 'DAGX', 'DAIY', 'DAJVA']

  test.each(['\\n', '<LF>', '<lf>', '\u240a', '\\r', '<CR>', '\u240d', '\\u001e', '\\x1e', '<RS>', '\u241e'])(
    'may spell its separators %j',
    (sign) => {
      expect(parseAamva(LINES.join(sign))).toMatchObject({ surname: 'QUILL' })
      expect(parseAamva(LINES.join(sign))?.deviations).not.toContain('SEPARATORS')
    },
  )

  test('keeps such signs where it has real line ends', () => {
    expect(parseAamva([...LINES, 'DCFa<LF>b'].join('\n'))?.discriminator).toBe('a<LF>b')
  })
})

describe('the compact encoding', () => {
  const of = (text: string) => readAamva(text).problem
  const BODY = 'QUILL\u00f7ODA\u00f719860616\u00d720190606\u00b6'

  test('begins with its type and parts its fields by signs of Latin-1', () => {
    expect(of(`DL\u00d7${BODY}`)).toBe('compact-encoding')
    expect(of(`%DL\u00d7${BODY}`)).toBe('compact-encoding')
    expect(of(`ID\u00d7${BODY}`)).toBe('compact-encoding')
    expect(of(`XDL\u00d7${BODY}`)).toBe('not-aamva')
    expect(of(`DL${BODY}`)).toBe('not-aamva')
    expect(of('DL, and nothing else')).toBe('not-aamva')
  })
})

describe('the data of a licence', () => {
  const facts = card({
    DCU: 'JR',
    DBA: '12102031',
    DBD: '06062019',
    DBC: '2',
    DAG: '1 LONG LANE',
    DAI: 'ELSEWHERE',
    DAJ: 'VA',
    DAK: '23269',
  })

  test('are everything that the card says', () => {
    const unverified = (value: string) => ({ value, verified: false })
    expect(facts && dataOfLicence(facts)).toEqual({
      idDocumentType: 'DRIVING_LICENSE',
      idDocumentNumber: 'T64235789',
      issuingCountry: 'USA',
      issuingState: 'VA',
      issuingDate: '2019-06-06',
      expiryDate: '2031-12-10',
      personalAttributes: {
        surname: unverified('QUILL JR'),
        givenNames: [unverified('ODA')],
        dateOfBirth: unverified('1986-06-16'),
        gender: unverified('F'),
      },
      address: {
        streetDetails: { streetLines: ['1 LONG LANE'], verified: false },
        postcode: '23269',
        city: 'ELSEWHERE',
        state: 'VA',
        country: 'USA',
        verified: false,
      },
    })
  })

  test('have no member for what it does not say', () => {
    const bare = facts && {
      ...facts,
      suffix: null,
      jurisdiction: null,
      birthDate: null,
      issueDate: null,
      expiryDate: null,
      sex: null,
    }
    const empty = { streetLines: [], city: null, state: null, postcode: null }
    expect(bare && dataOfLicence({ ...bare, address: null })).toEqual({
      idDocumentType: 'DRIVING_LICENSE',
      idDocumentNumber: 'T64235789',
      issuingCountry: 'USA',
      personalAttributes: {
        surname: { value: 'QUILL', verified: false },
        givenNames: [{ value: 'ODA', verified: false }],
      },
    })
    expect(bare && dataOfLicence({ ...bare, address: empty }).address).toEqual({
      streetDetails: { streetLines: [], verified: false },
      country: 'USA',
      verified: false,
    })
  })
})
