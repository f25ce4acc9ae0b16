import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../../server/proofing/consistency.ts'
import {
  compareStatedNames,
  type NameRules,
  type StatedName,
} from '../../../server/proofing/name-agreement.ts'

const ALL: NameRules = { scripts: ['LATIN', 'CYRILLIC', 'ARABIC'] }

/** `Surname, Given Names`; without a comma a full name. A star at the end: the zone may have cut it. */
function name(text: string): StatedName {
  const [surname, givenNames] = text.replace('*', '').split(', ')
  const mayBeCut = text.endsWith('*')
  return givenNames === undefined ? { fullname: surname, mayBeCut } : { surname, givenNames, mayBeCut }
}

const compared = (a: StatedName, b: StatedName, rules?: NameRules): Record<string, Comparison> =>
  Object.fromEntries(compareStatedNames(a, b, rules))

/** Checks both directions, which have to be the same. */
function both(a: StatedName, b: StatedName, rules?: NameRules): Record<string, Comparison> {
  const found = compared(a, b, rules)
  expect(compared(b, a, rules)).toEqual(found)
  return found
}
const surnames = (a: string, b: string, rules?: NameRules) =>
  both({ surname: a, mayBeCut: false }, { surname: b, mayBeCut: false }, rules).surname
const givenNames = (a: string, b: string, cut = false) =>
  both({ givenNames: a, mayBeCut: cut }, { givenNames: b, mayBeCut: false }).givenNames

describe('a surname that two offices have written agrees', () => {
  test.each([
    // Doc 9303 part 3 section 6: three ways to write one letter, each in use.
    ['MUELLER', 'MULLER'],
    ['MUXXLLER', 'MULLER'],
    ['MUXXLLER', 'MUELLER'],
    ['NUNEZ', 'NUNXXEZ'],
    ['JAEAESKELAEINEN', 'JAASKELAINEN'],
    ['AASTROEM', 'ASTROM'],
    ['OEDEGAARD', 'ODEGARD'],
    ['Müller', 'MULLER'],
    ['Müller', 'Mueller'],
    ['Gößling', 'GOESSLING'],
    ['Łukasiński', 'LUKASINSKI'],
    ['Щербакова', 'SHTERBAKOVA'],
    ['O’Connor', "O'CONNOR"],
    ["O'Connor", 'OCONNOR'],
    ['Smith-Jones', 'SMITH JONES'],
    ['McDonald', 'MC DONALD'],
    ['De La Cruz', 'DELACRUZ'],
    // A name before or after marriage, one of two family names, one without its particle.
    ['Smith', 'Smith-Jones'],
    ['Jones', 'Smith-Jones'],
    ['García', 'GARCIA LOPEZ'],
    ['López', 'GARCIA LOPEZ'],
    ['Berg', 'von Berg'],
    ['van der Muellen', 'MUELLEN'],
    ['van Berg', 'van Berg Lund'],
    ['Lund', 'Berg Lund'],
    ['Mustermann', 'MUSTERMANN GEB. GABLER'],
    ['Gabler', 'MUSTERMANN GEB. GABLER'],
    ['Dupont', 'MARTIN née DUPONT'],
    ['Martin', 'MARTIN né DUPONT'],
    ['山田', '山田'],
    ['Παπαδόπουλος', 'ΠΑΠΑΔΌΠΟΥΛΟΣ'],
  ])('%s with %s', (a, b) => expect(surnames(a, b)).toBe('same'))

  test.each([
    ['Smith', 'Jones'],
    ['Smith', 'Smithson'],
    ['Smith', 'Jones-Smithson'],
    ['Muller', 'Miller'],
    ['Hall', 'Hull'],
    // Words that stand before many names are none.
    ['van', 'van der Berg'],
    ['de la', 'de la Cruz'],
    ['van Dijk', 'van der Berg'],
    ['Smith-Jones', 'Smith-Brown'],
    ['Smith Brown', 'Smith Jones Brown'],
    ['Berg Lund', 'Smith Jones Berg'],
    ['Berg', 'Geborgen'],
    ['Berg', 'Lund-geb'],
    ['Смирнов', 'Иванов'],
    ['SAMANN', 'SAMAN'],
    ['SHILIN', 'SILIN'],
  ])('and %s does not with %s', (a, b) => expect(surnames(a, b)).toBe('different'))

  test.each([
    ['山田', 'YAMADA'],
    ['Παπαδόπουλος', 'PAPADOPOULOS'],
    ['Петров', 'ERIKSSON'],
    ['الرازي', 'ERIKSSON'],
    ['Петров', 'الرازي'],
  ])('and it is unclear whether %s does with %s', (a, b) => expect(surnames(a, b)).toBe('unclear'))

  test('where its script is another, by the rules that its states have changed', () => {
    for (const [a, b] of [
      ['SHCHERBAKOVA', 'SHTERBAKOVA'],
      ['ZHUKOV', 'ZUKOV'],
      ['KHRISTOV', 'HRISTOV'],
      ['TSVETKOV', 'CVETKOV'],
      ['CHERNOV', 'CERNOV'],
      ['SHILIN', 'SILIN'],
      ['HRYTSENKO', 'GRICENKO'],
      ['ILYIN', 'ILIN'],
    ]) {
      expect(surnames(a, b, { scripts: ['LATIN', 'CYRILLIC'] }), a).toBe('same')
    }
    // Doc 9303 part 3, table C: the vector of the standard with and without its marks.
    const arabic: NameRules = { scripts: ['ARABIC'] }
    expect(surnames('MXHMD', 'MHMD', arabic)).toBe('same')
    expect(surnames('MUHAMMAD', 'MUHAMAD', arabic)).toBe('same')
    expect(surnames('MUHAMMAD', 'MUHAMMED', arabic)).toBe('different')
    expect(surnames('MUHAMMAD', 'MUHAMAD')).toBe('different')
  })
})

