/** Simultaneous operations. Each outcome is independent of the order, or named for both orders. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import {
  documentForm,
  portraitForm,
  startTestApp,
  type CallOptions,
  type TestApp,
} from '../../support/app.ts'
import { contractClient } from '../../support/contract-client.ts'
import { heldVision } from './held-vision.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

let app: TestApp
async function start(vision: Vision = scriptedVision()): Promise<void> {
  app = await startTestApp({ vision })
}
afterEach(() => app.close())

const client = contractClient(() => app)

async function anIdentity(): Promise<string> {
  const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
  const payload = [{ type: 'PORTRAIT', approved: true }]
  await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
  return id
}

const at = (id: string, path: string): string => `/v1/identities/${id}/${path}`
const aPerson = (face = 'A') => ({ body: portraitForm(picture({ shows: 'person', face })) })
const aDocument = (documentNumber = 'L898902C3') => ({ body: documentForm(aPassport({ documentNumber })) })

const submitDocument = (id: string, options: CallOptions = aDocument()) =>
  app.json('POST', at(id, 'id-documents/capture'), options)
const submitPortrait = (id: string, options: CallOptions = aPerson()) =>
  app.json('POST', at(id, 'attributes/portrait/capture'), options)
const identityOf = (id: string) => client.ask('Identity', 'GET', `/v1/identities/${id}`)
const idOf = ({ body }: { body: unknown }): string => (body as { id: string }).id
const statusOf = ({ status }: { status: number }): number => status
const evidencesOf = (id: string) => app.appliance.store.evidences.list(id)

/** Names of the sealed files that lie in the folders of pictures and proofs. */
const files = (folder: 'images' | 'proofs'): readonly string[] => readdirSync(join(app.dataDir, folder))
/** Ends of the jobs that verify. */
const jobEnds = (): readonly string[] =>
  [...app.log().matchAll(/"kind":"verify-evidence"[^\n]*"result":"(\w+)","msg":"a job ended"/g)].map(
    ([, result = '']) => result,
  )

async function archiveOf(response: Response): Promise<Buffer> {
  return Buffer.from(extractArchive(new Uint8Array(await response.arrayBuffer())) ?? [])
}
function shownIn(archive: Buffer): string {
  const file = readZip(archive).files.find(({ path }) => path.endsWith('/identityDetails.json'))
  return Buffer.from(file?.bytes ?? []).toString('utf8')
}

describe('two submissions at the same time', () => {
  test('of documents: both are taken, both are verified, and one of them is the reference', async () => {
    await start()
    const id = await anIdentity()
    const answers = await Promise.all([submitDocument(id), submitDocument(id, aDocument('L898902C4'))])
    expect(answers.map(statusOf)).toEqual([200, 200])
    await app.runJobs()
    const { idDocuments, globalStatus } = await identityOf(id)
    expect(idDocuments.map(({ evidenceStatus }) => evidenceStatus.status)).toEqual(['VERIFIED', 'VERIFIED'])
    expect(answers.map(idOf)).toContain(globalStatus.nameReferenceEvidenceId)
    expect(globalStatus).toMatchObject({ status: 'EXPECTING_INPUT' })
  })

  test('of portraits: the later one counts, and of the earlier one only a shell is left', async () => {
    await start()
    const id = await anIdentity()
    const answers = await Promise.all([submitPortrait(id), submitPortrait(id, aPerson('B'))])
    expect(answers.map(statusOf)).toEqual([200, 200])
    await app.runJobs()
    const [earlier, later] = evidencesOf(id)
    expect((await identityOf(id)).portrait?.evidenceId).toBe(later?.id)
    expect(earlier).toMatchObject({ deletedAt: expect.any(Date) as Date, content: {}, score: 'LEVEL0' })
    expect(files('images')).toHaveLength(1)
  })

  test('of a portrait and the document that it waits for: the portrait is compared, whichever came first', async () => {
    await start()
    const id = await anIdentity()
    await Promise.all([submitPortrait(id), submitDocument(id)])
    await app.runJobs()
    const { portrait, globalStatus } = await identityOf(id)
    expect(portrait?.evidenceStatus.positiveIndicators).toContain('BIOMETRIC_MATCHING_CHECK_OK')
    expect(globalStatus.levelOfAssurance).toBe('LOA1')
  })

  test('of twenty consents: every one is kept, and none is told that another writer came first', async () => {
    await start()
    const id = await anIdentity()
    const payload = [{ type: 'EMAIL', approved: true }]
    const call = () => app.json('POST', at(id, 'consents'), { payload })
    const answers = await Promise.all(Array.from({ length: 20 }, call))
    expect(new Set(answers.map(statusOf))).toEqual(new Set([200]))
    expect((await identityOf(id)).consents).toHaveLength(21)
  })
})

