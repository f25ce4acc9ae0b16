/** Values of several lines: an address, with or without a label, and two surnames below each other. */
import { describe, expect, test } from 'vitest'
import {
  addressByForm,
  withFurtherLines,
  withSecondLine,
} from '../../../../server/proofing/visual-zone/address.ts'
import type { PageField } from '../../../../server/proofing/visual-zone/page-facts.ts'
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { piece } from './a-piece.ts'

const field = (value: string, over: Partial<PageField> = {}): PageField => ({
  field: 'address',
  value,
  confidence: 0.9,
  captureIndex: 0,
  foundBy: 'label',
  ...over,
})

describe('an address', () => {
  const street = piece('1 LONG LANE')
  const further = (...candidates: readonly Segment[]) =>
    withFurtherLines(field('1 LONG LANE'), street, candidates)

  test('continues in the lines below that begin where it begins', () => {
    const [second, third, fourth] = [12, 24, 36].map((y, i) =>
      piece(`LINE ${'BCD'[i]}`, { y, confidence: 0.8 }),
    )
    expect(further(second, third, fourth)).toMatchObject({
      value: '1 LONG LANE LINE B LINE C',
      confidence: 0.8,
    })
    expect(further()).toMatchObject({ value: '1 LONG LANE', confidence: 0.9 })
    const number = piece('8. 1 LONG LANE', { confidence: 0.3 })
    expect(withFurtherLines(field('1 LONG LANE'), number, [second]).confidence).toBe(0.8)
  })

  test.each([
    [{ y: 12, x: 12 }, true],
    [{ y: 12, x: -12.1 }, false],
    [{ y: 5 }, false],
    [{ y: 5.1 }, true],
    [{ y: 23 }, true],
    [{ y: 23.1 }, false],
    [{ y: 12, height: 14 }, true],
    [{ y: 12, height: 14.1 }, false],
    [{ y: 12, height: 7 }, true],
    [{ y: 12, height: 6.9 }, false],
    [{ y: 12, captureIndex: 1 }, false],
  ])('continues at %j: %s', (place, goesOn) => {
    expect(further(piece('ELSEWHERE', place)).value.includes('ELSEWHERE')).toBe(goesOn)
  })

  test.each([
    ['AM/B/B1', false],
    ['9. AM B B1 BE', false],
    ['A1, A2, C1E', false],
    ['B', true],
    ['A B STREET', true],
    ['AMBER', true],
  ])('continues with the line %j below it: %s', (line, goesOn) => {
    expect(further(piece(line, { y: 12 })).value.includes(line)).toBe(goesOn)
  })

  test.each([
    ['ELSEWHERE VA 23269', true],
    ['ELSEWHERE, NSW 2000', true],
    ['ELSEWHERE VA 23269-4321', true],
    ['ELSEWHERE ON T4G 7A7', true],
    ['T4G7A7', true],
    ['VA 23269', true],
    ['ELSEWHERE ON T4G 7A7X', false],
    ['ELSEWHERE VA 232', false],
    ['ELSEWHERE VA 23269 USA', false],
    ['XNSWA 2000', false],
  ])('is given away by its last line %j: %s', (last, isAddress) => {
    const found = addressByForm([piece('1 LONG LANE'), piece(last, { y: 12 })])
    expect(found).toEqual(isAddress ? [field(`1 LONG LANE ${last}`, { foundBy: 'form' })] : [])
  })

  test.each([
    ['12 LONG LANE', '12 LONG LANE '],
    ['8 12 LONG LANE', '12 LONG LANE '],
    ['8. LONG LANE 12', '8. LONG LANE 12 '],
    ['LONG LANE', ''],
    ['12 L', ''],
    ['123 12 LONG LANE', '123 12 LONG LANE '],
  ])('has above it the line %j as %j', (above, street) => {
    const [found] = addressByForm([piece(above), piece('ELSEWHERE VA 23269', { y: 12 })])
    expect(found.value).toBe(`${street}ELSEWHERE VA 23269`)
  })

  test.each([
    [{ y: -3 }, true],
    [{ y: -14 }, false],
    [{ y: 12 }, false],
    [{ x: 89 }, true],
    [{ x: 90 }, false],
    [{ x: -59 }, true],
    [{ x: -60 }, false],
    [{ captureIndex: 1 }, false],
  ])('has the line above it at %j: %s', (place, isFound) => {
    const last = piece('ELSEWHERE VA 23269', { y: 12 })
    const [found] = addressByForm([piece('12 LONG LANE', place), last])
    expect(found.value.includes('LONG LANE')).toBe(isFound)
  })

  test('in one line goes from the number of the house to the postcode', () => {
    const line = '12 Long Lane Elsewhere 23269'
    expect(addressByForm([piece(line)])).toEqual([field(line, { foundBy: 'form' })])
    expect(addressByForm([piece(`No ${line}`)])).toEqual([])
    for (const other of ['12345 Long Lane Elsewhere 23269', '12ab Long Lane Elsewhere 2326'])
      expect(addressByForm([piece(other)]), other).toHaveLength(1)
    for (const other of [
      '12 L Lane Elsewhere 23269',
      '12 Long Lane E 23269',
      '12abc Long Lane Elsewhere 23269',
    ])
      expect(addressByForm([piece(other)]), other).toEqual([])
    expect(addressByForm([piece(`${line} x`)])).toEqual([])
    expect(addressByForm([piece(line, { confidence: 0.5 })])).toHaveLength(1)
    expect(addressByForm([piece(line, { confidence: 0.49 })])).toEqual([])
    expect(addressByForm([piece('ELSEWHERE VA 23269', { confidence: 0.49 })])).toEqual([])
    expect(addressByForm([])).toEqual([])
  })
})