describe('a surname that an MRZ may have cut', () => {
  const cut = (mrz: string, written: string, isCut = true) =>
    both({ surname: mrz, mayBeCut: isCut }, { surname: written, mayBeCut: false }).surname

  test('begins the written one, component by component, and may lack the last ones', () => {
    expect(cut('BENNEL WOOLOO', 'Bennelong Wooloomooloo')).toBe('same')
    expect(cut('BENNEL', 'Bennelong Wooloomooloo')).toBe('same')
    expect(cut('BENNE W', 'Bennelong Wooloomooloo Warrandyte')).toBe('same')
    expect(cut('JAE', 'Jäger')).toBe('same')
    expect(cut('JA', 'JAEGER')).toBe('same')
  })

  test('is no other one, and is not begun by it', () => {
    expect(cut('BENNEL WOOLOO', 'Bennelong Wooloomooloo', false)).toBe('different')
    expect(cut('BENNEL', 'Bennelong Wooloomooloo', false)).toBe('different')
    expect(cut('BENNEL WOOLOO', 'Bennelong')).toBe('different')
    expect(cut('BENNEL WALLA', 'Bennelong Wooloomooloo')).toBe('different')
    expect(cut('Bennelong', 'BENNEL')).toBe('different')
    expect(cut('Bennelong Wooloomooloo', 'BENNEL WOOLOO')).toBe('different')
  })

  test('may be one of two that were both cut, where either begins the other', () => {
    const bothCut = (a: string, b: string) =>
      both({ surname: a, mayBeCut: true }, { surname: b, mayBeCut: true })
    expect(bothCut('BENNEL WOOLOOM', 'BENNELONG WOO').surname).toBe('same')
    expect(bothCut('BENNEL', 'BENNELONG WOO').surname).toBe('same')
    expect(bothCut('BENNEL WOO', 'BENNELONG WAL').surname).toBe('different')
  })
})

