/** Addresses that documents state: evidence of their own, which stands and falls with its source. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import type { AddressData, Evidence } from '../../../server/proofing/evidence.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport } from './scripted-vision.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const HOME: AddressData = {
  streetDetails: { streetLines: ['1 LONG LANE'], verified: false },
  postcode: '32301',
  city: 'ELSEWHERE',
  country: 'UTO',
  verified: false,
}

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
const store = () => client.app.appliance.store

function change(evidenceId: string, to: (evidence: Evidence) => Partial<Evidence>): void {
  const evidence = store().evidences.find(evidenceId) as Evidence
  store().evidences.save({ ...evidence, ...to(evidence) })
}

/** Every consent that is recorded has the identity evaluated again. */
async function consent(id: string, type: string, approved: boolean): Promise<void> {
  await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload: [{ type, approved }] })
  await client.app.runJobs()
}

/** A passport is read without an address: a licence would state one. */
async function withAddress(address: AddressData = HOME) {
  const id = await client.anIdentity()
  const document = await client.document(id, aPassport())
  change(document, ({ content }) => ({
    content: { ...content, document: { ...content.document!, address } },
  }))
  await consent(id, 'ADDRESS', true)
  return { id, document }
}

const addressesOf = async (id: string) => (await client.identity(id)).addresses
const statusOf = async (id: string, index = 0) => (await addressesOf(id)).at(index)?.evidenceStatus

describe('the address that a verified document states', () => {
  test('is evidence that names its source and is worth no more than it', async () => {
    const { id, document } = await withAddress()
    expect(await addressesOf(id)).toMatchObject([
      {
        type: 'ADDRESS',
        referenceIds: [document],
        addressData: HOME,
        evidenceStatus: {
          status: 'VERIFIED',
          strength: 'LEVEL1',
          score: 'LEVEL1',
          errors: [],
          positiveIndicators: ['ADDRESS_DERIVED_OK'],
          unverifiedIndicators: [],
        },
      },
    ])
    const types = client
      .events(id)
      .flatMap(([type, body]) => ('type' in body && body.type === 'ADDRESS' ? [type] : []))
    expect(types.filter((type) => type.startsWith('evidence.'))).toEqual([
      'evidence.submitted',
      'evidence.decided',
    ])
  })

  test('is derived once, however often the identity is evaluated', async () => {
    const { id } = await withAddress()
    const [first] = await addressesOf(id)
    await consent(id, 'PORTRAIT', true)
    await consent(id, 'ADDRESS', true)
    expect(await addressesOf(id)).toEqual([first])
  })

  test('is worth nothing while its document counts for nothing', async () => {
    const { id } = await withAddress()
    for (const type of ['ID_DOCUMENT', 'ADDRESS']) {
      await consent(id, type, false)
      expect(await statusOf(id), type).toMatchObject({
        status: 'NOT_VERIFIED',
        score: 'LEVEL0',
        positiveIndicators: [],
        unverifiedIndicators: ['ADDRESS_DERIVED_UNVERIFIED'],
      })
      await consent(id, type, true)
      expect(await statusOf(id), type).toMatchObject({ status: 'VERIFIED', score: 'LEVEL1' })
    }
    expect(await addressesOf(id)).toHaveLength(1)
  })

  test('follows its source: a lower score, another verdict, another address', async () => {
    const { id, document } = await withAddress()
    change(document, () => ({ score: 'LEVEL0' }))
    await consent(id, 'ADDRESS', true)
    expect(await statusOf(id)).toMatchObject({ status: 'VERIFIED', score: 'LEVEL0' })
    change(document, () => ({ status: 'INVALID' }))
    await consent(id, 'ADDRESS', true)
    expect(await statusOf(id)).toMatchObject({ status: 'NOT_VERIFIED', score: 'LEVEL0' })
    change(document, ({ content }) => ({
      status: 'VERIFIED',
      score: 'LEVEL3',
      content: { ...content, document: { ...content.document!, address: { ...HOME, city: 'NOWHERE' } } },
    }))
    await consent(id, 'ADDRESS', true)
    expect(await addressesOf(id)).toMatchObject([
      { addressData: { city: 'NOWHERE' }, evidenceStatus: { status: 'VERIFIED', score: 'LEVEL1' } },
    ])
  })

  test('goes with its source', async () => {
    const { id, document } = await withAddress()
    change(document, () => ({
      deletedAt: new Date('2026-03-02T10:00:00Z'),
      status: 'NOT_VERIFIED',
      content: {},
    }))
    await consent(id, 'ADDRESS', true)
    expect(await addressesOf(id)).toEqual([])
    expect(client.events(id).map(([type]) => type)).toContain('evidence.deleted')
    const [shell] = store()
      .evidences.list(id)
      .filter(({ family }) => family === 'ADDRESS')
    expect(shell).toMatchObject({ status: 'NOT_VERIFIED', score: 'LEVEL0' })
    expect(shell.content).toEqual({ derived: true })
  })

  test('of a document that is not verified, or that the person refused, is none', async () => {
    const id = await client.anIdentity()
    const document = await client.document(id, aPassport())
    change(document, ({ content }) => ({
      status: 'NOT_VERIFIED',
      content: { ...content, document: { ...content.document!, address: HOME } },
    }))
    await consent(id, 'ADDRESS', true)
    expect(await addressesOf(id)).toEqual([])
    change(document, () => ({ status: 'VERIFIED' }))
    await consent(id, 'ADDRESS', false)
    expect(await addressesOf(id)).toEqual([])
  })

  test('stands in the proof beside its source, by the call that brought that', async () => {
    const { id, document } = await withAddress()
    const [derived] = await addressesOf(id)
    const response = await client.app.call('GET', at(id, 'proof'))
    expect(response.status).toBe(200)
    const archive = extractArchive(new Uint8Array(await response.arrayBuffer())) ?? new Uint8Array()
    const file = readZip(archive).files.find(({ path }) =>
      path.endsWith('verificationAndEvaluationDetails.json'),
    )
    const steps = JSON.parse(Buffer.from(file?.bytes ?? []).toString('utf8')) as readonly {
      readonly participantContextId: string
      readonly processingDetails: { readonly uri: string }
    }[]
    const step = steps.filter(({ participantContextId }) => participantContextId === derived.evidenceId)
    expect(step).toMatchObject([
      {
        identityOperation: { name: 'ATTRIBUTES', type: 'ADD' },
        processingDetails: { uri: at(id, 'id-documents/capture') },
        evidenceDetails: { family: 'ADDRESS', addressReferenceId: document },
        verificationDetails: [],
      },
    ])
  })
})

