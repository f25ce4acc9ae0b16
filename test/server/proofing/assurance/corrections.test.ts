import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isPlausible,
  judgeCorrections,
  type CorrectionResult,
} from '../../../../server/proofing/assurance/corrections.ts'
import type { PersonalAttributes } from '../../../../server/proofing/evidence.ts'

const value = (text: string) => ({ value: text, verified: false })

function person(surname: string, ...givenNames: readonly string[]): PersonalAttributes {
  return { surname: value(surname), ...(givenNames.length > 0 ? { givenNames: givenNames.map(value) } : {}) }
}

const show = (standing: CorrectionResult) =>
  standing.standing === 'corrected' ? standing.basis : standing.standing

function judged(
  stated: PersonalAttributes,
  attributes: PersonalAttributes,
  namesMayBeCut = false,
): Record<string, string> {
  const found = judgeCorrections(stated, { attributes, namesMayBeCut })
  return Object.fromEntries([...found].map(([name, standing]) => [name, show(standing)]))
}
const surname = (stated: string, read: string, cut = false) =>
  judged(person(stated), person(read), cut).surname

describe('a surname that was read as', () => {
  test.each([
    ['MUELLER', 'Müller', 'SPELLING'],
    ['MULLER', 'Müller', 'SPELLING'],
    ['OCONNOR', 'O’Connor', 'SPELLING'],
    ['DELACRUZ', 'De La Cruz', 'SPELLING'],
    ['SMITH JONES', 'Smith-Jones', 'SPELLING'],
    ['SHCHERBAKOVA', 'Щербакова', 'SPELLING'],
    ['ERIKSS0N', 'Eriksson', 'READING'],
    ['ER1KSSON', 'Eriksson', 'READING'],
    ['ERLKSSON', 'Eriksson', 'READING'],
    ['ERIK550N', 'Erikson', 'refused'],
    ['ERIKS5ON', 'Eriksson', 'READING'],
    ['ER1KS5ON', 'Eriksson', 'READING'],
    ['ER1K55ON', 'Eriksson', 'refused'],
    ['BERG', 'Borg', 'refused'],
    ['HALL', 'HAIL', 'READING'],
    ['HALL', 'HAII', 'refused'],
    ['BRANDT', 'Bmndt', 'refused'],
    ['BUMS', 'Burns', 'READING'],
    ['BURNS', 'Bums', 'READING'],
    ['JONES', 'Smith', 'refused'],
    ['ERIKSSON', 'Eriksso', 'refused'],
    ['ERIKSSO', 'Eriksson', 'refused'],
    // The filler of a zone, taken for a letter: after the name or within it, never before it.
    ['ERIKSSONK', 'Eriksson', 'READING'],
    ['SMITHKJONES', 'Smith Jones', 'READING'],
    ['ERIKSSONKK', 'Eriksson', 'READING'],
    ['ERIKSSONKKK', 'Eriksson', 'refused'],
    ['KAREN', 'Aren', 'refused'],
    ['BERGKK', 'Berg', 'refused'],
    ['ERIKSSON', 'Eriksson', 'shown'],
    ['Eriksson', 'ERIKSSON', 'shown'],
    // What the document has with its marks is not corrected by leaving them out.
    ['Müller', 'Mueller', 'shown'],
    ['Müller', 'MULLER', 'shown'],
    ['ERIKSSON', '山田', 'unclear'],
    ['ERIKSSON', 'Петров', 'unclear'],
    ['山田', 'Yamada', 'unclear'],
    ['山田', '山田', 'shown'],
    ['SMITH', 'Smith-Jones', 'refused'],
    ['SMITH JONES', 'Smith', 'refused'],
  ])('%s may be corrected to %s: %s', (read, stated, expected) => {
    expect(surname(stated, read)).toBe(expected)
  })

  test('one that the MRZ has cut may be completed, and one that it has not may not', () => {
    expect(surname('Bennelong Wooloomooloo', 'BENNEL WOOLOO', true)).toBe('COMPLETION')
    expect(surname('Bennelong Wooloomooloo', 'BENNEL', true)).toBe('COMPLETION')
    expect(surname('Bennelong Wooloomooloo', 'BENNEL WOOLOO')).toBe('refused')
    expect(surname('Bennelong', 'BENNEL WOOLOO', true)).toBe('refused')
    expect(surname('Bennelong Wallaby', 'BENNEL WOOLOO', true)).toBe('refused')
  })
})