describe('a second surname', () => {
  const name = field('VAN', { field: 'surname' })
  const first = piece('VAN')
  const second = (text: string, over: Parameters<typeof piece>[1] = {}) =>
    withSecondLine(name, first, [piece(text, { y: 12, ...over })], []).value

  test('stands right below the first, in capitals as large', () => {
    expect(second('QUILL-FEATHER')).toBe('VAN QUILL-FEATHER')
    expect(second('O’NEIL')).toBe('VAN O’NEIL')
    expect(second('Quill')).toBe('VAN')
    expect(second('QUILL 2')).toBe('VAN')
    expect(second('2 QUILL')).toBe('VAN')
    expect(withSecondLine(name, piece('Van'), [piece('QUILL', { y: 12 })], []).value).toBe('VAN')
  })

  test.each([
    [{ x: 5 }, true],
    [{ x: 5.1 }, false],
    [{ y: 5 }, false],
    [{ y: 5.1 }, true],
    [{ y: 20 }, true],
    [{ y: 20.1 }, false],
    [{ height: 12.5 }, true],
    [{ height: 12.6 }, false],
    [{ height: 8 }, true],
    [{ height: 7.9 }, false],
    [{ captureIndex: 1 }, false],
    [{ confidence: 0.5 }, true],
    [{ confidence: 0.49 }, false],
  ])('stands at %j: %s', (over, isOne) => {
    expect(second('QUILL', over)).toBe(isOne ? 'VAN QUILL' : 'VAN')
  })

  test('is another field where a label stands between', () => {
    const below = (label: Parameters<typeof piece>[1]) =>
      withSecondLine(name, first, [piece('QUILL', { y: 18 })], [piece('Given names', { y: 12, ...label })])
        .value
    expect(below({ height: 5 })).toBe('VAN')
    expect(below({ height: 5, x: 60 })).toBe('VAN QUILL')
    expect(below({ height: 5, captureIndex: 1 })).toBe('VAN QUILL')
  })

  test('is worth no more than the less certain of both', () => {
    const less = withSecondLine(name, first, [piece('QUILL', { y: 12, confidence: 0.6 })], [])
    expect(less.confidence).toBe(0.6)
  })
})
