import { describe, expect, test } from 'vitest'
import type { AamvaFacts } from '../../../server/proofing/aamva/facts.ts'
import { classifyDocument, type SideEvidence } from '../../../server/proofing/document-layout.ts'
import { expectsMrz, readingOutcome } from '../../../server/proofing/document-sources.ts'
import type { PageFacts, PageField } from '../../../server/proofing/visual-zone/page-facts.ts'

const LICENCE = { kind: 'DRIVING_LICENSE' } as AamvaFacts
const CARD = { kind: 'IDENTITY_CARD' } as AamvaFacts
const EMPTY_PAGE: PageFacts = { template: null, kind: null, country: null, state: null, fields: [] }
const CARD_SIDES = ['FRONT', 'BACK']
const SIDE: SideEvidence = {
  mrz: null,
  hasPortrait: false,
  hasBarcode: false,
  hasOutline: false,
  hasText: false,
}

describe('whether an MRZ must be read', () => {
  const base = { declaredType: null, layout: 'UNKNOWN', licence: null, bandSeen: false } as const

  test.each(['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD'] as const)(
    'a %s without one does not pass by the weaker way',
    (declaredType) => expect(expectsMrz({ ...base, declaredType })).toBe(true),
  )

  test('a document of an undeclared and unrecognised type must show one', () => {
    expect(expectsMrz(base)).toBe(true)
  })

  test('a driving licence may do without', () => {
    expect(expectsMrz({ ...base, declaredType: 'DRIVING_LICENSE' })).toBe(false)
    expect(expectsMrz({ ...base, layout: 'DRIVING_LICENCE' })).toBe(false)
  })

  test('lines that were seen must be read, whatever the document was declared to be', () => {
    expect(expectsMrz({ ...base, declaredType: 'DRIVING_LICENSE', bandSeen: true })).toBe(true)
  })

  test('an identity card of the North American standard has a barcode instead; a licence is no identity card', () => {
    expect(expectsMrz({ ...base, declaredType: 'IDENTITY_CARD', licence: CARD })).toBe(false)
    expect(expectsMrz({ ...base, declaredType: 'IDENTITY_CARD', licence: LICENCE })).toBe(true)
  })

  test('a passport is not let off by a licence barcode that lies in the picture', () => {
    const beside = { layout: 'DRIVING_LICENCE', licence: LICENCE } as const
    expect(expectsMrz({ ...base, ...beside, declaredType: 'PASSPORT' })).toBe(true)
  })
})

describe('when a reading is certain', () => {
  test('an MRZ in doubt is not made certain by a barcode', () => {
    expect(readingOutcome({ mrz: 'inconclusive', barcode: 'passed', codedNumber: 'passed' })).toBe(
      'inconclusive',
    )
  })

  test('the print alone is one source', () => {
    expect(readingOutcome({ mrz: null, barcode: null, codedNumber: 'inconclusive' })).toBe('inconclusive')
  })

  test('a number that repeats name and birth date is the second source of the print', () => {
    expect(readingOutcome({ mrz: null, barcode: null, codedNumber: 'passed' })).toBe('passed')
  })

  test('a barcode corrects its own errors', () => {
    expect(readingOutcome({ mrz: null, barcode: 'passed', codedNumber: 'inconclusive' })).toBe('passed')
  })
})

