import { describe, expect, test } from 'vitest'
import type { AamvaFacts } from '../../../server/proofing/aamva/facts.ts'
import {
  classifyDocument,
  type DocumentLayout,
  type SideEvidence,
  type SideName,
} from '../../../server/proofing/document-layout.ts'
import type { MrzFormat } from '../../../server/proofing/mrz/format.ts'
import type { PageFacts, PageField, PageFieldName } from '../../../server/proofing/visual-zone/page-facts.ts'

const LICENCE = { kind: 'DRIVING_LICENSE' } as AamvaFacts
const PAGE: PageFacts = { template: null, kind: null, country: null, state: null, fields: [] }
const NOTHING: SideEvidence = {
  mrz: null,
  hasPortrait: false,
  hasBarcode: false,
  hasOutline: false,
  hasText: false,
}
const side = (over: Partial<SideEvidence> = {}): SideEvidence => ({ ...NOTHING, ...over })
const portrait = side({ hasPortrait: true })
const seen = side({ hasOutline: true, hasText: true })
const printed = (captureIndex: number, ...fields: readonly PageFieldName[]): PageField[] =>
  fields.map((field) => ({ field, value: 'X', confidence: 1, captureIndex, foundBy: 'label' }))
const page = (over: Partial<PageFacts> = {}): PageFacts => ({ ...PAGE, ...over })

describe('the layout of a document', () => {
  test.each<[MrzFormat, DocumentLayout]>([
    ['TD1', 'TD1'],
    ['TD2', 'TD2'],
    ['TD3', 'TD3'],
    ['MRVA', 'VISA'],
    ['MRVB', 'VISA'],
    ['FRA', 'TD2'],
    ['FRA_DL', 'DRIVING_LICENCE'],
    ['CHE_DL', 'DRIVING_LICENCE'],
  ])('with an MRZ %s is %s, whatever the words and the barcode say', (mrz, layout) => {
    const words = page({ kind: 'MEDICARE', template: 'some' })
    expect(classifyDocument([NOTHING, side({ mrz })], LICENCE, words)).toMatchObject({ layout })
    expect(classifyDocument([NOTHING, side({ mrz })], LICENCE, words).evidence[0]).toBe('zone')
  })

  test.each<[PageFacts['kind'], number | null, DocumentLayout]>([
    ['DRIVING_LICENSE', null, 'DRIVING_LICENCE'],
    ['MEDICARE', null, 'MEDICARE_CARD'],
    ['PASSPORT', null, 'UNKNOWN'],
    ['PASSPORT', 1.4, 'TD3'],
    ['VISA', null, 'UNKNOWN'],
    ['VISA', 1.4, 'VISA'],
    ['IDENTITY_CARD', null, 'UNKNOWN'],
    // ID-1 is 1.586 times as wide as high, ID-2 1.419 times; five percent more or less.
    ['IDENTITY_CARD', 1.51, 'TD1'],
    ['IDENTITY_CARD', 1.66, 'TD1'],
    ['RESIDENT_CARD', 1.42, 'TD2'],
    ['RESIDENT_CARD', 1.36, 'TD2'],
    ['RESIDENT_CARD', 1.34, 'UNKNOWN'],
    ['RESIDENT_CARD', 1.5, 'UNKNOWN'],
    ['RESIDENT_CARD', 1.67, 'UNKNOWN'],
    [null, 1.586, 'UNKNOWN'],
  ])('whose words say %s and that is %s times as wide as high is %s', (kind, aspect, layout) => {
    const sides = [side({ hasOutline: true }), side({ hasOutline: true, aspect })]
    expect(classifyDocument(sides, null, page({ kind })).layout).toBe(layout)
  })

  test('is none on a sheet of paper that names a document, and has what documents have only on it', () => {
    const words = page({ kind: 'PASSPORT', fields: printed(0, 'surname', 'givenNames', 'birthDate') })
    const sheet = { hasOutline: true, hasText: true, pageAspect: 0.71 }
    const layoutOf = (over: Partial<SideEvidence>, facts: PageFacts = words) =>
      classifyDocument([side({ ...sheet, ...over })], null, facts).layout
    expect(layoutOf({})).toBe('NONE')
    expect(layoutOf({ pageAspect: 2.2 })).toBe('NONE')
    expect(layoutOf({ pageAspect: 1.42 })).toBe('UNKNOWN')
    expect(layoutOf({ hasPortrait: true })).toBe('UNKNOWN')
    expect(layoutOf({ hasBand: true })).toBe('UNKNOWN')
    expect(layoutOf({ mrz: 'TD3' })).toBe('TD3')
    // Nothing on it was understood: its proportions say nothing of how it is turned.
    expect(layoutOf({}, PAGE)).toBe('UNKNOWN')
  })

  test('with a barcode of a licence is one, though the words name another card', () => {
    expect(classifyDocument([NOTHING], LICENCE, page({ kind: 'MEDICARE' })).layout).toBe('DRIVING_LICENCE')
  })

  test('is none where nothing was seen, and unknown where anything was', () => {
    expect(classifyDocument([NOTHING, NOTHING], null, PAGE)).toEqual({
      layout: 'NONE',
      sides: [null, null],
      evidence: [],
    })
    expect(classifyDocument([], null, PAGE)).toEqual({ layout: 'NONE', sides: [], evidence: [] })
    expect(classifyDocument([portrait], null, PAGE).layout).toBe('UNKNOWN')
  })
})

