/** Every verdict by real pictures, through the real models: the bundled specimen persons, who show no real human. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pdfOf } from '../../support/pdf.ts'
import { EXAMPLES } from '../../../server/api/contract/examples.ts'
import { REQUESTS } from '../../../server/api/contract/example-requests.ts'
import { documentForm, portraitForm, type TestApp } from '../../support/app.ts'
import { liveClient } from '../../support/live-client.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startExampleApp, type ExampleApp } from '../../support/example-walk.ts'
import { lendVision } from '../../support/remembering-vision.ts'

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

let appliance: ExampleApp
let app: TestApp
beforeAll(async () => {
  appliance = await startExampleApp({ vision: await lendVision() })
  ;({ app } = appliance)
})
afterAll(async () => {
  await appliance.close()
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

/** Measured numbers differ in their last digits from one processor to the next. */
const withoutDecimals = (examples: unknown): unknown =>
  JSON.parse(JSON.stringify(examples), (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? 'decimal' : value,
  )

// First: what it answers depends on who was there before.
test('every example of the description is what this appliance answers: npm run examples writes them', async () => {
  expect(withoutDecimals({ ...REQUESTS, ...(await appliance.walk()) })).toEqual(withoutDecimals(EXAMPLES))
})

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

describe('WebP', () => {
  const webp = (...path: string[]) =>
    sharp(picture(...path))
      .webp({ quality: 90 })
      .toBuffer()
  const blob = (bytes: Uint8Array) => new Blob([bytes as BlobPart], { type: 'image/webp' })
  const formOf = (parts: Readonly<Record<string, Uint8Array>>): FormData => {
    const form = new FormData()
    for (const [name, bytes] of Object.entries(parts)) form.append(name, blob(bytes), `${name}.webp`)
    return form
  }
  const typesIn = async (path: string) => {
    const parts = [...(await (await app.call('GET', path)).formData()).values()]
    return parts.filter((part) => part instanceof Blob).map(({ type }) => type)
  }

  test('of passport and holder is verified, read back as WebP and sealed in the proof', async () => {
    const passport = await webp('alba', 'passport-photo.jpg')
    const created = await app.json('POST', '/v1/identities', { body: formOf({ file: passport }) })
    expect(created.status).toBe(200)
    const { id } = created.body as { id: string }
    const at = (path: string) => `/v1/identities/${id}/${path}`
    await app.json('POST', at('consents'), { payload: [{ approved: true, type: 'PORTRAIT' }] })
    const submissions = [
      ['id-documents/capture', formOf({ DocumentFront: passport })],
      ['attributes/portrait/capture', formOf({ Portrait: await webp('alba', 'live.jpg') })],
      ['additional-files', formOf({ File: passport })],
    ] as const
    for (const [path, body] of submissions) {
      expect([path, (await app.call('POST', at(path), { body })).status]).toEqual([path, 200])
    }
    await app.runJobs()
    const { idDocuments, portrait } = (await app.json('GET', at(''))).body as Proofing
    expect(idDocuments[0].evidenceStatus).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
    expect(portrait?.evidenceStatus).toMatchObject({ status: 'VERIFIED' })
    expect(await typesIn(at('attributes/portrait/capture'))).toEqual(['image/webp'])
    const { files } = await openProof(app, id)
    const endings = [...files.keys()]
      .filter((path) => path.endsWith('.webp'))
      .map((path) => path.split('/')[0])
    expect(endings.sort()).toEqual(['additionalFiles', 'additionalFiles', 'images', 'images'])
  })

  test('is taken from a capture component, of documents and of portraits', async () => {
    const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
    const at = (path: string) => `/v1/identities/${id}/${path}`
    await app.json('POST', at('consents'), { payload: [{ approved: true, type: 'PORTRAIT' }] })
    const open = async (path: string, payload: object) =>
      ((await app.json('POST', at(path), { payload })).body as { sessionId: string }).sessionId

    const session = await open('id-documents/live-capture-session', {
      issuingCountry: 'UTO',
      idDocumentType: 'PASSPORT',
      sidesToCapture: ['FRONT'],
    })
    const passport = await webp('alba', 'passport-photo.jpg')
    const capture = `/capture/sessions/${session}`
    const guided = await app.json('POST', `${capture}/frame`, {
      key: null,
      body: formOf({ Frame: passport }),
    })
    expect(guided).toMatchObject({ status: 200, body: { ready: true } })
    const sides = formOf({ DocumentFront: passport, FrontFrame: passport })
    const handedIn = await app.json('POST', `${capture}/document`, { key: null, body: sides })
    expect(handedIn).toMatchObject({ status: 200, body: { status: 'PROCESSING' } })

    const filmed = await open('attributes/portrait/capture-session', { type: 'LIVENESS_PASSIVE' })
    const component = liveClient(app, filmed, 'image/webp')
    await component.begin()
    const live = await sharp(picture('alba', 'live.jpg')).resize({ height: 720 }).webp().toBuffer()
    const answer = await component.send(live)
    expect(answer).toMatchObject({ status: 200, body: { state: 'CAPTURING', sequence: 2 } })
    expect(answer.body).not.toMatchObject({ face: null })
    await app.runJobs()
    const { idDocuments } = (await app.json('GET', at(''))).body as Proofing
    expect(idDocuments[0].evidenceStatus).toMatchObject({ status: 'VERIFIED' })
  })
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
  /** Cached per holder, because reading a passport takes seconds. */
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
    // No authenticity signal speaks against a genuine page.
    expect(unverifiedIndicators).not.toContain('DOCUMENT_AUTHENTICITY_UNVERIFIED')
    expect(blockingIndicators).toEqual([])
    expect(proofed.portrait?.evidenceStatus.unverifiedIndicators).toContain('BIOMETRIC_LIVENESS_UNVERIFIED')
  })

  test('is no portrait of its holder: the same file, its printed picture and a mirrored copy are not', async () => {
    const passport = picture('alba', 'passport-photo.jpg')
    const mirrored = await sharp(picture('alba', 'portrait.jpg')).flop().jpeg().toBuffer()
    for (const copy of [passport, picture('alba', 'portrait.jpg'), mirrored]) {
      const { portrait, globalStatus } = await proof(passport, copy)
      expect(portrait?.evidenceStatus).toMatchObject({
        status: 'NOT_VERIFIED',
        score: 'LEVEL0',
        errors: [{ code: '1601', field: 'PORTRAIT_OWN_PICTURE' }],
        warningIndicators: ['PORTRAIT_OWN_PICTURE_WARNING'],
        // A person would compare the document with itself.
        isAdjudicable: false,
      })
      expect(globalStatus.levelOfAssurance).toBe('LOA0')
    }
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

  test('with a portrait without a face is NOT_VERIFIED with 1601', async () => {
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
