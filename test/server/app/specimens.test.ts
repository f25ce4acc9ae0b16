/** Every verdict by real pictures, through the real models: the bundled specimen persons, who show no real human. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pdfOf } from '../../support/pdf.ts'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'

const SPECIMENS = join(import.meta.dirname, '..', '..', '..', 'resources', 'specimens')
const picture = (...path: string[]): Buffer => readFileSync(join(SPECIMENS, ...path))

interface Evidence {
  readonly type: string
  readonly evidenceStatus: {
    readonly status: string
    readonly score: string
    readonly errors: readonly { readonly code: string }[]
    readonly blockingIndicators: readonly string[]
    readonly unverifiedIndicators: readonly string[]
  }
}
interface Proofing {
  readonly globalStatus: { readonly levelOfAssurance: string; readonly status: string }
  readonly idDocuments: readonly Evidence[]
  readonly portrait?: Evidence
}

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  await app.close()
})

/** One proofing: the document, then (unless null) the portrait. */
async function proof(document: Uint8Array, portrait: Uint8Array | null, type?: string): Promise<Proofing> {
  const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
  await app.json('POST', `/v1/identities/${id}/consents`, { payload: [{ approved: true, type: 'PORTRAIT' }] })
  await app.call('POST', `/v1/identities/${id}/id-documents/capture`, { body: documentForm(document, type) })
  if (portrait) {
    await app.call('POST', `/v1/identities/${id}/attributes/portrait/capture`, {
      body: portraitForm(portrait, type),
    })
  }
  await app.runJobs()
  return (await app.json('GET', `/v1/identities/${id}`)).body as Proofing
}

const codes = (evidence: Evidence | undefined): readonly string[] =>
  evidence?.evidenceStatus.errors.map((error) => error.code) ?? []

test('a scan of the passport and of a print of the holder, as PDF, are read like photographs', async () => {
  const page = async (jpeg: Buffer): Promise<Uint8Array> => {
    const { width, height } = await sharp(jpeg).metadata()
    return pdfOf([{ jpeg, pixels: [width, height], points: [(width / 300) * 72, (height / 300) * 72] }])
  }
  const passport = await page(picture('alba', 'passport-photo.jpg'))
  const proofed = await proof(passport, await page(picture('alba', 'live.jpg')), 'application/pdf')
  expect(proofed.idDocuments[0]).toMatchObject({ evidenceStatus: { status: 'VERIFIED', score: 'LEVEL3' } })
  expect(proofed.portrait).toMatchObject({ evidenceStatus: { status: 'VERIFIED' } })
})

describe('a photograph as HEIC', () => {
  const heic = readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', 'heic', 'passport.heic'))

  test('of the passport is read like a JPEG, and kept as one', async () => {
    const proofed = await proof(heic, null, 'image/heic')
    expect(proofed.idDocuments[0]).toMatchObject({
      type: 'PASSPORT',
      evidenceStatus: { status: 'VERIFIED', score: 'LEVEL3', errors: [] },
    })
  })

  test.each([
    ['cut off', heic.subarray(0, 9000), 'damaged', /^the image is damaged or cut off$/],
    ['of another coding', null, 'unsupported_format', /send JPEG, PNG, WebP, HEIC, TIFF or PDF$/],
  ])('that is %s is refused with a sentence', async (_, bytes, code, sentence) => {
    const avif = () =>
      sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
        .avif()
        .toBuffer()
    const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
    const answer = await app.json('POST', `/v1/identities/${id}/id-documents/capture`, {
      body: documentForm(bytes ?? (await avif()), 'application/octet-stream'),
    })
    expect(answer.status).toBe(400)
    const { errors } = answer.body as { errors: readonly { code: string; message: string }[] }
    expect(errors[0]?.code).toBe(code)
    expect(errors[0]?.message).toMatch(sentence)
  })
})