describe('given names agree', () => {
  test.each([
    ['Anna Maria', 'ANNA MARIA'],
    ['Anna-Maria', 'Annamaria'],
    ['Anna Maria', 'Anna'],
    ['Anna Maria Lena', 'Anna Lena'],
    ['Anna M', 'Anna Maria'],
    ['A M', 'Anna Maria'],
    ['A', 'Anna Maria'],
    ['Maria Anna', 'Anna Maria'],
    ['Lena Anna Maria', 'Anna Maria Lena'],
    ['Jörg', 'JORG'],
    ['Jörg', 'JOERG'],
    ['Ö', 'OESTEN'],
  ])('%s with %s', (a, b) => expect(givenNames(a, b)).toBe('same'))

  test.each([
    ['Anna', 'Maria'],
    ['Maria', 'Anna Maria'],
    ['Anna Lena', 'Anna Maria'],
    ['Anna L', 'Anna Maria'],
    ['M', 'Anna Maria'],
    ['Anna Lena Maria', 'Anna Maria Lena Eva'],
    ['Ann', 'Anna'],
    ['An', 'Anna'],
  ])('and %s does not with %s', (a, b) => expect(givenNames(a, b)).toBe('different'))

  test('where the MRZ has cut them, as far as they go', () => {
    expect(givenNames('CHAYAPA DEJTHAMRONG K', 'Chayapa Dejthamrong Krasuang', true)).toBe('same')
    expect(givenNames('ARN PET CHARO', 'Arnpol Petch Charonguang', true)).toBe('same')
    expect(givenNames('ARN PET', 'Arnpol Petch Charonguang', true)).toBe('same')
    expect(givenNames('ARN PET', 'Arnpol Petch Charonguang')).toBe('different')
    // Only the one that may have been cut begins the other.
    expect(givenNames('Arnpol Petch Charonguang', 'ARN PET', true)).toBe('different')
    expect(givenNames('ARN PEX', 'Arnpol Petch', true)).toBe('different')
  })
})

