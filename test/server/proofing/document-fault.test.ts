/** The one sentence on what is wrong with a document: which cause decides, whom it is told, and in which words. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDocumentFaults } from '../../../server/config/document-faults.ts'
import {
  DOCUMENT_FAULTS,
  faultForPerson,
  chooseFault,
  STAFF_FAULTS,
  type FaultyEvidence,
} from '../../../server/proofing/document-fault.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const { rules, sentence } = loadDocumentFaults()

const not = (blocking: readonly string[], errors: FaultyEvidence['errors'] = []): FaultyEvidence => ({
  status: 'NOT_VERIFIED',
  blockingIndicators: blocking,
  errors,
})

/** Each cause by itself, in the order in which one comes before another. */
const CAUSES: readonly (readonly [code: string, evidence: FaultyEvidence])[] = [
  ['DOCUMENT_NONE', not(['DOCUMENT_DETECTION_FAILED'], [{ code: '1535', field: 'DOCUMENT_MISSING' }])],
  ['DOCUMENT_MIRRORED', not([], [{ code: '1543', field: 'MIRRORED_PICTURE' }])],
  ['DOCUMENT_SEVERAL', not(['SINGLE_DOCUMENT_FAILED'], [{ code: '1599', field: 'SINGLE_DOCUMENT' }])],
  ['DOCUMENT_OTHER', not(['DOCUMENT_TYPE_MATCH_FAILED'])],
  ['DOCUMENT_SIDE', not(['REQUIRED_SIDES_CHECK_FAILED'], [{ code: '1508' }])],
  ['DOCUMENT_CUT', not(['DOCUMENT_DETECTION_FAILED'], [{ code: '1535' }])],
  ['DOCUMENT_DARK', not(['DARK_IMAGE_QUALITY_FAILED'], [{ code: '1531' }])],
  ['DOCUMENT_GLARE', not(['GLARE_IMAGE_QUALITY_FAILED'], [{ code: '1532' }])],
  ['DOCUMENT_TILTED', not(['KEYSTONE_IMAGE_QUALITY_FAILED'], [{ code: '1539' }])],
  ['DOCUMENT_NEAR', not(['CAPTURE_TOO_CLOSE_CHECK_FAILED'], [{ code: '1540' }])],
  ['DOCUMENT_FAR', not(['CAPTURE_TOO_FAR_CHECK_FAILED'], [{ code: '1541' }])],
  ['DOCUMENT_BLUR', not(['BLUR_IMAGE_QUALITY_FAILED'], [{ code: '1533' }])],
  ['DOCUMENT_FIELD', not(['MRZ_CHECK_DIGITS_FAILED'], [{ code: '1543', field: 'birthDate' }])],
  ['DOCUMENT_LINES', not(['MRZ_READING_FAILED'], [{ code: '1543' }])],
  ['DOCUMENT_BARS', not(['PDF417_BARCODE_FAILED'], [{ code: '1542' }])],
  ['DOCUMENT_ENDED', not(['DOCUMENT_EXPIRY_FAILED'])],
  ['DOCUMENT_DIFFERS', not(['VISUAL_ZONE_MATCH_FAILED'], [{ code: '1599', field: 'surname' }])],
  ['DOCUMENT_SPECIMEN', not(['SPECIMEN_DOCUMENT_FAILED'])],
  ['DOCUMENT_DOUBTED', not(['DOCUMENT_AUTHENTICITY_FAILED'])],
  ['DOCUMENT_NOT_TAKEN', not([], [{ code: '2401' }])],
]

const both = (a: FaultyEvidence, b: FaultyEvidence): FaultyEvidence =>
  not(
    [...(b.blockingIndicators ?? []), ...(a.blockingIndicators ?? [])],
    [...(b.errors ?? []), ...(a.errors ?? [])],
  )

test.each(CAUSES)('%s is said of what raises it', (code, evidence) => {
  expect(chooseFault(evidence, rules)?.code).toBe(code)
})

test('of two causes the one that comes first in the order is said, whichever was found first', () => {
  const said = CAUSES.flatMap(([code, evidence], place) =>
    CAUSES.slice(place + 1).map(([, later]) => [code, chooseFault(both(evidence, later), rules)?.code]),
  )
  expect(said.filter(([first, told]) => first !== told)).toEqual([])
})

test('a cause without a row is DOCUMENT_UNCLEAR; evidence that is verified or open has none', () => {
  expect(chooseFault(not(['NEW_CHECK_FAILED']), rules)).toEqual({ code: 'DOCUMENT_UNCLEAR', field: null })
  for (const status of ['VERIFIED', 'PROCESSING', 'ADJUDICATION'] as const)
    expect(chooseFault({ ...CAUSES[0][1], status }, rules)).toBeNull()
})

