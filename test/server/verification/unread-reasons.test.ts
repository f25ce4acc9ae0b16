/** The reason that is given for a document that was not read: the one that can be acted on. */
import { describe, expect, test } from 'vitest'
import { loadDocumentFaults } from '../../../server/config/document-faults.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { chooseFault } from '../../../server/proofing/document-fault.ts'
import type { DocumentSubject } from '../../../server/verification/subject.ts'
import { HOLDER } from '../app/scripted-vision.ts'
import { aDocument, side, verify } from './verify.ts'

const FRONT = [
  'IDENTITY CARD',
  'Surname',
  'ERIKSSON',
  'Given names',
  'ANNA MARIA',
  'Date of birth',
  '12 AUG 1974',
]
const LINES = buildTd3({ ...HOLDER, issuingState: 'SWE', nationality: 'SWE' })
const DIM = { luminanceMean: 70 }

async function reasonFor(front: Uint8Array, more: Partial<DocumentSubject> = {}) {
  const { judgement, facts } = await verify(aDocument(front, more))
  const { rules } = loadDocumentFaults()
  return { fault: chooseFault(judgement, rules)?.code, errors: judgement.errors, facts }
}

describe('the front of a card alone', () => {
  test('lacks its back, where the machine-readable lines are; what is on the front is returned', async () => {
    const { fault, errors, facts } = await reasonFor(side({ face: 'A', page: FRONT }))
    expect(fault).toBe('DOCUMENT_SIDE')
    expect(errors.map(({ code }) => code)).toEqual(['1508', '1543'])
    expect(errors[0].message).toContain('photograph the back too')
    expect(facts?.data.personalAttributes.surname?.value).toBe('ERIKSSON')
  })

  test.each<[string, Uint8Array, Partial<DocumentSubject>]>([
    ['with its back', side({ face: 'A', page: FRONT }), { back: side({ page: ['ADDRESS'] }) }],
    ['on which machine-readable lines were seen', side({ face: 'A', page: FRONT, band: {} }), {}],
    ['that is a page of a passport', side({ face: 'A', page: ['PASSPORT', ...FRONT.slice(1)] }), {}],
  ])('is another thing than a picture %s: its lines could not be read', async (_, front, more) => {
    expect((await reasonFor(front, more)).fault).toBe('DOCUMENT_LINES')
  })
})

describe('a mirrored picture', () => {
  const picture = (more: object = {}) => side({ lines: LINES, face: 'A', mirrored: true, ...more })

  test('is named, where nothing was read on it and its MRZ is read after a flip', async () => {
    const { fault, errors, facts } = await reasonFor(picture())
    expect(fault).toBe('DOCUMENT_MIRRORED')
    expect(errors).toMatchObject([{ code: '1543', field: 'MIRRORED_PICTURE' }])
    expect(facts).toBeNull()
  })

  test('is not looked for in a live capture, nor where something was read', async () => {
    expect((await reasonFor(picture(), { isLive: true })).fault).toBe('DOCUMENT_LINES')
    expect((await reasonFor(picture({ page: FRONT }))).fault).not.toBe('DOCUMENT_MIRRORED')
    expect((await reasonFor(side({ lines: LINES, face: 'A' }))).fault).not.toBe('DOCUMENT_MIRRORED')
  })
})

describe('little light', () => {
  test('is named where something could not be read, and only there', async () => {
    const dim = await reasonFor(side({ face: 'A', page: FRONT, quality: DIM }))
    expect(dim.fault).toBe('DOCUMENT_DARK')
    expect(dim.errors.map(({ code }) => code)).toEqual(['1531', '1543'])
    expect((await reasonFor(side({ lines: LINES, face: 'A', quality: DIM }))).errors).toEqual([])
  })

  test('is named for a card without an MRZ, too', async () => {
    const page = ['DRIVER LICENSE', 'LN FICKENMAN']
    const { errors } = await reasonFor(side({ face: 'A', page, quality: DIM }), {
      declaredType: 'DRIVING_LICENSE',
      back: side({}),
    })
    expect(errors.map(({ code }) => code)).toContain('1531')
  })
})

test('an angle that is guessed on the second page of a file is no reason where the first was read', async () => {
  const framing = { by: 'outline', tiltDeg: 40, resolutionDpi: 200, spanShare: 0.7, missingShare: 0 } as const
  const tilted = side({ quality: { framing }, page: ['Terms of use'] })
  const read = side({ lines: LINES, face: 'A' })
  expect((await reasonFor(read, { back: tilted })).errors).toEqual([])
  expect((await reasonFor(side({ face: 'A', page: FRONT.slice(0, 3), quality: { framing } }))).fault).toBe(
    'DOCUMENT_TILTED',
  )
})

test('a blank white sheet is not too bright: there is no document', async () => {
  const { fault, errors } = await reasonFor(
    side({ quality: { luminanceMean: 254, clippedShare: 1, framing: null } }),
  )
  expect(fault).toBe('DOCUMENT_NONE')
  expect(errors).toMatchObject([{ code: '1535', field: 'DOCUMENT_MISSING' }])
  expect(errors).toHaveLength(1)
})
