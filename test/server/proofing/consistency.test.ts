import { describe, expect, test } from 'vitest'
import { compareAttributes, type Comparison } from '../../../server/proofing/consistency.ts'
import type { PersonalAttributes } from '../../../server/proofing/evidence.ts'
import { readNames } from '../../../server/proofing/mrz/names.ts'

const value = (text: string) => ({ value: text, verified: false })

function person(surname: string, ...givenNames: readonly string[]): PersonalAttributes {
  return { surname: value(surname), givenNames: givenNames.map(value) }
}

/** What is made of a surname and given names, compared with the name field of a zone. */
function againstMrz(stated: PersonalAttributes, field: string): Record<string, Comparison> {
  const { surname, givenNames, mayBeTruncated } = readNames(field)
  const attributes = person(surname, ...givenNames)
  return Object.fromEntries(compareAttributes(stated, { attributes, namesMayBeCut: mayBeTruncated }))
}

const against = (stated: PersonalAttributes, attributes: PersonalAttributes) =>
  Object.fromEntries(compareAttributes(stated, { attributes, namesMayBeCut: false }))

describe('a name agrees with the MRZ that spells it', () => {
  // Doc 9303 part 3 section 6, the standard's spelling and those that states use beside it.
  test.each([
    ['Müller', 'MUELLER<<'],
    ['Müller', 'MULLER<<'],
    ['Müller', 'MUXXLLER<<'],
    ['Gößling', 'GOESSLING<<'],
    ['Åström', 'AASTROEM<<'],
    ['Åström', 'ASTROM<<'],
    ['Ødegård', 'OEDEGAARD<<'],
    ['Þórðarson', 'THORDARSON<<'],
    ['Núñez', 'NUNEZ<<'],
    ['Núñez', 'NUNXXEZ<<'],
    ['Łukasiński', 'LUKASINSKI<<'],
    ['Đặng', 'DANG<<'],
    ['Nguyễn', 'NGUYEN<<'],
    ['Nguyễn'.normalize('NFD'), 'NGUYEN<<'],
    ['Șerban', 'SERBAN<<'],
    ['Işık', 'ISIK<<'],
    ['Ǽgir', 'AEGIR<<'],
    ["O'Connor", 'OCONNOR<<'],
    ['O’Connor', 'OCONNOR<<'],
    ['Smith-Jones', 'SMITH<JONES<<'],
    ['St. John', 'ST<JOHN<<'],
    ['van der Muellen', 'VAN<DER<MUELLEN<<'],
    ['Щербакова', 'SHCHERBAKOVA<<'],
    ['Щербакова', 'SHTERBAKOVA<<'],
    ['Юлія', 'YULIIA<<'],
    ['Ђорђевић', 'DORDEVIC<<'],
    ['Ильин', 'ILIN<<'],
  ])('%s is %s', (surname, field) => {
    const stated = { surname: value(surname) }
    expect(againstMrz(stated, field.padEnd(39, '<'))).toEqual({ surname: 'same' })
  })

  test.each([
    ['Eriksen', 'ERIKSSON<<ANNA'],
    ['Muller', 'MUELLER<<ANNA'],
    ['Smith', 'SMITH<JONES<<ANNA'],
    ['Smith-Jones', 'SMITH<<ANNA'],
    ['Erik', 'ERIKSSON<<ANNA'],
    ['.', 'ERIKSSON<<ANNA'],
  ])('%s is not %s', (surname, field) => {
    expect(againstMrz({ surname: value(surname) }, field.padEnd(39, '<'))).toEqual({ surname: 'different' })
  })

  test('a document that was typed in spells as people do, on either side', () => {
    const compare = (a: string, b: string) => against({ surname: value(a) }, { surname: value(b) }).surname
    expect(compare('Müller', 'Müller')).toBe('same')
    expect(compare('Mueller', 'Müller')).toBe('same')
    expect(compare('Müller', 'Muller')).toBe('same')
    expect(compare('Щукин', 'Щукин')).toBe('same')
    expect(compare('Щукин', 'Чукин')).toBe('different')
  })
})

describe('given names', () => {
  const mrz = 'ERIKSSON<<ANNA<MARIA'.padEnd(39, '<')
  const given = (...names: readonly string[]) => againstMrz({ givenNames: names.map(value) }, mrz).givenNames

  test('agree in one value or several, all of them or the first', () => {
    expect(given('Anna', 'Maria')).toBe('same')
    expect(given('Anna Maria')).toBe('same')
    expect(given('Anna-Maria')).toBe('same')
    expect(given('Anna')).toBe('same')
  })

  test('differ when one is added, swapped or left out in front', () => {
    expect(given('Anna', 'Maria', 'Lena')).toBe('different')
    expect(given('Maria', 'Anna')).toBe('different')
    expect(given('Maria')).toBe('different')
  })
})

