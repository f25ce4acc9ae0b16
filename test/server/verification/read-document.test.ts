/** Combines the readings of all pictures of a document. */
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { buildAamva, type AamvaContents } from '../../../server/tools/specimen/aamva.ts'
import { readDocument } from '../../../server/verification/read-document.ts'
import type { BarcodeMeasurement, DocumentMeasurement, PageText } from '../../../server/vision/protocol.ts'
import { HOLDER, symbol } from '../app/scripted-vision.ts'

const knowledge = loadDocumentTemplates()
const NOW = new Date('2026-11-21T12:00:00Z')
const PAGE: PageText = {
  lines: [],
  widthPx: 1000,
  heightPx: 630,
  uprightTurnDeg: 0,
  models: [],
  elapsedMs: 1,
}
const NONE: BarcodeMeasurement = { symbols: [] }
/** A document that lies a little turned in the picture, its corners in order. */
const QUAD = [
  { x: 100, y: 120 },
  { x: 900, y: 80 },
  { x: 930, y: 580 },
  { x: 130, y: 620 },
]

function aSide(over: object = {}): DocumentMeasurement {
  return { mrz: null, portrait: null, outline: { quad: QUAD }, ...over } as unknown as DocumentMeasurement
}
function read(sides: readonly DocumentMeasurement[], more: Partial<Parameters<typeof readDocument>[0]> = {}) {
  return readDocument({
    sides,
    barcodes: sides.map(() => NONE),
    pages: sides.map(() => PAGE),
    scannedBarcode: null,
    now: NOW,
    knowledge,
    ...more,
  })
}
/** A face whose middle is here. */
const faceAt = (x: number, y: number) => ({
  portrait: { box: { x: x - 50, y: y - 60, width: 100, height: 120 } },
})

describe('a face', () => {
  const isOfTheDocument = (over: object) => read([aSide(over)]).classification.evidence.includes('portrait')

  test.each([
    ['in the middle', 500, 350],
    ['just within the left edge', 130, 350],
    ['just within the right edge', 900, 350],
    ['just within the upper edge', 500, 115],
    ['just within the lower edge', 500, 590],
  ])('on the document is its portrait: %s', (_, x, y) => {
    expect(isOfTheDocument(faceAt(x, y))).toBe(true)
  })

  test.each([
    ['left of it', 60, 350],
    ['right of it', 960, 350],
    ['above it', 500, 60],
    ['below it', 500, 640],
    ['far beside a corner', 950, 40],
    ['with its middle on the edge itself', 500, 100],
    ['with its middle outside, and a part of it inside', 105, 350],
  ])('beside the document is another card’s or a bystander’s: %s', (_, x, y) => {
    expect(isOfTheDocument(faceAt(x, y))).toBe(false)
  })

  test("is the document's portrait if no outline was found; without a face there is no portrait", () => {
    expect(isOfTheDocument({ ...faceAt(5, 5), outline: null })).toBe(true)
    expect(isOfTheDocument({ portrait: null, outline: null })).toBe(false)
    expect(isOfTheDocument({ portrait: null })).toBe(false)
  })
})

describe('an MRZ', () => {
  const mrz = { format: 'TD3', lines: buildTd3(HOLDER) }

  test('is that of the first side that has one, with the picture it stands in', () => {
    expect(read([aSide(), aSide({ mrz })]).mrz).toMatchObject({
      captureIndex: 1,
      facts: { surname: 'ERIKSSON', isSpecimen: true },
    })
    expect(read([aSide({ mrz }), aSide({ mrz })]).mrz?.captureIndex).toBe(0)
    expect(read([aSide(), aSide()]).mrz).toBeNull()
  })

  test('tells the layout before everything else', () => {
    const { classification } = read([aSide({ mrz })])
    expect(classification).toMatchObject({ layout: 'TD3', evidence: ['zone', 'outline'] })
  })
})

describe('a barcode', () => {
  const CARD: AamvaContents = {
    iin: '636014',
    country: 'USA',
    jurisdiction: 'CA',
    kind: 'DRIVING_LICENSE',
    documentNumber: 'D1234562',
    surname: 'FICKENMAN',
    givenNames: ['WILMA'],
    birthDate: '1950-03-14',
    issueDate: '2024-03-14',
    expiryDate: '2032-03-14',
    sex: 'F',
    address: { streetLines: ['1 LONG LANE'], city: 'ELSEWHERE', state: 'CA', postcode: '94203' },
  }
  const [CARD_TEXT, SCANNED_TEXT] = [buildAamva(CARD), buildAamva({ ...CARD, documentNumber: 'D7654321' })]
  const shows = (...texts: readonly (string | null)[]): BarcodeMeasurement => ({ symbols: texts.map(symbol) })

  test('that was seen counts before one that a scanner typed', () => {
    const more = { barcodes: [NONE, shows(CARD_TEXT)], scannedBarcode: SCANNED_TEXT }
    expect(read([aSide(), aSide()], more).licence).toMatchObject({
      scanned: false,
      facts: { documentNumber: 'D1234562' },
    })
  })

  test('that a scanner typed counts where none that was seen can be understood', () => {
    for (const barcodes of [[NONE], [shows(null)], [shows('no card')]]) {
      expect(read([aSide()], { barcodes, scannedBarcode: SCANNED_TEXT }).licence).toMatchObject({
        scanned: true,
        facts: { documentNumber: 'D7654321' },
      })
    }
    expect(read([aSide()], { barcodes: [shows('no card')] }).licence).toBeNull()
  })

  test('is looked for on every side and among several', () => {
    const more = { barcodes: [shows('a parcel', CARD_TEXT), NONE] }
    const { licence, classification } = read([aSide(), aSide()], more)
    expect(licence?.facts.documentNumber).toBe('D1234562')
    expect(classification).toMatchObject({ layout: 'DRIVING_LICENCE', evidence: ['barcode', 'outline'] })
  })
})

test('nothing seen is no document', () => {
  expect(read([aSide({ outline: null })]).classification).toEqual({
    layout: 'NONE',
    sides: [null],
    evidence: [],
  })
  expect(read([aSide()]).classification).toMatchObject({ layout: 'UNKNOWN', evidence: ['outline'] })
})