describe('a whole name agrees', () => {
  test.each([
    ['Eriksson, Anna Maria', 'Anna Maria Eriksson'],
    ['Eriksson, Anna Maria', 'Anna Eriksson'],
    ['Eriksson, Anna Maria', 'Eriksson Anna Maria'],
    ['Eriksson, Anna Maria', 'A M Eriksson'],
    ['Eriksson-Berg, Anna', 'Anna Berg'],
    ['Berg, Anna', 'Anna Eriksson-Berg'],
    ['Anna Maria Eriksson', 'Eriksson Anna Maria'],
    ['Anna Maria Eriksson', 'Anna Eriksson'],
    ['Anna M Eriksson', 'Eriksson Anna Maria'],
    ['Anna Berg Lund', 'Anna Lund'],
    ['Eriksson, Anna', 'Anna Maria Eriksson'],
    ['Arkfreith', 'Arkfreith'],
    ['NILAVADHANANANDA, CHAYAPA DEJ K*', 'Chayapa Dejthamrong Krasuang Nilavadhanananda'],
  ])('%s with %s', (a, b) => expect(both(name(a), name(b))).toEqual({ fullname: 'same' }))

  test.each([
    ['Eriksson, Anna Maria', 'Anna Maria Svensson'],
    ['Eriksson, Anna Maria', 'Eriksson'],
    ['Eriksson, Anna Maria', 'Anna'],
    ['Eriksson, Anna Maria', 'Maria Eriksson'],
    ['Eriksson, Anna Maria', 'Anna Lena Eriksson'],
    ['Anna Eriksson', 'Anna Svensson'],
    ['Anna Eriksson', 'Eriksson'],
    ['Anna Eriksson', 'Anna'],
    ['Anna Maria Eriksson', 'Anna Lena Eriksson'],
    ['Anna', 'Lena'],
    ['NILAVADHANANANDA, CHAYAPA DEJ K', 'Chayapa Dejthamrong Krasuang Nilavadhanananda'],
  ])('and %s does not with %s', (a, b) => expect(both(name(a), name(b))).toEqual({ fullname: 'different' }))

  test('with the one part of it that the other side states', () => {
    const full = name('Anna Maria Eriksson')
    expect(both(full, { surname: 'Eriksson', mayBeCut: false })).toEqual({ fullname: 'same' })
    expect(both(full, { surname: 'Svensson', mayBeCut: false })).toEqual({ fullname: 'different' })
    expect(both(full, { givenNames: 'Anna', mayBeCut: false })).toEqual({ fullname: 'same' })
    expect(both(full, { givenNames: 'Lena', mayBeCut: false })).toEqual({ fullname: 'different' })
    const surname = { surname: 'Eriksson', mayBeCut: false }
    expect(both({ ...surname, fullname: 'Anna Eriksson' }, { ...surname, givenNames: 'Anna' })).toEqual({
      surname: 'same',
      fullname: 'same',
    })
  })

  test('is not looked at where both sides have its parts', () => {
    const parts = { surname: 'Eriksson', givenNames: 'Anna', mayBeCut: false }
    const same = { surname: 'same', givenNames: 'same' }
    expect(both({ ...parts, fullname: 'A E' }, { ...parts, fullname: 'X Y' })).toEqual(same)
    expect(both({ ...parts, fullname: 'A E' }, parts)).toEqual(same)
    const surname = { surname: 'Eriksson', mayBeCut: false }
    expect(both({ ...surname, fullname: 'Lena Eriksson' }, parts)).toEqual({
      surname: 'same',
      fullname: 'different',
    })
    expect(both(surname, surname)).toEqual({ surname: 'same' })
    expect(both(surname, parts)).toEqual({ surname: 'same' })
    const given = { givenNames: 'Anna', mayBeCut: false }
    expect(both(given, given)).toEqual({ givenNames: 'same' })
    expect(both(given, parts)).toEqual({ givenNames: 'same' })
  })

  test('of a person with one name, whichever part it is taken for', () => {
    const marked = { surname: 'Ärkfreith', mayBeCut: false }
    const spelled = { givenNames: 'AERKFREITH', mayBeCut: false }
    expect(both(marked, spelled)).toEqual({ fullname: 'same' })
    expect(both(marked, name('Arkfreith'))).toEqual({ fullname: 'same' })
    expect(both(spelled, name('Ärkfreith'))).toEqual({ fullname: 'same' })
    expect(both(name('Aerkfreith'), name('Ärkfreith'))).toEqual({ fullname: 'same' })
    expect(both(spelled, name('Mark'))).toEqual({ fullname: 'different' })
    const surname = { surname: 'Arkfreith', mayBeCut: false }
    expect(both(surname, { givenNames: 'ARKFREITH', mayBeCut: false })).toEqual({ fullname: 'same' })
    expect(both(surname, { givenNames: 'ANNA', mayBeCut: false })).toEqual({ fullname: 'different' })
    expect(both(surname, name('Arkfreith'))).toEqual({ fullname: 'same' })
    expect(both({ givenNames: 'Arkfreith', mayBeCut: false }, name('Arkfreith'))).toEqual({
      fullname: 'same',
    })
  })
})

test('the word between two surnames stands by itself', () => {
  for (const [word, printed] of [
    ['geb.', 'MUSTERMANN geb. GABLER'],
    ['geb', 'MUSTERMANN, GEB GABLER'],
    ['née', 'MUSTERMANN (née: GABLER)'],
    ['né', 'MUSTERMANN / NÉ  GABLER'],
    ['z domu', 'MUSTERMANN Z DOMU GABLER'],
  ]) {
    expect(surnames('Gabler', printed), word).toBe('same')
    expect(surnames('Mustermann', printed), word).toBe('same')
    expect(surnames('Muster', printed), word).toBe('different')
  }
  expect(surnames('Rose Marie', 'ROSENE MARIE')).toBe('different')
  expect(surnames('Gebhard', 'GEB HARDT')).toBe('different')
})