describe('given names', () => {
  const given = (stated: readonly string[], read: readonly string[], cut = false) =>
    judged({ givenNames: stated.map(value) }, person('ERIKSSON', ...read), cut).givenNames

  test('get their marks back, in one value or several', () => {
    expect(given(['Jörg', 'André'], ['JOERG', 'ANDRE'])).toBe('SPELLING')
    expect(given(['Jörg André'], ['JOERG', 'ANDRE'])).toBe('SPELLING')
    expect(given(['Anna', 'Maria'], ['ANNAKMARIA'])).toBe('READING')
  })

  test('may be fewer, which corrects nothing, and are never more than the document has', () => {
    expect(given(['Anna'], ['ANNA', 'MARIA'])).toBe('shown')
    expect(given(['Maria'], ['ANNA', 'MARIA'])).toBe('refused')
    expect(given(['Anna', 'Maria', 'Lena'], ['ANNA', 'MARIA'])).toBe('refused')
    expect(given(['Chayapa', 'Dejthamrong', 'Krasuang'], ['CHAYAPA', 'DEJTHAMRONG', 'K'], true)).toBe(
      'COMPLETION',
    )
  })

  test('are not invented where the document has none', () => {
    expect(judged({ givenNames: [value('Anna')] }, person('ERIKSSON')).givenNames).toBe('not-shown')
    expect(judged({ givenNames: [] }, person('ERIKSSON', 'ANNA')).givenNames).toBe('not-shown')
  })
})

describe('surname and given names', () => {
  const ORDER = { surname: 'ORDER', givenNames: 'ORDER' }

  test('may have been read in each other’s place, or parted elsewhere', () => {
    expect(judged(person('Eriksson', 'Anna'), person('ANNA', 'ERIKSSON'))).toEqual(ORDER)
    expect(judged(person('Garcia Lopez', 'Juan'), person('LOPEZ', 'JUAN', 'GARCIA'))).toEqual(ORDER)
  })

  test('may all have been read as a surname', () => {
    expect(judged(person('Eriksson', 'Anna'), person('ANNA ERIKSSON'))).toEqual(ORDER)
  })

  test('of which one is stated by itself, or one is another, are not reordered', () => {
    const read = person('ERIKSSON', 'ANNA')
    expect(judged({ surname: value('Anna Eriksson') }, read)).toEqual({ surname: 'refused' })
    expect(judged({ surname: value('Anna Eriksson'), givenNames: [] }, read)).toEqual({
      surname: 'refused',
      givenNames: 'not-shown',
    })
    expect(judged({ givenNames: [value('Eriksson'), value('Anna')] }, read)).toEqual({
      givenNames: 'refused',
    })
    expect(judged(person('Eriksson'), person('ANNA', 'ERIKSSON'))).toEqual({ surname: 'refused' })
    expect(judged({ surname: value('Anna') }, { givenNames: [value('ANNA')] })).toEqual({
      surname: 'not-shown',
    })
    expect(judged(person('Eriksson', 'Anna'), person('ANNA', 'SVENSSON'))).toEqual({
      surname: 'refused',
      givenNames: 'refused',
    })
    expect(judged(person('Eriksson', 'Anna'), person('ERIKSSON', 'ANNA'))).toEqual({
      surname: 'shown',
      givenNames: 'shown',
    })
  })
})

