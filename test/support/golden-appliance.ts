/**
 * An appliance that seals golden archives: driven only over HTTP, with small pictures of our own specimens.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { buildTd3 } from '../../server/proofing/mrz/build.ts'
import { extractArchive } from '../../server/proof/multipart.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { HOLDER, picture, type Scene, scriptedVision } from '../server/app/scripted-vision.ts'
import { type CallOptions, documentForm, portraitForm, startTestApp, type TestApp } from './app.ts'

const SPECIMENS = join(import.meta.dirname, '..', '..', 'resources', 'specimens', 'dorian')
const JPEG_QUALITY = 70

export interface GoldenAppliance {
  readonly app: TestApp
  readonly dataDir: string
  readonly passport: Uint8Array
  readonly portrait: Uint8Array
  /** A document that the machine cannot read. */
  readonly unread: Uint8Array
  /** Makes a call that must succeed, and runs its jobs. Returns the id of the answer, if any. */
  change(method: string, path: string, call?: Omit<CallOptions, 'key'>): Promise<string>
  /** The archive of an identity, and the public keys that the appliance serves. */
  seal(identityId: string): Promise<{ archive: Uint8Array; jwks: unknown }>
  close(): Promise<void>
}

export async function startGoldenAppliance(config: object): Promise<GoldenAppliance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'golden-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  const [passport, unread, portrait, crop] = await Promise.all([
    small('passport-page.png', 480),
    small('passport-page.png', 440),
    small('live.jpg', 320),
    small('portrait.jpg', 160),
  ])
  const lines = buildTd3({ ...HOLDER, issuingState: 'SWE', nationality: 'SWE' })
  const scenes = new Map([
    [sha256(passport), picture({ shows: 'document', lines, face: 'A' } satisfies Scene)],
    [sha256(unread), picture({ shows: 'document', lines: null, face: 'A' } satisfies Scene)],
    [sha256(portrait), picture({ shows: 'person', face: 'A' } satisfies Scene)],
    [sha256(crop), picture({ shows: 'person', face: 'A' } satisfies Scene)],
  ])
  const app = await startTestApp({ dataDir, vision: pictureVision(scenes, crop) })
  const request = async (method: string, path: string, call = {}): Promise<Response> => {
    const response = await app.call(method, `/v1/identities${path}`, call)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  return {
    app,
    dataDir,
    passport,
    portrait,
    unread,
    change: async (method, path, call) => {
      const text = await (await request(method, path, call)).text()
      await app.runJobs()
      const answer: unknown = text === '' ? {} : JSON.parse(text)
      return (answer as { id?: string }).id ?? ''
    },
    seal: async (identityId) => {
      const response = await request('GET', `/${identityId}/proof`)
      const archive = extractArchive(new Uint8Array(await response.arrayBuffer()))
      if (!archive) throw new Error('the answer holds no archive')
      const jwks: unknown = await (await app.call('GET', '/.well-known/jwks.json', { key: null })).json()
      return { archive, jwks }
    },
    close: () => app.close(),
  }
}

/** Creates an identity with everything that an archive can contain, and a deletion. Returns its id. */
export async function addEverything(appliance: GoldenAppliance): Promise<string> {
  const { passport, portrait } = appliance
  const change: GoldenAppliance['change'] = (...call) => appliance.change(...call)
  const id = await change('POST', '', { payload: [], headers: { 'correlation-id': 'golden case 7' } })
  const consents = ['ID_DOCUMENT', 'PORTRAIT', 'GIV', 'ID_CLAIM']
  const payload = consents.map((type) => ({ type, approved: true }))
  await change('POST', `/${id}/consents`, { payload })
  await change('POST', `/${id}/id-documents/capture`, { body: documentForm(passport) })
  await change('POST', `/${id}/attributes/portrait/capture`, { body: portraitForm(portrait) })
  await change('DELETE', `/${id}/attributes/portrait`)
  await change('POST', `/${id}/attributes/portrait/capture`, { body: portraitForm(portrait) })
  await change('POST', `/${id}/attributes`, { payload: { surname: { value: 'Andersson' } } })
  await change('POST', `/${id}/addresses`, { payload: { city: 'Uppsala', country: 'SWE' } })
  const file = new FormData()
  file.append('File', new Blob(['%PDF-1.7 a contract'], { type: 'application/pdf' }), 'contract.pdf')
  file.append('Metadata', JSON.stringify([{ key: 'kind', value: 'contract' }]))
  await change('POST', `/${id}/additional-files`, { body: file })
  return id
}

/** Creates an identity with a document whose values an adjudicator typed. Returns its id. */
export async function addTyped(appliance: GoldenAppliance): Promise<string> {
  const change: GoldenAppliance['change'] = (...call) => appliance.change(...call)
  const id = await change('POST', '', { payload: [] })
  const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await change('POST', `/${id}/consents`, { payload })
  const documentId = await change('POST', `/${id}/id-documents/capture`, {
    body: documentForm(appliance.unread),
  })
  await change('POST', `/${id}/attributes/portrait/capture`, { body: portraitForm(appliance.portrait) })
  await change('POST', `/${id}/adjudications/${documentId}`)
  const { store } = appliance.app.appliance
  const adjudication = `/v1/adjudications/${store.adjudications.latest(documentId)?.id}`
  const adjudicator = 'anna'
  const values = {
    idDocumentType: 'PASSPORT',
    idDocumentNumber: HOLDER.documentNumber,
    issuingCountry: 'SWE',
    personalAttributes: { surname: { value: 'ANDERSSON' }, dateOfBirth: { value: '1974-08-12' } },
  }
  const decision = { adjudicator, decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE', values }
  for (const [path, body] of [
    [`${adjudication}/claim`, { adjudicator }],
    [`${adjudication}/decision`, decision],
  ] as const) {
    const { status } = await appliance.app.call('POST', path, { payload: body })
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
  return id
}

/** The scripted vision, which recognises a picture by its hash. */
function pictureVision(scenes: ReadonlyMap<string, Uint8Array>, crop: Uint8Array): Vision {
  const scripted = scriptedVision()
  const sceneOf = (image: Uint8Array): Uint8Array => scenes.get(sha256(image)) ?? image
  return {
    ...scripted,
    inspectImage: async (query) => {
      const inspected = await scripted.inspectImage({ ...query, image: sceneOf(query.image) })
      return { ...inspected, byteLength: query.image.byteLength }
    },
    readBarcode: (query) => scripted.readBarcode({ ...query, image: sceneOf(query.image) }),
    readVisualZone: (query) => scripted.readVisualZone({ ...query, image: sceneOf(query.image) }),
    measurePortrait: (query) => scripted.measurePortrait({ ...query, image: sceneOf(query.image) }),
    measureDocument: async (query) => {
      const measured = await scripted.measureDocument({ ...query, image: sceneOf(query.image) })
      return { ...measured, portrait: measured.portrait && { ...measured.portrait, jpeg: crop } }
    },
    compareFaces: (query) =>
      scripted.compareFaces({
        ...query,
        probe: sceneOf(query.probe),
        reference: sceneOf(query.reference),
      }),
  }
}

async function small(file: string, width: number): Promise<Uint8Array> {
  return sharp(join(SPECIMENS, file)).resize({ width }).jpeg({ quality: JPEG_QUALITY }).toBuffer()
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
