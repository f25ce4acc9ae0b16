/** The step for the VIZ: counts and names of fields, never a value. */
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../server/config/document-templates.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { parseMrz } from '../../../server/proofing/mrz/parse.ts'
import { readPageFacts } from '../../../server/proofing/visual-zone/read-facts.ts'
import type { TextLine } from '../../../server/proofing/visual-zone/text.ts'
import type { ReadDocument } from '../../../server/verification/read-document.ts'
import { visualZone } from '../../../server/verification/steps/visual-zone.ts'
import type { DocumentSubject, StepTools } from '../../../server/verification/subject.ts'
import type { MrzReading } from '../../../server/vision/protocol.ts'
import { HOLDER } from '../app/scripted-vision.ts'
import { PASSPORT } from '../proofing/visual-zone-page.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const LINES = buildTd3(HOLDER)
const CORNER = { x: 0, y: 0 }

function aReading(recognisersAgree: boolean): MrzReading {
  const confidence = LINES.map((line) => [...line].map(() => 0.99))
  return {
    format: 'TD3',
    lines: LINES,
    rawLines: LINES,
    repaired: [],
    characterConfidence: confidence,
    recogniserReadings: [],
    recognisersAgree,
    marginNats: 9,
    rotationDeg: 0,
    isWhole: true,
    frame: 0,
    band: [CORNER, CORNER, CORNER, CORNER],
    characterPitchPx: 20,
  }
}

/** The passport's page, one text of it changed. */
function printed(from = '', to = ''): readonly TextLine[] {
  const words = from.split(' ')
  return PASSPORT.lines.map((line) =>
    from !== '' && line.words.map(({ text }) => text).join(' ') === from
      ? {
          ...line,
          words: to.split(' ').map((text, i) => ({ ...line.words[Math.min(i, words.length - 1)], text })),
        }
      : line,
  )
}

async function findings(lines: readonly TextLine[], mrz: { readonly isSure: boolean } | null) {
  const page = readPageFacts([{ lines, aspect: PASSPORT.aspect }], NOW, loadDocumentTemplates())
  const document = {
    classification: { layout: 'TD3', sides: ['FRONT'], evidence: [] },
    page,
    licence: null,
    mrz: mrz && { reading: aReading(mrz.isSure), facts: parseMrz(LINES, NOW), captureIndex: 0 },
  } as unknown as ReadDocument
  const text = { lines, widthPx: 1420, heightPx: 1000, uprightTurnDeg: 0, models: [], elapsedMs: 1 }
  const tools = { pages: async () => [text], document: async () => document } as unknown as StepTools
  const subject = { family: 'IDDOCUMENT' } as unknown as DocumentSubject
  const report = await visualZone.run(subject, tools)
  return Object.fromEntries(report.findings.map((finding) => [finding.check, finding]))
}

test('a page that agrees with its MRZ passes', async () => {
  const found = await findings(printed(), { isSure: true })
  expect(found['VISUAL_ZONE_READING']).toMatchObject({
    outcome: 'passed',
    measured: { template: 'icao-page', scriptsNotRead: 'none' },
  })
  expect(found['VISUAL_ZONE_MATCH']).toMatchObject({
    outcome: 'passed',
    measured: { same: 7, different: 0, unclear: 0 },
  })
})

// @clause NIST-63A-4/3.13-mrz
test('another name or date in print fails, and the field is named', async () => {
  const name = await findings(printed('ERIKSSON', 'BERGSTROM'), { isSure: true })
  expect(name['VISUAL_ZONE_MATCH']).toMatchObject({
    outcome: 'failed',
    errors: [{ code: '1599', field: 'surname' }],
  })
  const date = await findings(printed('12 AUG 1974', '24 MAR 1981'), { isSure: true })
  expect(date['VISUAL_ZONE_MATCH']).toMatchObject({ outcome: 'failed', errors: [{ field: 'birthDate' }] })
  expect(JSON.stringify([name, date])).not.toMatch(/BERGSTROM|ERIKSSON|1974|1981|L898902C3/)
})

test('an MRZ that may have been misread proves no difference', async () => {
  const found = await findings(printed('ERIKSSON', 'BERGSTROM'), { isSure: false })
  expect(found['VISUAL_ZONE_MATCH']).toMatchObject({ outcome: 'inconclusive', measured: { different: 0 } })
})

test('the back of another card is a difference, although its MRZ was read with doubt', async () => {
  const lines = printed('12 AUG 1974', '24 MAR 1981').map((line) =>
    line.words.map(({ text }) => text).join(' ') === '31 DEC 2029'
      ? {
          ...line,
          words: line.words.map((word) => (word.text === '2029' ? { ...word, text: '2047' } : word)),
        }
      : line,
  )
  const { VISUAL_ZONE_MATCH: match } = await findings(lines, { isSure: false })
  expect(match).toMatchObject({
    outcome: 'failed',
    errors: [
      { code: '1599', field: 'birthDate' },
      { code: '1599', field: 'expiryDate' },
    ],
  })
})