describe('a full name', () => {
  test('is compared with the one on the document, or against its parts', () => {
    const full = (stated: string, read: PersonalAttributes) =>
      judged({ fullname: value(stated) }, read).fullname
    expect(full('Anna Müller', { fullname: value('ANNA MUELLER') })).toBe('SPELLING')
    expect(full('ANNA MUELLER', { fullname: value('Anna Müller') })).toBe('shown')
    expect(full('Anna Berg', { fullname: value('ANNA MUELLER') })).toBe('refused')
    expect(full('Anna Eriksson', person('ERIKSSON', 'ANNA'))).toBe('shown')
    expect(full('Lena Eriksson', person('ERIKSSON', 'ANNA'))).toBe('refused')
    expect(full('山田', person('ERIKSSON', 'ANNA'))).toBe('unclear')
    expect(full('Иван Петров', { ...person('ERIKSSON', 'ANNA'), fullname: value('ANNA ERIKSSON') })).toBe(
      'unclear',
    )
    expect(
      full('Anna Eriksson', { ...person('ERIKSSON', 'ANNA'), fullname: value('ANNA MARIA ERIKSSON') }),
    ).toBe('shown')
    expect(full('Anna Berg', { fullname: value('ANNA BERC') })).toBe('READING')
    expect(judgedCut({ fullname: value('Anna Eriksson') }, { fullname: value('ANNA ERIKS') })).toBe('refused')
  })
  const judgedCut = (stated: PersonalAttributes, read: PersonalAttributes) =>
    judged(stated, read, true).fullname
})

test('nothing but names can be corrected', () => {
  const document = {
    dateOfBirth: value('1974-08-12'),
    gender: value('F'),
    nationality: value('XXX'),
    eyeColor: value('grey'),
    height: value('170'),
  }
  expect(judged(document, document)).toEqual({
    dateOfBirth: 'shown',
    gender: 'shown',
    nationality: 'not-shown',
    eyeColor: 'shown',
    height: 'shown',
  })
  const other = {
    dateOfBirth: value('1974-08-13'),
    gender: value('M'),
    nationality: value('SWE'),
    eyeColor: value('blue'),
    height: value('171'),
  }
  expect(judged(other, document)).toEqual({
    dateOfBirth: 'refused',
    gender: 'refused',
    nationality: 'not-shown',
    eyeColor: 'not-shown',
    height: 'not-shown',
  })
  expect(judged({ gender: value('F') }, {})).toEqual({ gender: 'not-shown' })
})

describe('what is submitted is plausible', () => {
  const plausible = (stated: PersonalAttributes) =>
    isPlausible(
      judgeCorrections(stated, {
        attributes: { ...person('MUELLER', 'ANNA'), dateOfBirth: value('1974-08-12') },
        namesMayBeCut: false,
      }),
    )

  test('where it corrects something and all else stands in the document', () => {
    expect(plausible(person('Müller'))).toBe(true)
    expect(plausible({ ...person('Müller', 'Anna'), dateOfBirth: value('1974-08-12') })).toBe(true)
  })

  test('where it repeats, and not where it adds or contradicts', () => {
    expect(plausible(person('Mueller', 'Anna'))).toBe(true)
    expect(plausible({ ...person('Müller'), eyeColor: value('grey') })).toBe(false)
    expect(plausible({ ...person('Müller'), dateOfBirth: value('1974-08-13') })).toBe(false)
    expect(plausible({ ...person('Müller'), givenNames: [value('山田')] })).toBe(false)
    expect(plausible({})).toBe(false)
  })
})

test('a name is never refused against its own spelling, and never a correction of itself', () => {
  const letters = fc.constantFrom(...'ABCÄÖÜßÑŁØÅÞabcéщЖ'.split(''))
  const name = fc.array(letters, { minLength: 1, maxLength: 12 }).map((list) => list.join(''))
  fc.assert(
    fc.property(name, (one) => {
      expect(surname(one, one)).toBe('shown')
      expect(surname(one, one.toUpperCase())).toBe('shown')
    }),
    { numRuns: 500 },
  )
})