describe('what kind of document it is', () => {
  test('an MRZ outweighs words: a visa that names a passport is a visa', () => {
    const page = { ...EMPTY_PAGE, kind: 'PASSPORT' } as const
    expect(classifyDocument([{ ...SIDE, mrz: 'MRVA' }], null, page).layout).toBe('VISA')
  })

  describe('whose MRZ was not read', () => {
    const seen = { ...SIDE, hasOutline: true }
    const layout = (kind: PageFacts['kind'], aspect: number | null) =>
      classifyDocument([{ ...seen, aspect }], null, { ...EMPTY_PAGE, kind }).layout

    test.each([
      ['PASSPORT', 1.42, 'TD3'],
      ['VISA', 1.5, 'VISA'],
      ['IDENTITY_CARD', 1.59, 'TD1'],
      ['RESIDENT_CARD', 1.42, 'TD2'],
      ['IDENTITY_CARD', 1.2, 'UNKNOWN'],
      ['IDENTITY_CARD', null, 'UNKNOWN'],
      ['PASSPORT', null, 'UNKNOWN'],
      [null, 1.59, 'UNKNOWN'],
    ] as const)('%s by its words, its corners %s, is %s', (kind, aspect, expected) => {
      expect(layout(kind, aspect)).toBe(expected)
    })

    test('still has to show one', () => {
      const base = { declaredType: null, licence: null, bandSeen: false } as const
      for (const told of ['TD1', 'TD2', 'TD3', 'VISA'] as const)
        expect(expectsMrz({ ...base, layout: told })).toBe(true)
    })
  })

  test('nothing seen is no document; edges alone are one of no known kind', () => {
    expect(classifyDocument([SIDE], null, EMPTY_PAGE).layout).toBe('NONE')
    expect(classifyDocument([{ ...SIDE, hasOutline: true }], null, EMPTY_PAGE).layout).toBe('UNKNOWN')
  })

  test('the side with the portrait is the front, the one with a card MRZ or a barcode the back', () => {
    const sides = [
      { ...SIDE, mrz: 'TD1' as const },
      { ...SIDE, hasPortrait: true },
      { ...SIDE, hasBarcode: true },
      SIDE,
    ]
    expect(classifyDocument(sides, null, EMPTY_PAGE).sides).toEqual(['BACK', 'FRONT', 'BACK', null])
  })

  describe('of two pictures', () => {
    const seen = { ...SIDE, hasOutline: true, hasText: true }

    test('the one that says nothing is the other side of the one that does', () => {
      const back = { ...seen, hasBarcode: true }
      expect(classifyDocument([{ ...seen, hasPortrait: true }, seen], null, EMPTY_PAGE).sides).toEqual(
        CARD_SIDES,
      )
      expect(classifyDocument([seen, back], null, EMPTY_PAGE).sides).toEqual(CARD_SIDES)
    })

    test('that both show a face the one with the holder’s name is the front; without a name both stay', () => {
      const faces = [
        { ...seen, hasPortrait: true },
        { ...seen, hasPortrait: true },
      ]
      const name = {
        field: 'surname',
        value: 'X',
        confidence: 0.9,
        captureIndex: 1,
        foundBy: 'label',
      } as const
      expect(classifyDocument(faces, null, { ...EMPTY_PAGE, fields: [name] }).sides).toEqual([
        'BACK',
        'FRONT',
      ])
      expect(classifyDocument(faces, null, EMPTY_PAGE).sides).toEqual(['FRONT', 'FRONT'])
    })

    test('one without anything on it stays untold', () => {
      const sides = [{ ...seen, hasPortrait: true }, SIDE]
      expect(classifyDocument(sides, null, EMPTY_PAGE).sides).toEqual(['FRONT', null])
    })

    test('a passport has no back, whatever the second one shows', () => {
      const sides = [{ ...seen, mrz: 'TD3' as const, hasPortrait: true }, seen]
      expect(classifyDocument(sides, null, EMPTY_PAGE).sides).toEqual(['FRONT', null])
    })
  })

  test('a card without a portrait shows its front where name and number stand together', () => {
    const printed = (field: PageField['field']): PageField => ({
      field,
      value: 'X',
      confidence: 0.9,
      captureIndex: 0,
      foundBy: 'label',
    })
    const card = { ...SIDE, hasOutline: true, hasText: true }
    const page = { ...EMPTY_PAGE, kind: 'MEDICARE' as const, fields: [printed('cardNumber')] }
    expect(classifyDocument([card], null, page).sides).toEqual([null])
    const named = { ...page, fields: [printed('cardNumber'), printed('fullName')] }
    expect(classifyDocument([card], null, named).sides).toEqual(['FRONT'])
  })

  test('a health card shows its front by its number alone', () => {
    const number: PageField = {
      field: 'documentNumber',
      value: 'X',
      confidence: 0.9,
      captureIndex: 0,
      foundBy: 'form',
    }
    const card = { ...SIDE, hasOutline: true, hasText: true }
    const page = { ...EMPTY_PAGE, fields: [number] }
    expect(classifyDocument([card], null, { ...page, kind: 'MEDICARE' }).sides).toEqual(['FRONT'])
    expect(classifyDocument([card], null, { ...page, kind: 'IDENTITY_CARD' }).sides).toEqual([null])
  })

  test('a licence that shows text and neither portrait nor name shows its back', () => {
    const page = { ...EMPTY_PAGE, kind: 'DRIVING_LICENSE' as const }
    const side = { ...SIDE, hasOutline: true, hasText: true }
    expect(classifyDocument([side], null, page).sides).toEqual(['BACK'])
  })
})