describe('what spoke for it', () => {
  test.each<[string, SideEvidence, AamvaFacts | null, Partial<PageFacts>, readonly string[]]>([
    ['an MRZ', side({ mrz: 'TD3' }), null, {}, ['zone']],
    ['a barcode', NOTHING, LICENCE, {}, ['barcode']],
    ['the words', NOTHING, null, { kind: 'PASSPORT' }, ['words']],
    ['a template, which is more than words', NOTHING, null, { kind: 'VISA', template: 'a' }, ['template']],
    ['a template without words', NOTHING, null, { template: 'a' }, ['template']],
    ['edges', side({ hasOutline: true }), null, {}, ['outline']],
    ['a portrait', portrait, null, {}, ['portrait']],
    ['text alone says nothing', side({ hasText: true }), null, {}, []],
  ])('%s', (_, one, licence, over, evidence) => {
    expect(classifyDocument([one], licence, page(over)).evidence).toEqual(evidence)
    expect(classifyDocument([NOTHING, one], licence, page(over)).evidence).toEqual(evidence)
  })

  test('is told in the order of its weight', () => {
    const one = side({ mrz: 'TD1', hasOutline: true, hasPortrait: true })
    expect(classifyDocument([one], LICENCE, page({ kind: 'VISA' })).evidence).toEqual([
      'zone',
      'barcode',
      'words',
      'outline',
      'portrait',
    ])
  })
})

describe('the side of one picture', () => {
  const sideOf = (one: SideEvidence, over: Partial<PageFacts> = {}, licence: AamvaFacts | null = null) =>
    classifyDocument([one], licence, page(over)).sides

  test.each<[string, SideEvidence, SideName | null]>([
    ['a portrait stands on the front', portrait, 'FRONT'],
    ['beside an MRZ, too', side({ hasPortrait: true, mrz: 'TD1' }), 'FRONT'],
    ['an MRZ of three lines stands on the back', side({ mrz: 'TD1' }), 'BACK'],
    ['a barcode stands on the back', side({ hasBarcode: true }), 'BACK'],
    ['though an MRZ of two lines is beside it', side({ hasBarcode: true, mrz: 'TD2' }), 'BACK'],
    ['an MRZ of two lines stands on the front', side({ mrz: 'TD2' }), 'FRONT'],
    ['edges and text say nothing', seen, null],
  ])('%s', (_, one, expected) => {
    expect(sideOf(one)).toEqual([expected])
  })

  test.each<[readonly PageFieldName[], SideName | null]>([
    [['surname', 'birthDate'], 'FRONT'],
    [['givenNames', 'documentNumber'], 'FRONT'],
    [['fullName', 'cardNumber'], 'FRONT'],
    [['surname'], null],
    [['surname', 'expiryDate'], null],
    [['birthDate', 'documentNumber', 'cardNumber'], null],
  ])('that prints %j', (fields, expected) => {
    expect(sideOf(seen, { fields: printed(0, ...fields) })).toEqual([expected])
    // Printed on another picture, it says nothing of this one.
    expect(sideOf(seen, { fields: printed(1, ...fields) })).toEqual([null])
  })

  test('of a health card is the front where the number stands, of no other card', () => {
    const fields = printed(0, 'documentNumber')
    expect(sideOf(seen, { kind: 'MEDICARE', fields })).toEqual(['FRONT'])
    expect(sideOf(seen, { kind: 'MEDICARE', fields: printed(0, 'birthDate') })).toEqual([null])
    expect(sideOf(seen, { fields })).toEqual([null])
  })

  test.each<[string, SideEvidence, readonly PageFieldName[], SideName | null]>([
    ['text without a name is the back', seen, [], 'BACK'],
    ['a number beside it, too', seen, ['documentNumber'], 'BACK'],
    ['a name may stand on the front', seen, ['surname'], null],
    ['no text', side({ hasOutline: true }), [], null],
    ['no edges', side({ hasText: true }), [], null],
  ])('of a driving licence: %s', (_, one, fields, expected) => {
    const over = { kind: 'DRIVING_LICENSE', fields: printed(0, ...fields) } as const
    expect(sideOf(one, over)).toEqual([expected])
  })
})

