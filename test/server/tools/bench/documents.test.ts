import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quadIou, scoreField } from '../../../../server/tools/bench/documents/score.ts'
import type { DocumentsBench } from '../../../../server/tools/bench/documents.ts'
import type { PageField, PageFieldName } from '../../../../server/proofing/visual-zone/page-facts.ts'
import { inventPerson } from '../../../../server/tools/specimen/documents/person.ts'
import type { Quad } from '../../../../server/vision/protocol.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')

const square = (x: number, y: number, side: number): Quad => [
  { x, y },
  { x: x + side, y },
  { x: x + side, y: y + side },
  { x, y: y + side },
]

describe('the overlap of two outlines', () => {
  test('is 1 for the same corners in any order, and 0 for outlines apart', () => {
    const [a, b, c, d] = square(10, 10, 100)
    expect(quadIou([a, b, c, d], [c, d, a, b])).toBeCloseTo(1)
    expect(quadIou([a, b, c, d], [d, c, b, a])).toBeCloseTo(1)
    expect(quadIou([a, b, c, d], square(200, 200, 50))).toBe(0)
  })

  test('is the common area over the whole area', () => {
    expect(quadIou(square(0, 0, 100), square(50, 0, 100))).toBeCloseTo(1 / 3)
    expect(quadIou(square(0, 0, 100), square(25, 25, 50))).toBeCloseTo(0.25)
  })
})

describe('a field', () => {
  const box = { x: 0, y: 0, width: 1, height: 1 }
  const score = (field: PageFieldName, value: string, found: Partial<Record<PageFieldName, string>>) =>
    scoreField(
      { field, value, box },
      Object.entries(found).map(([name, text]): PageField => ({
        field: name as PageFieldName,
        value: text,
        confidence: 1,
        captureIndex: 0,
        foundBy: 'label',
      })),
    )

  test.each([
    ['surname', 'MÜLLER', { surname: ' müller ' }, 'exact'],
    ['surname', 'MÜLLER', { surname: 'MULLER' }, 'wrong'],
    ['documentNumber', '3093597405', { documentNumber: '3093 59740 5' }, 'exact'],
    ['birthDate', '1984-03', { birthDate: '1984-03-XX' }, 'exact'],
    ['birthDate', '1984-03-07', { birthDate: '1984-07-03' }, 'wrong'],
    ['fullName', 'ANN BELL', { givenNames: 'ANN', surname: 'BELL' }, 'exact'],
    ['address', '1 MILL STREET, ZENITH 12345', { address: '1 MILL STREET, ZENITH 12345' }, 'exact'],
    ['address', '1 MILL STREET ZENITH 12345', { address: '1 MILL STREET, ZENITH 12345' }, 'wrong'],
    ['expiryDate', '2030-01-31', {}, 'missing'],
  ] as const)('%s %s read as %j is %s', (field, value, found, outcome) => {
    expect(score(field, value, found).outcome).toBe(outcome)
  })

  test('forgives marks on letters only in the plain figure', () => {
    expect(score('surname', 'ŠIMIĆ', { surname: 'SIMIC' })).toMatchObject({
      outcome: 'wrong',
      isPlainExact: true,
      errors: 2,
    })
    expect(score('surname', 'ŠIMIĆ', { surname: 'SIMICH' }).isPlainExact).toBe(false)
    expect(score('surname', 'ÅSTRÖM', { surname: 'ASTROM' }).isPlainExact).toBe(true)
    expect(score('surname', 'ÅSTRÖM', { surname: 'AASTROEM' }).isPlainExact).toBe(true)
  })

  test('that was not read counts with all its characters', () => {
    expect(score('surname', 'BELL', {})).toMatchObject({ errors: 4, characters: 4 })
  })
})

test('the command prints seeds and shares, and no value of any field', () => {
  const argv = [
    'bench-documents',
    '--rendered',
    '--scenes',
    '1',
    '--seed',
    '41',
    '--only',
    'passport',
    '--big',
    '0',
    '--negatives',
    '1',
  ]
  const bench = (...more: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'server', 'run.mjs'), ...argv, ...more], { encoding: 'utf8' })
  const { stdout, stderr } = bench('--json', '--verbose')
  const result = JSON.parse(stdout) as DocumentsBench
  expect(result).toMatchObject({
    packs: 'core',
    seeds: { first: 41, last: 41 },
    documents: 1,
    outline: { pictures: 1 },
    negatives: { pictures: 1 },
    bigPictures: [],
  })
  expect(result.fields.all.visible).toBeGreaterThan(5)
  const { surname, birthPlace } = inventPerson(41)
  for (const value of [surname, birthPlace]) expect(stdout + stderr).not.toContain(value)
}, 180_000)

test('the command refuses a kind that there is not', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'server', 'run.mjs'), 'bench-documents', '--only', 'library-card'],
    { encoding: 'utf8' },
  )
  expect(status).toBe(2)
  expect(stderr).toContain('--only')
})
