/** Tests what stands behind the values of a document: where each is printed, how, and whether it was hard to read. */
import { expect, test } from 'vitest'
import { buildTd3 } from '../../../../server/proofing/mrz/build.ts'
import { parseMrz } from '../../../../server/proofing/mrz/parse.ts'
import type { PageFacts, PageField } from '../../../../server/proofing/visual-zone/page-facts.ts'
import { listReadLines, type ReadPages } from '../../../../server/proofing/visual-zone/read-lines.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
const FRAME = [
  { x: 0, y: 0 },
  { x: 100, y: 0 },
  { x: 100, y: 70 },
  { x: 0, y: 70 },
] as const
const BAND = [
  { x: 0, y: 50 },
  { x: 100, y: 50 },
  { x: 100, y: 70 },
  { x: 0, y: 70 },
] as const
const facts = parseMrz(
  buildTd3({
    documentCode: 'P',
    issuingState: 'UTO',
    documentNumber: 'L898902C3',
    nationality: 'UTO',
    birthDate: '740812',
    sex: 'F',
    expiryDate: '391231',
    surname: 'ERIKSSON',
    givenNames: ['ANNA', 'MARIA'],
  }),
  NOW,
)

const field = (name: PageField['field'], value: string, confidence = 0.95): PageField => ({
  field: name,
  value,
  confidence,
  captureIndex: 0,
  foundBy: 'label',
})
const line = (text: string, y: number) => ({
  words: text
    .split(' ')
    .map((word) => ({ text: word, confidence: 0.95, box: { x: 0, y, width: 0.1, height: 0.03 } })),
  box: { x: 0.3, y, width: 0.4, height: 0.03 },
})

function read(over: Partial<ReadPages> & { readonly fields?: readonly PageField[] } = {}) {
  const page: PageFacts = {
    template: null,
    kind: 'PASSPORT',
    country: 'UTO',
    state: null,
    fields: over.fields ?? [],
  }
  const lines = listReadLines({
    page,
    pages: [{ lines: [line('Eriksson', 0.2), line('12 AUG 1974', 0.3), line('F', 0.4)], frame: FRAME }],
    mrz: { facts, isSure: true, captureIndex: 0, band: BAND },
    licence: null,
    ...over,
  })
  return (name: string) => lines.find((found) => found.field === name)
}

test('a name is shown as it is printed where the print says what the MRZ says', () => {
  expect(read({ fields: [field('surname', 'Eriksson')] })('surname')).toMatchObject({ printed: 'Eriksson' })
  expect(read({ fields: [field('surname', 'Svensson')] })('surname')).toMatchObject({ printed: null })
})

test('the line that is shown is the one that says the value, in letters or as a date', () => {
  const fields = [field('surname', 'Eriksson'), field('birthDate', '1974-08-12')]
  expect(read({ fields })('surname')?.place?.box.y).toBe(0.2)
  expect(read({ fields })('birthDate')?.place?.box.y).toBe(0.3)
})

test("without print the field's own characters of the MRZ are shown, and no others", () => {
  const place = read()('birthDate')?.place
  expect(place?.frame).toEqual(BAND)
  expect(place?.box.x).toBeCloseTo(13 / 44)
  expect(place?.box.width).toBeCloseTo(6 / 44)
  expect(place?.box.y).toBeGreaterThan(0.5)
})

test('a field has no place when the place of its line is unknown', () => {
  const mrz = { facts, isSure: true, captureIndex: 0, band: null }
  const pages = [{ lines: [line('Eriksson', 0.2)], frame: null }]
  expect(read({ mrz, pages, fields: [field('surname', 'Eriksson')] })('surname')?.place).toBeNull()
})

test.each([
  ['the MRZ alone, read for certain', true, [], false],
  ['the MRZ alone, in doubt', false, [], true],
  ['the MRZ in doubt, and print that says the same', false, [field('surname', 'Eriksson')], false],
])('a surname from %s', (_what, isSure, fields, hardToRead) => {
  const mrz = { facts, isSure, captureIndex: 0, band: BAND }
  expect(read({ mrz, fields })('surname')?.hardToRead).toBe(hardToRead)
})

test.each([
  [0.95, false],
  [0.5, true],
])('print alone is hard to read by its surest reader: %d', (confidence, hardToRead) => {
  const fields = [field('surname', 'Eriksson', confidence)]
  expect(read({ mrz: null, fields })('surname')?.hardToRead).toBe(hardToRead)
})
