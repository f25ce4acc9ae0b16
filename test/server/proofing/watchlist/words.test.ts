import { describe, expect, test } from 'vitest'
import { documentNumber } from '../../../../server/proofing/watchlist/listed.ts'
import { exactForm, joinWords, writeName } from '../../../../server/proofing/watchlist/words.ts'

const wordsOf = (text: string) => writeName(text)?.words ?? []
const textsOf = (text: string) => wordsOf(text).map((word) => word.text)
const soundOf = (text: string) => wordsOf(text)[0]?.sound
const weightsOf = (text: string) => wordsOf(text).map(({ weight }) => weight)

describe('a name as words', () => {
  test.each([
    ['VELMIROV, Stepan Igorevich', ['VELMIROV', 'STEPAN', 'IGOREVICH']],
    ["O'Brannagh-Smythe J.R.", ['OBRANNAGH', 'SMYTHE', 'J', 'R']],
    ['Abu Zahri (The "Old" One); Omar/Umar', ['ABU', 'ZAHRI', 'THE', 'OLD', 'ONE', 'OMAR', 'UMAR']],
    ['Jürgen Groß', ['JUERGEN', 'GROSS']],
    ['Велмиров Степан', ['VELMIROV', 'STEPAN']],
    ['  ', []],
    ['12 34', []],
    ['“Anna” «Berta»: Carla', ['ANNA', 'BERTA', 'CARLA']],
  ])('%s', (text, expected) => {
    expect(textsOf(text)).toEqual(expected)
  })

  test('is none in letters without a table, or with one such letter', () => {
    expect(writeName('张伟')).toBeNull()
    expect(writeName('Γιώργος')).toBeNull()
    expect(writeName('Anna 伟')).toBeNull()
    expect(writeName('')).toBeNull()
  })

  test('in Arabic letters has no vowels, and says so', () => {
    expect(writeName('محمد حسن')).toMatchObject({
      isVowelless: true,
      words: [{ text: 'MHMD' }, { text: 'HSN' }],
    })
    expect(writeName('Muhammad')?.isVowelless).toBe(false)
    // The X is a letter here.
    expect(textsOf('Xavier')).toEqual(['XAVIER'])
  })

  test('holds 8 words of 30 letters at most, so that no text costs more', () => {
    expect(wordsOf('a '.repeat(50))).toHaveLength(8)
    const [word] = wordsOf('AB'.repeat(100))
    expect(word.text).toBe('AB'.repeat(15))
    expect(wordsOf('X'.repeat(1000))[0].sound.length).toBeLessThanOrEqual(30)
    expect(wordsOf('XA'.repeat(30))[0].sound).toHaveLength(30)
  })

  test('gives each word its weight: articles little, initials and short words less', () => {
    expect(weightsOf('Maria de la Cruz')).toEqual([1, 0.2, 0.2, 1])
    expect(weightsOf('J Li Ann Anna')).toEqual([0.4, 0.8, 0.8, 1])
    expect(weightsOf('Al-Basri')).toEqual([0.2, 1])
  })

  test('counts articles in full where there is nothing else', () => {
    expect(weightsOf('Van Der')).toEqual([1, 1])
  })
})

describe('words that sound alike are folded into one', () => {
  test.each([
    ['MOUHAMMED', 'MUHAMMID'],
    ['HUSSEIN', 'HUSEIN'],
    ['YELENA', 'IELENA'],
    ['ELENA', 'YELENA'],
    ['KHALID', 'HALID'],
    ['GHASSAN', 'GASAN'],
    ['DHIYA', 'DIYA'],
    ['FATIMAH', 'FATIMA'],
    ['PHILIPP', 'FILIP'],
    ['SCHMIDT', 'SHMIDT'],
    ['TCHERNOV', 'CHERNOV'],
    ['DJAMAL', 'JAMAL'],
    ['DZHAMAL', 'JAMAL'],
    ['ROMANOFF', 'ROMANOV'],
    ['WALID', 'VALID'],
    ['TZVETAN', 'TSVETAN'],
    ['ALEXANDR', 'ALEKSANDR'],
    ['QASIM', 'KASIM'],
    ['JACK', 'JAK'],
    ['CARLOS', 'KARLOS'],
    ['ZHUKOV', 'ZUKOV'],
    ['THOMAS', 'TOMAS'],
    ['MUELLER', 'MULLER'],
    ['BJOERN', 'BJURN'],
    ['FAREED', 'FARID'],
    ['FAROOQ', 'FARUK'],
    ['MAEVE', 'MIVI'],
  ])('%s and %s', (one, other) => {
    expect(soundOf(one)).toBe(soundOf(other))
  })

  test.each([
    ['ALI', 'ALA'],
    ['CHEN', 'KEN'],
    ['HASAN', 'ASAN'],
    ['SARA', 'ZARA'],
    ['PAVEL', 'PABEL'],
    ['RAE', 'RI'],
    ['H', ''],
  ])('but not %s and %s', (one, other) => {
    expect(soundOf(one)).not.toBe(soundOf(other) ?? '')
  })

  test('and their consonants are distinguished from their vowels, the first letter kept', () => {
    expect(wordsOf('MUHAMMAD')[0].consonants).toBe('MHMD')
    expect(wordsOf('AHMED')[0].consonants).toBe('AHMD')
    expect(wordsOf('MAMUN')[0].consonants).toBe('MN')
  })
})

test('two words are joined into one with the weight of both', () => {
  const [one, other] = wordsOf('Xiao Ping')
  expect(joinWords(one, other)).toEqual({ ...wordsOf('Xiaoping')[0], weight: 2 })
})

test('names without a table keep their letters alone', () => {
  expect(exactForm(' 张 伟-1 ')).toBe('张伟')
  expect(exactForm('ﾔﾏﾀﾞ')).toBe('ヤマダ')
  expect(exactForm('Γιώργος')).toBe('ΓΙΏΡΓΟΣ')
})

test.each([
  ['h 012-3456', 'H0123456'],
  ['12345', '12345'],
  ['1234', null],
  ['UNKNOWN', null],
  ['', null],
])('a document number "%s" is kept as %s', (text, expected) => {
  expect(documentNumber(text)).toBe(expected)
})