describe('an MRZ whose name field ends in a letter may have been cut', () => {
  // The examples of Doc 9303 part 4 and 6.
  test.each([
    ['NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K', 'Nilavadhanananda', 'Chayapa Dejthamrong Krasuang'],
    [
      'BENNELONG<WOOLOOMOOLOO<WARRANDYTE<W<<DI',
      'Bennelong Wooloomooloo Warrandyte Warnambool',
      'Dingo Potoroo',
    ],
    [
      'BENNELONG<WOOLOOM<WARRAND<WARNAM<<DINGO',
      'Bennelong Wooloomooloo Warrandyte Warnambool',
      'Dingo Potoroo',
    ],
    [
      'BENNEL<WOOLOO<WARRAN<WARNAM<<DINGO<POTO',
      'Bennelong Wooloomooloo Warrandyte Warnambool',
      'Dingo Potoroo',
    ],
    ['PAPANDROPOULOUS<<JONATHON<WARREN<TREVOR', 'Papandropoulous', 'Jonathon Warren Trevor'],
    ['NILAVADHANANANDA<<ARN<PET<CHARO', 'Nilavadhanananda', 'Arnpol Petch Charonguang'],
  ])('%s', (field, surname, givenNames) => {
    expect(againstMrz(person(surname, givenNames), field)).toEqual({ surname: 'same', givenNames: 'same' })
    expect(againstMrz(person(`X${surname}`, givenNames), field).surname).toBe('different')
  })

  test('a letter that takes two may be cut in the middle', () => {
    expect(againstMrz({ surname: value('Jäger') }, 'JA').surname).toBe('same')
    expect(againstMrz({ surname: value('Jäger') }, 'JAG').surname).toBe('same')
    expect(againstMrz({ surname: value('Jäger') }, 'JAX').surname).toBe('different')
  })

  test('one that ends in a filler was not cut', () => {
    const field = 'NILAVADHANANANDA<<ARN<PET<CHARO<'
    expect(againstMrz(person('Nilavadhanananda', 'Arnpol Petch Charonguang'), field).givenNames).toBe(
      'different',
    )
  })
})

describe('a full name', () => {
  const full = (name: string) =>
    against({ fullname: value(name) }, person('ERIKSSON', 'ANNA', 'MARIA')).fullname

  test('is the given names, all or the first, before or after the surname', () => {
    for (const name of ['Anna Maria Eriksson', 'Anna Eriksson', 'Eriksson, Anna Maria', 'ERIKSSON Anna']) {
      expect(full(name), name).toBe('same')
    }
    for (const name of ['Maria Eriksson', 'Eriksson', 'Anna Maria', 'Anna Maria Ericsson']) {
      expect(full(name), name).toBe('different')
    }
  })

  test('of a person with one name is that name', () => {
    expect(against({ fullname: value('Arkfreith') }, { surname: value('ARKFREITH') }).fullname).toBe('same')
  })
})

describe('what cannot be compared never counts as a difference', () => {
  test('a name in a script without a table, or in another script that could be spelled otherwise', () => {
    for (const surname of ['Παπαδόπουλος', '山田', 'الرازي', 'Петров']) {
      expect(against({ surname: value(surname) }, person('ERIKSSON')).surname, surname).toBe('unclear')
    }
  })

  test('what one side does not say', () => {
    expect(against({ nationality: value('FRA') }, person('ERIKSSON'))).toEqual({})
    expect(against({ gender: value('F') }, { gender: value('X') })).toEqual({})
    expect(against({ nationality: value('FRA') }, { nationality: value('XXX') })).toEqual({})
    expect(against({ givenNames: [value('Anna')] }, { surname: value('ERIKSSON'), givenNames: [] })).toEqual(
      {},
    )
    expect(against({ height: value('170'), eyeColor: value('blue') }, { height: value('180') })).toEqual({})
  })
})

test('birth date, gender and nationality agree when they are equal', () => {
  const reference = { dateOfBirth: value('1974-08-12'), gender: value('F'), nationality: value('SWE') }
  expect(against(reference, reference)).toEqual({ dateOfBirth: 'same', gender: 'same', nationality: 'same' })
  const other = { dateOfBirth: value('1974-12-08'), gender: value('X'), nationality: value('NOR') }
  expect(against(other, reference)).toEqual({
    dateOfBirth: 'different',
    gender: 'different',
    nationality: 'different',
  })
})

test('a long name with many spellings is compared at once, not by trying them all', () => {
  const surname = value('Ьї'.repeat(100))
  expect(against({ surname }, { surname: value(`${'YYI'.repeat(60)}Z`) }).surname).toBe('unclear')
})