test('a field is named where the document has one of that name, and nothing else is', () => {
  expect(chooseFault(CAUSES[12][1], rules)?.field).toBe('birthDate')
  expect(chooseFault(not([], [{ code: '1543', field: 'L898902C3' }]), rules)).toEqual({
    code: 'DOCUMENT_LINES',
    field: null,
  })
})

test('a specimen that is only tried out is nothing wrong', () => {
  const tried = { ...CAUSES[16][1], warningIndicators: ['SPECIMEN_DOCUMENT_WARNING'] }
  expect(faultForPerson(tried, rules)?.code).toBe('DOCUMENT_UNCLEAR')
})

describe('the applicant before the camera', () => {
  test('is never told what staff alone are told', () => {
    const told: readonly (string | undefined)[] = CAUSES.map(
      ([, evidence]) => faultForPerson(evidence, rules)?.code,
    )
    expect(told.filter((code) => STAFF_FAULTS.some((staff) => staff === code))).toEqual([])
    expect(faultForPerson(CAUSES[16][1], rules)?.code).toBe('DOCUMENT_UNCLEAR')
    expect(faultForPerson(CAUSES[18][1], rules)?.code).toBe('DOCUMENT_UNCLEAR')
  })

  test('is told of a document that was refused only what is a plain fact, and nothing where more speaks against it', () => {
    const refused = (...blockingIndicators: string[]): FaultyEvidence => ({
      status: 'INVALID',
      blockingIndicators,
    })
    const told = (evidence: FaultyEvidence) => faultForPerson(evidence, rules)?.code ?? null
    expect(told(refused('DOCUMENT_EXPIRY_FAILED'))).toBe('DOCUMENT_ENDED')
    expect(told(refused('SPECIMEN_DOCUMENT_FAILED'))).toBe('DOCUMENT_SPECIMEN')
    expect(told(refused('DOCUMENT_EXPIRY_FAILED', 'VISUAL_ZONE_MATCH_FAILED'))).toBeNull()
    const differs = { ...refused('DOCUMENT_EXPIRY_FAILED'), warningIndicators: ['VISUAL_ZONE_MATCH_WARNING'] }
    expect(told(differs)).toBeNull()
    expect(told(refused('GIV_VERIFICATION_FAILED'))).toBeNull()
    expect(told(refused())).toBeNull()
  })
})

describe('the words', () => {
  const locale = (tag: string) =>
    JSON.parse(readFileSync(join(ROOT, 'renderer', 'locales', `${tag}.json`), 'utf8')) as Record<
      'kiosk' | 'counter',
      Readonly<Record<string, string>>
    >

  test.each(['en', 'fr', 'es', 'de', 'ar'])(
    'of a fault are the same at the kiosk and at the counter in %s',
    (tag) => {
      const { kiosk, counter } = locale(tag)
      const isTold = (code: string) => !STAFF_FAULTS.some((staff) => staff === code)
      for (const code of DOCUMENT_FAULTS.filter(isTold)) {
        expect([code, kiosk[`guidance.${code}`]]).toEqual([code, counter[`assist.guidance.${code}`]])
        expect(kiosk[`guidance.${code}`]).toBeTruthy()
      }
    },
  )

  test('name the field in English in the API, and leave no slot open', () => {
    expect(sentence({ code: 'DOCUMENT_FIELD', field: 'expiryDate' })).toBe(
      'This could not be read on the document: Valid to',
    )
    for (const code of DOCUMENT_FAULTS) expect(sentence({ code, field: 'surname' })).not.toMatch(/[{}]/)
  })
})

test('a table with an unknown fault, or a fault without words, refuses the start and names it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  try {
    const file = join(folder, 'faults.json')
    const row = { fault: 'DOCUMENT_GREEN', when: ['1535'] }
    writeFileSync(file, JSON.stringify({ version: '1', description: 'x', faults: [row] }))
    const words = join(folder, 'en.json')
    writeFileSync(words, JSON.stringify({ counter: {} }))
    const refusal = (load: () => unknown): string => {
      try {
        load()
        return ''
      } catch (error) {
        return JSON.stringify(error)
      }
    }
    expect(refusal(() => loadDocumentFaults(file))).toContain('faults.0.fault')
    expect(refusal(() => loadDocumentFaults(undefined, words))).toContain('assist.guidance.DOCUMENT_NONE')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