describe('surname and given names', () => {
  test('in each other’s place, or parted elsewhere, are the same name', () => {
    const same = { surname: 'same', givenNames: 'same' }
    expect(both(name('Eriksson, Anna'), name('Anna, Eriksson'))).toEqual(same)
    expect(both(name('Garcia Lopez, Juan Carlos'), name('Lopez, Juan Carlos Garcia'))).toEqual(same)
    expect(both(name('Nguyen, Van Anh'), name('Anh, Nguyen Van'))).toEqual(same)
  })

  test('that share one part only differ in the other', () => {
    expect(both(name('Eriksson, Anna'), name('Svensson, Anna'))).toEqual({
      surname: 'different',
      givenNames: 'same',
    })
    expect(both(name('Eriksson, Anna'), name('Eriksson, Lena'))).toEqual({
      surname: 'same',
      givenNames: 'different',
    })
    expect(both(name('Anna, Anna'), name('Anna, Eriksson'))).toEqual({
      surname: 'same',
      givenNames: 'different',
    })
    expect(both(name('Eriksson, Anna'), name('Anna, Svensson'))).toEqual({
      surname: 'different',
      givenNames: 'different',
    })
  })

  test.each([
    [{ surname: 'SUHARTO' }],
    [{ givenNames: 'SUHARTO' }],
    [{ fullname: 'SUHARTO' }],
    [{ surname: 'SUHARTO', fullname: 'SUHARTO' }],
    [{}],
  ])('%j are not compared with evidence that states no name at all', (name) => {
    const [stated, silent] = [
      { ...name, mayBeCut: false },
      { surname: '-', mayBeCut: false },
    ]
    expect([...compareStatedNames(stated, silent), ...compareStatedNames(silent, stated)]).toEqual([])
  })

  test('that one side does not state, or only in signs, are not compared', () => {
    expect(both({ surname: '.', mayBeCut: false }, name('Eriksson, Anna'))).toEqual({})
    expect(both({ mayBeCut: false }, name('Eriksson, Anna'))).toEqual({})
    expect(both({ surname: 'Eriksson', mayBeCut: false }, name('Eriksson, Anna'))).toEqual({
      surname: 'same',
    })
  })
})

test('readings of one print may be alike by a rule of their own', () => {
  const rules: NameRules = { scripts: [], alike: (a, b) => [a, b].sort().join() === 'ERIKSSCN,ERIKSSON' }
  expect(surnames('Eriksson', 'ERIKSSCN')).toBe('different')
  expect(surnames('Eriksson', 'ERIKSSCN', rules)).toBe('same')
  expect(surnames('Eriksson', 'SVENSSON', rules)).toBe('different')
})

describe('whatever the names are', () => {
  const word = fc.constantFrom(
    'Anna',
    'Maria',
    'Müller',
    'MUELLER',
    'van',
    'A',
    'Ölund',
    'Щукин',
    '山田',
    'née',
    'Ñ',
    '-',
  )
  const words = fc.option(
    fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' ')),
    { nil: undefined },
  )
  const names = fc.record({ surname: words, givenNames: words, fullname: words, mayBeCut: fc.boolean() })

  test('the comparison is the same in both directions', () => {
    fc.assert(
      fc.property(names, names, (a, b) => void both(a, b, ALL)),
      { numRuns: 600 },
    )
  })

  test('no name disagrees with itself', () => {
    fc.assert(
      fc.property(names, (one) => {
        expect(Object.values(compared(one, one, ALL)).filter((found) => found !== 'same')).toEqual([])
      }),
      { numRuns: 400 },
    )
  })

  test('a name of many components is compared at once', () => {
    const long = Array.from({ length: 200 }, (_, i) => `Ь${'A'.repeat(i % 7)}`).join(' ')
    expect(both(name(long), name(`${long} B`))).toHaveProperty('fullname')
  })
})