describe('an address that is said to derive from a document', () => {
  async function submitted(address: object, stated: AddressData = HOME) {
    const { id, document } = await withAddress(stated)
    const payload = { ...address, referenceIds: [document] }
    await client.ask('AddressesAnswer', 'POST', at(id, 'addresses'), { payload })
    await client.app.runJobs()
    return { id, document }
  }
  const RIGHT = {
    streetDetails: { streetLines: ['1 Long Ln.'] },
    postcode: '32301',
    city: 'Elsewhere',
    country: 'UTO',
  }

  test('and is the one that it states is confirmed by it', async () => {
    const { id, document } = await submitted(RIGHT)
    expect((await addressesOf(id)).at(1)).toMatchObject({
      referenceIds: [document],
      evidenceStatus: {
        status: 'VERIFIED',
        score: 'LEVEL1',
        positiveIndicators: expect.arrayContaining(['ADDRESS_MATCH_OK']) as string[],
        unverifiedIndicators: ['ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
      },
    })
  })

  test('and is another one is warned of, with 1131 for each part', async () => {
    const { id } = await submitted({ ...RIGHT, postcode: '32302', city: 'Nowhere' })
    expect(await statusOf(id, 1)).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: [
        { code: '1131', field: 'postcode' },
        { code: '1131', field: 'city' },
      ],
      warningIndicators: ['ADDRESS_MATCH_WARNING'],
    })
  })

  test('is looked at again when the document counts no more, and when it counts again', async () => {
    const { id } = await submitted(RIGHT)
    await consent(id, 'ID_DOCUMENT', false)
    expect(await statusOf(id, 1)).toMatchObject({
      status: 'NOT_VERIFIED',
      unverifiedIndicators: [
        'ADDRESS_MATCH_UNVERIFIED',
        'ADDRESS_SOURCE_UNVERIFIED',
        'SOURCE_CONFIGURATION_UNVERIFIED',
      ],
    })
    await consent(id, 'ID_DOCUMENT', true)
    expect(await statusOf(id, 1)).toMatchObject({ status: 'VERIFIED' })
  })
})
