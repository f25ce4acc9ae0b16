/** Tests what zone, print and typing say of one field, compared with each other for the person at the desk. */
import { expect, test } from 'vitest'
import { comparedSources } from '../../../server/proofing/compared-sources.ts'
import type { EvidenceContent } from '../../../server/proofing/evidence.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { HOLDER } from '../app/scripted-vision.ts'

const now = new Date('2026-11-21T12:00:00Z')
const read = (
  lines: readonly { field: 'surname' | 'givenNames' | 'documentNumber'; printed: string }[],
): { content: EvidenceContent } => ({
  content: {
    document: {
      idDocumentType: 'PASSPORT',
      personalAttributes: {},
      mrz: buildTd3({ ...HOLDER, surname: 'MUELLER', givenNames: ['ANNA'] }),
    },
    readLines: lines.map((line) => ({ ...line, hardToRead: false, place: null })),
  },
})
const typed = (surname: string) => ({
  content: { attributes: { surname: { value: surname, verified: false } } },
})
const rowOf = (field: string, ...args: Parameters<typeof comparedSources>) =>
  comparedSources(...args).find((row) => row.field === field)

test('a name that the MRZ spells as the standard says is equal after transliteration', () => {
  const row = rowOf('familyName', read([{ field: 'surname', printed: 'Müller' }]), [], now)
  expect(row).toMatchObject({ zone: 'MUELLER', printed: 'Müller', comparison: 'AFTER_TRANSLITERATION' })
})

test('the same letters are the same, whatever their case', () => {
  expect(rowOf('familyName', read([{ field: 'surname', printed: 'Mueller' }]), [], now)?.comparison).toBe(
    'SAME',
  )
})

test('what was typed otherwise is different, however well the others agree', () => {
  const lines = [{ field: 'surname', printed: 'MUELLER' }] as const
  expect(rowOf('familyName', read(lines), [typed('Meier')], now)).toMatchObject({
    typed: 'Meier',
    comparison: 'DIFFERENT',
  })
})

test('a value that only one source has is compared with nothing', () => {
  expect(rowOf('documentNumber', read([]), [], now)).toMatchObject({ printed: null, comparison: 'ONE_ONLY' })
})

test('of two numbers one letter decides', () => {
  const { documentNumber } = HOLDER
  const other = `${documentNumber.slice(0, -1)}${documentNumber.endsWith('7') ? '8' : '7'}`
  expect(
    rowOf('documentNumber', read([{ field: 'documentNumber', printed: other }]), [], now)?.comparison,
  ).toBe('DIFFERENT')
})