test('of two writers with the same state of an identity the second is refused, and nothing of it is saved', async () => {
  await start()
  const id = await anIdentity()
  const { identities } = app.appliance.store
  const read = identities.find(APPLIANCE, id)
  if (!read) throw new TypeError('no identity')
  identities.save({ ...read, levelOfAssurance: 'LOA1' })
  expect(() => {
    identities.save({ ...read, levelOfAssurance: 'LOA3' })
  }).toThrow('revision_conflict')
  expect(identities.find(APPLIANCE, id)).toMatchObject({
    levelOfAssurance: 'LOA1',
    revision: read.revision + 1,
  })
})

describe('while a portrait is being verified', () => {
  test('its deletion is done at once; what is measured afterwards is thrown away', async () => {
    const held = heldVision('measurePortrait')
    await start(held.vision)
    const id = await anIdentity()
    await submitPortrait(id)
    await held.begun
    expect(statusOf(await app.json('DELETE', at(id, 'attributes/portrait')))).toBe(204)
    expect(await client.refusal('GET', at(id, 'attributes/portrait'))).toMatchObject({ status: 404 })
    expect((await identityOf(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    held.go()
    await app.runJobs()
    expect(jobEnds()).toEqual(['skipped'])
    expect(evidencesOf(id)).toMatchObject([{ content: {}, matchedReferenceId: null }])
    expect(files('images')).toEqual([])
  })

  test('the consent may be taken back: it ends NOT_VERIFIED, and what is measured is thrown away', async () => {
    const held = heldVision('measurePortrait')
    await start(held.vision)
    const id = await anIdentity()
    await submitPortrait(id)
    await held.begun
    const payload = [{ type: 'PORTRAIT', approved: false }]
    await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
    held.go()
    await app.runJobs()
    expect(jobEnds()).toEqual(['skipped'])
    expect((await identityOf(id)).portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      unverifiedIndicators: ['CONSENT_UNVERIFIED'],
      positiveIndicators: [],
    })
  })

  test('another one may be sent: only the new one is verified', async () => {
    const held = heldVision('measurePortrait')
    await start(held.vision)
    const id = await anIdentity()
    await submitPortrait(id)
    await held.begun
    const { id: second } = await client.ask(
      'SingleStatus',
      'POST',
      at(id, 'attributes/portrait/capture'),
      aPerson('B'),
    )
    held.go()
    await app.runJobs()
    expect([...jobEnds()].sort()).toEqual(['done', 'skipped'])
    const { portrait } = await identityOf(id)
    expect(portrait).toMatchObject({ evidenceId: second, portraitQuality: true })
  })
})

describe('the erasure of an identity', () => {
  test.each(['measureDocument', 'inspectImage'] as const)(
    'in the middle of %s leaves nothing behind, and no fault',
    async (call) => {
      const held = heldVision(call)
      await start(held.vision)
      const id = await anIdentity()
      const submitted = submitDocument(id)
      await held.begun
      expect(statusOf(await app.json('DELETE', `/v1/identities/${id}`))).toBe(204)
      held.go()
      // Taken before the erasure, or refused because of it.
      expect(statusOf(await submitted)).toBe(call === 'measureDocument' ? 200 : 404)
      await app.runJobs()
      expect(jobEnds()).toEqual(call === 'measureDocument' ? ['skipped'] : [])
      expect(files('images')).toEqual([])
      expect(app.log()).not.toMatch(/"level":50/)
    },
  )

  test('at the same moment as GET proof: the proof, or 404; afterwards neither proof nor picture is there', async () => {
    await start()
    for (let round = 0; round < 5; round++) {
      const id = await anIdentity()
      await submitDocument(id)
      await app.runJobs()
      const calls = [() => app.call('GET', at(id, 'proof')), () => app.call('DELETE', `/v1/identities/${id}`)]
      // Each of them first in turn.
      const begun = (round % 2 === 0 ? calls : [...calls].reverse()).map((call) => call())
      const [proof, erasure] = await Promise.all(round % 2 === 0 ? begun : [...begun].reverse())
      expect([200, 404]).toContain(proof?.status)
      expect(erasure?.status).toBe(204)
    }
    expect([files('images'), files('proofs')]).toEqual([[], []])
  })
})

describe('GET proof', () => {
  test('twice at the same moment gives one proof: the same bytes to both', async () => {
    await start()
    const id = await anIdentity()
    await submitDocument(id)
    await app.runJobs()
    const answers = await Promise.all([1, 2, 3].map(() => app.call('GET', at(id, 'proof'))))
    expect(answers.map(statusOf)).toEqual([200, 200, 200])
    const [first, ...others] = await Promise.all(answers.map(archiveOf))
    for (const other of others) expect(first && other.equals(first)).toBe(true)
    expect(files('proofs')).toHaveLength(1)
  })

  test('while a picture that was sent before is still being looked at: the proof closes the identity, and the picture is refused', async () => {
    const held = heldVision('inspectImage')
    await start(held.vision)
    const id = await anIdentity()
    const submitted = submitDocument(id)
    await held.begun
    expect((await app.call('GET', at(id, 'proof'))).status).toBe(200)
    held.go()
    const { status, body } = await submitted
    expect([status, (body as { type: string }).type]).toEqual([
      403,
      'urn:counterproof:problem:identity_closed',
    ])
    expect(files('images')).toEqual([])
  })

  test('while a document comes in is 403: nothing is sealed without what was taken meanwhile', async () => {
    const held = heldVision('measureDocument')
    await start(held.vision)
    const id = await anIdentity()
    const writing = holdWriting()
    const proof = client.refusal('GET', at(id, 'proof'))
    await writing.begun
    const submitted = await submitDocument(id)
    writing.go()
    expect(await proof).toMatchObject({ status: 403, code: 'identity_processing' })
    expect(files('proofs')).toEqual([])

    held.go()
    await app.runJobs()
    const later = await app.call('GET', at(id, 'proof'))
    expect(shownIn(await archiveOf(later))).toContain(idOf(submitted))
  })

  test('while a consent comes in is the proof with that consent', async () => {
    await start()
    const id = await anIdentity()
    const writing = holdWriting()
    const proof = app.call('GET', at(id, 'proof'))
    await writing.begun
    const payload = [{ type: 'MOBILE', approved: true }]
    const [consent] = await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
    writing.go()
    expect(shownIn(await archiveOf(await proof))).toContain(consent?.consentId)
    expect(files('proofs')).toHaveLength(1)
  })

  test('while a picture that it would hold is deleted is the proof without that picture', async () => {
    await start()
    const id = await anIdentity()
    await submitPortrait(id)
    await app.runJobs()
    const writing = holdWriting()
    const proof = app.call('GET', at(id, 'proof'))
    await writing.begun
    expect((await app.call('DELETE', at(id, 'attributes/portrait'))).status).toBe(204)
    writing.go()
    const answer = await proof
    expect(answer.status).toBe(200)
    const { files: packed } = readZip(await archiveOf(answer))
    expect(packed.map(({ path }) => path.split('/')[1])).toEqual([
      'identityDetails.json',
      'proof.json',
      'verificationAndEvaluationDetails.json',
    ])
    expect(files('proofs')).toHaveLength(1)
  })

  test('while the identity is erased is 404, and nothing of it is left', async () => {
    await start()
    const id = await anIdentity()
    await submitPortrait(id)
    await app.runJobs()
    const writing = holdWriting()
    const proof = app.call('GET', at(id, 'proof'))
    await writing.begun
    expect((await app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    writing.go()
    expect((await proof).status).toBe(404)
    expect([files('images'), files('proofs')]).toEqual([[], []])
  })
})

/** The first archive that is written waits, as on a slow disk; it is written by the real store all the same. */
function holdWriting() {
  const begun = Promise.withResolvers<undefined>()
  const gate = Promise.withResolvers<undefined>()
  const { proofs } = app.appliance.store
  const put = proofs.put.bind(proofs)
  const spy = vi.spyOn(proofs, 'put').mockImplementationOnce(async (...input) => {
    begun.resolve(undefined)
    await gate.promise
    return put(...input)
  })
  return {
    begun: begun.promise,
    go: () => {
      gate.resolve(undefined)
      spy.mockRestore()
    },
  }
}