describe('a specimen passport', () => {
  const proofings = new Map<string, Promise<Proofing>>()
  /** Of the holder; once each, because reading a passport takes seconds. */
  const proofingOf = (person: string): Promise<Proofing> => {
    const known =
      proofings.get(person) ?? proof(picture(person, 'passport-photo.jpg'), picture(person, 'live.jpg'))
    proofings.set(person, known)
    return known
  }

  test.each(['alba', 'amber', 'cole', 'dorian'])(
    'of %s reaches LEVEL3, with an uploaded picture of its holder LOA1',
    async (person) => {
      const proofed = await proofingOf(person)
      expect(proofed.idDocuments[0]).toMatchObject({
        type: 'PASSPORT',
        evidenceStatus: { status: 'VERIFIED', score: 'LEVEL3', errors: [] },
      })
      expect(proofed.portrait).toMatchObject({ evidenceStatus: { status: 'VERIFIED', score: 'LEVEL3' } })
      expect(proofed.globalStatus).toMatchObject({ levelOfAssurance: 'LOA1', status: 'EXPECTING_INPUT' })
    },
  )

  test('says what was not checked: the issuer, and whether a live person was there', async () => {
    const proofed = await proofingOf('alba')
    const { unverifiedIndicators, blockingIndicators } = proofed.idDocuments[0].evidenceStatus
    expect(unverifiedIndicators).toContain('GIV_VERIFICATION_UNVERIFIED')
    // Against a page that nobody forged no signal of authenticity speaks.
    expect(unverifiedIndicators).not.toContain('DOCUMENT_AUTHENTICITY_UNVERIFIED')
    expect(blockingIndicators).toEqual([])
    expect(proofed.portrait?.evidenceStatus.unverifiedIndicators).toContain('BIOMETRIC_LIVENESS_UNVERIFIED')
  })

  test('with another person’s face is INVALID with 1600, and the document keeps its verdict', async () => {
    const proofed = await proof(picture('alba', 'passport-photo.jpg'), picture('dorian', 'live.jpg'))
    expect(proofed.portrait).toMatchObject({
      evidenceStatus: {
        status: 'INVALID',
        score: 'LEVEL0',
        errors: [{ code: '1600' }],
        blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'],
      },
    })
    expect(proofed.idDocuments[0].evidenceStatus.status).toBe('VERIFIED')
    expect(proofed.globalStatus.levelOfAssurance).toBe('LOA0')
  })

  test('with a picture of nobody is NOT_VERIFIED with 1601', async () => {
    const proofed = await proof(picture('alba', 'passport-photo.jpg'), picture('nothing.jpg'))
    expect(proofed.portrait).toMatchObject({
      evidenceStatus: { status: 'NOT_VERIFIED', errors: [{ code: '1601' }] },
    })
  })
})

describe('a picture', () => {
  test('of no document is NOT_VERIFIED with a document code, and a portrait beside it stays without reference', async () => {
    const proofed = await proof(picture('nothing.jpg'), picture('alba', 'live.jpg'))
    expect(proofed.idDocuments[0].evidenceStatus.status).toBe('NOT_VERIFIED')
    expect(codes(proofed.idDocuments[0])).toContain('1535')
    expect(proofed.portrait?.evidenceStatus).toMatchObject({ status: 'NOT_VERIFIED' })
    expect(proofed.portrait?.evidenceStatus.unverifiedIndicators).toContain(
      'BIOMETRIC_MATCHING_CHECK_UNVERIFIED',
    )
  })

  test('of a passport from too far away asks for a closer one (1541), never guesses', async () => {
    const far = await sharp(picture('alba', 'passport-photo.jpg')).resize({ width: 420 }).jpeg().toBuffer()
    const proofed = await proof(far, null)
    expect(proofed.idDocuments[0].evidenceStatus.status).toBe('NOT_VERIFIED')
    expect(codes(proofed.idDocuments[0])).toContain('1541')
  })

  test('of a passport in the dark asks for light (1531)', async () => {
    const dark = await sharp(picture('alba', 'passport-photo.jpg')).linear(0.02, 0).jpeg().toBuffer()
    const proofed = await proof(dark, null)
    expect(proofed.idDocuments[0].evidenceStatus.status).toBe('NOT_VERIFIED')
    expect(codes(proofed.idDocuments[0])).toContain('1531')
  })

  test('of a passport out of focus is not verified, and says so', async () => {
    const blurred = await sharp(picture('alba', 'passport-photo.jpg')).blur(14).jpeg().toBuffer()
    const proofed = await proof(blurred, null)
    expect(proofed.idDocuments[0].evidenceStatus.status).toBe('NOT_VERIFIED')
    expect(codes(proofed.idDocuments[0])).toContain('1533')
  })
})