describe('of two pictures', () => {
  const sidesOf = (one: SideEvidence, other: SideEvidence, over: Partial<PageFacts> = {}) =>
    classifyDocument([one, other], null, page(over)).sides

  test('the one that says nothing is the other side, as long as a document was seen in it', () => {
    expect(sidesOf(portrait, seen)).toEqual(['FRONT', 'BACK'])
    expect(sidesOf(portrait, side({ hasOutline: true }))).toEqual(['FRONT', 'BACK'])
    expect(sidesOf(portrait, side({ hasText: true }))).toEqual(['FRONT', 'BACK'])
    expect(sidesOf(seen, side({ hasBarcode: true }))).toEqual(['FRONT', 'BACK'])
    expect(sidesOf(portrait, NOTHING)).toEqual(['FRONT', null])
    expect(sidesOf(seen, seen)).toEqual([null, null])
  })

  test('each says for itself what it can', () => {
    expect(sidesOf(portrait, side({ mrz: 'TD1' }))).toEqual(['FRONT', 'BACK'])
    expect(sidesOf(side({ hasBarcode: true }), side({ mrz: 'TD1' }))).toEqual(['BACK', 'BACK'])
  })

  test('that show a face, the one with the holder’s name is the front', () => {
    const named = (...fields: readonly PageField[]) => sidesOf(portrait, portrait, { fields })
    expect(named(...printed(0, 'surname'))).toEqual(['FRONT', 'BACK'])
    expect(named(...printed(1, 'givenNames'))).toEqual(['BACK', 'FRONT'])
    expect(named(...printed(1, 'fullName', 'surname'))).toEqual(['BACK', 'FRONT'])
    expect(named(...printed(0, 'surname'), ...printed(1, 'surname'))).toEqual(['FRONT', 'FRONT'])
    expect(named(...printed(0, 'birthDate'))).toEqual(['FRONT', 'FRONT'])
    expect(named(...printed(0, 'birthDate'), ...printed(1, 'surname'))).toEqual(['BACK', 'FRONT'])
    expect(named()).toEqual(['FRONT', 'FRONT'])
    // One that shows none is judged by itself, and by the other.
    expect(sidesOf(seen, portrait, { fields: printed(0, 'surname') })).toEqual(['BACK', 'FRONT'])
    expect(sidesOf(side({ hasBarcode: true }), portrait, { fields: printed(0, 'surname') })).toEqual([
      'BACK',
      'FRONT',
    ])
  })

  test('of a page, neither is the back of the other', () => {
    expect(sidesOf(side({ mrz: 'TD3' }), seen)).toEqual(['FRONT', null])
    expect(sidesOf(side({ mrz: 'MRVA' }), seen)).toEqual(['FRONT', null])
    expect(sidesOf(side({ mrz: 'TD2' }), seen)).toEqual(['FRONT', 'BACK'])
  })

  test('one or three are told each by itself', () => {
    expect(classifyDocument([portrait, seen, seen], null, PAGE).sides).toEqual(['FRONT', null, null])
    expect(classifyDocument([portrait, portrait, seen], null, PAGE).sides).toEqual(['FRONT', 'FRONT', null])
  })
})
