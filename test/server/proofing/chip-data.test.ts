import { expect, test } from 'vitest'
import { compareChipData } from '../../../server/proofing/chip-data.ts'
import { buildMrzData } from '../../../server/proofing/document-data.ts'
import { buildTd3, type MrzContents } from '../../../server/proofing/mrz/build.ts'
import { parseMrz } from '../../../server/proofing/mrz/parse.ts'
import { HOLDER } from '../app/scripted-vision.ts'

const NOW = new Date('2026-11-29T12:00:00Z')

/** The outcome for a chip of the holder and this printed MRZ. */
function compare(printed: Partial<MrzContents>, chip: Partial<MrzContents> = {}) {
  const lines = buildTd3({ ...HOLDER, ...printed })
  const seen = parseMrz(lines, NOW)
  const stored = parseMrz(buildTd3({ ...HOLDER, ...chip }), NOW)
  return compareChipData(stored, buildMrzData(seen, lines), seen)
}

test.each<[string, Partial<MrzContents>]>([
  ['nothing', {}],
  ['one letter of the name', { surname: 'ERIKSZON' }],
  [
    'two letters of the names, and Q for O in the nationality',
    { givenNames: ['ANMA', 'MARJA'], nationality: 'UTQ' },
  ],
])('a chip is that of a document of whose MRZ the reader got wrong: %s', (_, printed) => {
  expect(compare(printed)).toBe('passed')
})

test.each<[string, Partial<MrzContents>, Partial<MrzContents>?]>([
  ['another number', { documentNumber: 'L898902C4' }],
  ['another nationality', { nationality: 'D' }],
  ['another sex', { sex: 'M' }],
  ['no sex', { sex: 'X' }],
  ['one given name less', { givenNames: ['ANNA'] }],
  ['another given name', { givenNames: ['ANNA', 'MARTINA'] }],
  ['another surname', { surname: 'ERIKSEN', givenNames: ['ANNE', 'MARI'] }],
  ['a personal number', { optionalData: 'ZE184226B' }],
  ['no personal number', {}, { optionalData: 'ZE184226B' }],
])('a chip is not that of a document whose print states %s', (_, printed, chip) => {
  expect(compare(printed, chip)).toBe('failed')
})
