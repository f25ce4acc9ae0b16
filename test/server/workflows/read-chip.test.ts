/** A reading of a chip by a reader of this machine: its states, what it saves, and documents that are taken away too early. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeDocument, type SimulatedDocument } from '../../../server/tools/simulator/chip/profiles.ts'
import { importTrustFile } from '../../../server/trust/import-file.ts'
import { readTrustFile } from '../../../server/trust/trust-file.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { evidenceOn, uploadOf } from '../../support/bench-evidence.ts'
import { makeChip } from '../../support/chip-documents.ts'
import {
  openSimulatedReaders,
  takenAwayAfter,
  type SimulatedReaders,
} from '../../support/simulated-readers.ts'
import { openWorkflowBench, type WorkflowBench } from '../../support/workflow-bench.ts'

const documents = { eac: makeChip('eac'), eacaa: makeChip('eacaa'), eacpace: makeChip('eacpace') }

let its: WorkflowBench
let readers: SimulatedReaders
let id: string
let documentId: string
const { evidenceOf } = evidenceOn(() => its)

beforeEach(async () => {
  readers = openSimulatedReaders()
  its = await openWorkflowBench({ config: { readers: { enabled: true } }, parts: { chipReaders: readers } })
  id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
  const document = await its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) })
  documentId = document.id
  await its.runJobs()
  its.tick(1000)
})
afterEach(() => its.close())

const trust = (document: SimulatedDocument) =>
  importTrustFile(
    its.ctx.store,
    readTrustFile(document.issued.authority),
    { by: 'Ada', confirmedBy: 'Ben' },
    its.now(),
    { actor: 'operator' },
  )
const begin = () => its.workflows.beginChipReading(its.caller, id, documentId)
const look = () => its.workflows.getChipReading(its.caller, id, documentId)
const reaches = (state: string) =>
  vi.waitFor(async () => expect((await look())?.state).toBe(state), { timeout: 20_000 })
async function readTo(state: string) {
  await reaches(state)
  await its.runJobs()
  return evidenceOf(documentId)
}

test.each(['eac', 'eacpace'] as const)(
  'a genuine chip with chip authentication is read and confirms its document (%s)',
  async (profile) => {
    const document = documents[profile]
    trust(document)
    expect(await begin()).toEqual({ state: 'WAITING', part: 'ACCESS', progress: 0, fault: null })
    readers.place(document.card)
    const { evaluation, strength, content } = await readTo('ENDED')
    expect(evaluation.positiveIndicators).toEqual(
      expect.arrayContaining([
        'NFC_CHIP_ACCESS_OK',
        'NFC_PASSIVE_AUTHENTICATION_OK',
        'NFC_CHIP_AUTHENTICATION_OK',
        'NFC_DATA_MATCH_OK',
      ]),
    )
    expect(strength).toBe('LEVEL5')
    expect(content.chip).toMatchObject({ source: 'READER', protocols: { access: 'successful' } })
  },
)

test('active authentication is named beside chip authentication', async () => {
  trust(documents.eacaa)
  await begin()
  readers.place(documents.eacaa.card)
  const { evaluation } = await readTo('ENDED')
  expect(evaluation.positiveIndicators).toEqual(
    expect.arrayContaining(['NFC_CHIP_AUTHENTICATION_OK', 'NFC_ACTIVE_AUTHENTICATION_OK']),
  )
})

test('a document that is taken away too early is read on when it is back', async () => {
  trust(documents.eacpace)
  await begin()
  readers.place(takenAwayAfter(readers, documents.eacpace.card, 25))
  await reaches('LOST')
  readers.place(documents.eacpace.card)
  const { evaluation } = await readTo('ENDED')
  expect(evaluation.positiveIndicators).toContain('NFC_PASSIVE_AUTHENTICATION_OK')
})

test('a chip that accepts no key of the document is named, and the document counts as before', async () => {
  const other = makeDocument('eac')
  trust(other)
  await begin()
  readers.place(other.card)
  const { evaluation, status, strength } = await readTo('KEY_REFUSED')
  expect(evaluation.unverifiedIndicators).toContain('NFC_CHIP_ACCESS_UNVERIFIED')
  expect([status, strength]).toEqual(['VERIFIED', 'LEVEL4'])
})

test('a chip whose portrait is larger than a proof may hold does not cost the document its verification', async () => {
  const large = makeChip('eac', {}, { padding: 600_000 })
  trust(large)
  await begin()
  readers.place(large.card)
  const { evaluation, status } = await readTo('ENDED')
  expect(status).toBe('VERIFIED')
  expect(evaluation.unverifiedIndicators).toContain('NFC_PASSIVE_AUTHENTICATION_UNVERIFIED')
})

test('a reading that is stopped saves nothing', async () => {
  await begin()
  await its.workflows.stopChipReading(its.caller, id, documentId)
  readers.place(documents.eac.card)
  await its.runJobs()
  expect(await look()).toBeNull()
  expect(evidenceOf(documentId).content.chip).toBeUndefined()
})

test('a reader that fails is named, and the reading continues when it works again', async () => {
  readers.fail('no_daemon')
  await begin()
  await vi.waitFor(async () => expect(await look()).toMatchObject({ state: 'WAITING', fault: 'no_daemon' }))
  readers.fail(null)
  trust(documents.eac)
  readers.place(documents.eac.card)
  await reaches('ENDED')
})

test('a reader that stays at fault is named when the wait is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    readers.fail('no_daemon')
    await begin()
    await vi.advanceTimersByTimeAsync(90_000)
    expect(await look()).toMatchObject({ state: 'FAILED', fault: 'no_daemon' })
  } finally {
    vi.useRealTimers()
  }
})

test('a second call continues the reading that runs, and another identity does not see it', async () => {
  await begin()
  expect((await begin()).state).toBe('WAITING')
  const other = await its.anIdentity('ID_DOCUMENT')
  await expect(its.workflows.getChipReading(its.caller, other, documentId)).rejects.toMatchObject({
    code: 'not_found',
  })
})