test('the VIZ is not compared without an MRZ, and not read without text', async () => {
  expect((await findings(printed(), null))['VISUAL_ZONE_MATCH'].outcome).toBe('inconclusive')
  const empty = await findings([], { isSure: true })
  expect(empty['VISUAL_ZONE_READING'].outcome).toBe('inconclusive')
  expect(empty['VISUAL_ZONE_MATCH'].outcome).toBe('inconclusive')
})

// @clause NIST-63A-4/3.13-mrz
test.each([
  // One digit, and one that a reader of print takes for another.
  ['12 AUG 1974', '12 AUG 1971'],
  ['12 AUG 1974', '13 AUG 1974'],
  ['L898902C3', 'L898908C3'],
  ['L898902C3', 'L898902G3'],
  ['ERIKSSON', 'ERIKSSEN'],
  ['ERIKSSON', 'FRIKSSON'],
  ['31 DEC 2029', '31 DEC 2028'],
  ['31 DEC 2029', '31 DEC 2023'],
])('one character changed in print never passes: %s as %s', async (from, to) => {
  expect(printed(from, to)).not.toEqual(printed())
  const { VISUAL_ZONE_MATCH: match } = await findings(printed(from, to), { isSure: true })
  expect(match.outcome).not.toBe('passed')
})

test('a field that neither agrees nor differs is named without its value', async () => {
  const { VISUAL_ZONE_MATCH: match } = await findings(printed('L898902C3', 'L898902G3'), { isSure: true })
  expect(match).toMatchObject({
    outcome: 'inconclusive',
    measured: { unclear: 1, unclearFields: 'documentNumber' },
  })
  expect(JSON.stringify(match)).not.toContain('L8989')
})

test.each([
  ['31 DEC 2029', 'expiryDate'],
  ['ANNA MARIA', 'givenNames'],
])(
  'a value of the MRZ that was not found in print is no agreement: without the line %s',
  async (text, field) => {
    const lines = printed().filter((line) => line.words.map((word) => word.text).join(' ') !== text)
    expect(lines).toHaveLength(printed().length - 1)
    const { VISUAL_ZONE_MATCH: match } = await findings(lines, { isSure: true })
    expect(match).toMatchObject({ outcome: 'inconclusive', measured: { different: 0, unclearFields: field } })
  },
)

describe('print that differs by shapes that are alike', () => {
  const matchOf = async (from: string, to: string, isSure = true, confidence = 0.95) => {
    const lines = printed(from, to).map((line) => ({
      ...line,
      words: line.words.map((word) => (to.split(' ').includes(word.text) ? { ...word, confidence } : word)),
    }))
    expect(lines).not.toEqual(printed())
    return (await findings(lines, { isSure })).VISUAL_ZONE_MATCH
  }

  test.each([
    ['documentNumber', 'L898902C3', 'L898902G3'],
    ['documentNumber', 'L898902C3', 'L398902C3'],
    ['birthDate', '12 AUG 1974', '12 AUG 1979'],
    ['expiryDate', '31 DEC 2029', '31 DEC 2024'],
    ['surname', 'ERIKSSON', 'ERIKSSQN'],
    ['givenNames', 'ANNA MARIA', 'ANNA MARTA'],
  ])('in %s is not verified without a person, and the field is named', async (field, from, to) => {
    expect(await matchOf(from, to)).toMatchObject({
      outcome: 'inconclusive',
      withholds: true,
      errors: [{ code: '1599', field }],
    })
  })

  test('is no sign of a forgery where the reader of print was in doubt, or the MRZ was read with doubt', async () => {
    for (const match of [
      await matchOf('L898902C3', 'L898902G3', true, 0.6),
      await matchOf('L898902C3', 'L898902G3', false),
    ]) {
      expect(match.outcome).toBe('inconclusive')
      expect(match).not.toHaveProperty('withholds')
    }
  })

  test('is not assumed where the MRZ transliterates the printed letter: the two agree', async () => {
    for (const to of ['ERIKSSÖN', 'ÉRIKSSON'])
      expect(await matchOf('ERIKSSON', to)).toMatchObject({ outcome: 'passed' })
  })

  test('of the sex is no agreement, however unsure the letter is', async () => {
    const match = await matchOf('F', 'M', true, 0.6)
    expect(match.outcome).toBe('inconclusive')
    expect(match).not.toHaveProperty('withholds')
  })
})
