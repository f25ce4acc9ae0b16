/** Decisions in the proof: signed, compared with what lies in the archive, and the level derived from it. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listDifferences, verifyDecision } from '../../../server/proof/verify/decision-statement.ts'
import { withMeasurements } from '../../../server/proof/verify/records.ts'
import { openProof, type OpenedProof } from '../../support/opened-proof.ts'
import { startDesk, type Desk } from './adjudicators.ts'
import { picture } from './scripted-vision.ts'

let desk: Desk
beforeAll(async () => {
  const tenant = {
    id: 'default',
    name: 'First run',
    mode: 'test',
    policy: 'default',
    features: { pauseResume: true },
  }
  desk = await startDesk({ tenant })
})
afterAll(() => desk.app.close())

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const jwksOf = async () => (await desk.app.json('GET', '/.well-known/jwks.json', { key: null })).body

/** Returns the archive's content about one evidence: its records, and every picture by its id. */
function foundIn({ details, files }: OpenedProof, evidenceId: string) {
  const records = details
    .filter(({ participantContextId }) => participantContextId === evidenceId)
    .flatMap(withMeasurements)
  const images = new Map(
    [...files].flatMap(([path, bytes]) => {
      const [, id] = /^images\/([0-9a-f-]{36})\./.exec(path) ?? []
      return id === undefined ? [] : [[id, sha256(bytes)] as const]
    }),
  )
  // In addition to the result of the case, with the call that requested it.
  const own = records.filter(({ verificationServices }) =>
    verificationServices.some(({ adjudicationDetails }) => adjudicationDetails?.decisions),
  )
  const stated = own.flatMap(({ verificationServices }) =>
    verificationServices.flatMap(({ adjudicationDetails }) => adjudicationDetails?.decisions ?? []),
  )
  // Every step states all decisions that were made by then.
  const decisions = stated.filter(({ signature }, index) => {
    return stated.findIndex((other) => other.signature === signature) === index
  })
  return { records, images, own, decisions }
}

// @clause NIST-63A-4/3.15.1-record
test('every decision stands in the proof, in order, signed over what lies there; its bytes are the same each time', async () => {
  const { id, evidenceId, documentId, adjudicationId } = await desk.aPortraitCase()
  await desk.decide(adjudicationId, 'anna', 'UNSURE', 'SPECIALIST_NEEDED')
  desk.tick(60_000)
  await desk.decide(adjudicationId, 'ben', 'ACCEPTED', 'SAME_PERSON_AGED')
  // Which also derives the level from the archive alone.
  const proof = await openProof(desk.app, id)
  const { records, images, own, decisions } = foundIn(proof, evidenceId)
  expect(own.map(({ participantState }) => participantState)).toEqual(['ADJUDICATION', 'ACCEPTED'])
  expect(own[1]).toMatchObject({
    verificationId: adjudicationId,
    participantState: 'ACCEPTED',
    raisedIndicators: ['ADJUDICATION_OK'],
    candidateId: evidenceId,
    referenceId: documentId,
  })
  expect(decisions.map(({ adjudicator, decision, reason }) => [adjudicator.id, decision, reason])).toEqual([
    ['anna', 'UNSURE', 'SPECIALIST_NEEDED'],
    ['ben', 'ACCEPTED', 'SAME_PERSON_AGED'],
  ])
  const jwks = await jwksOf()
  for (const { signature, adjudicator, decision, reason, decidedAt } of decisions) {
    const { valid, statement } = verifyDecision(signature, { jwks })
    expect(valid).toBe(true)
    expect(statement).toMatchObject({
      identityId: id,
      evidenceId,
      adjudicationId,
      referenceId: documentId,
      adjudicator,
      decision,
      reason,
      decidedAt,
    })
    if (!statement) continue
    // The portrait and the front of the document: what the API hands out.
    expect(Object.keys(statement.images)).toHaveLength(2)
    expect(listDifferences(statement, { images, records })).toEqual([])
    const [first = ''] = Object.keys(statement.images)
    const swapped = new Map([...images, [first, sha256(Buffer.from('another picture'))]])
    expect(listDifferences(statement, { images: swapped, records })).toEqual([first])
  }
  expect((await openProof(desk.app, id)).archive).toEqual(proof.archive)
})

// @clause NIST-63A-4/3.15.1-record
test('a rejection stands there likewise, and a document that was accepted says what outweighs its failures', async () => {
  const rejected = await desk.aDocumentCase()
  await desk.decide(rejected.adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_COUNTERFEIT')
  const { own } = foundIn(await openProof(desk.app, rejected.id), rejected.evidenceId)
  expect(own).toMatchObject([{ participantState: 'REJECTED', raisedIndicators: ['ADJUDICATION_FAILED'] }])

  const accepted = await desk.aDocumentCase()
  await desk.decide(accepted.adjudicationId, 'anna', 'ACCEPTED', 'WEAR_EXPLAINS_FINDING')
  const { details } = await openProof(desk.app, accepted.id)
  const judged = details
    .findLast(({ participantContextId }) => participantContextId === accepted.evidenceId)
    ?.evaluationDetails?.evidences.at(0) as {
    statusAndScoring: { status: string; indicatorsMitigations: unknown[] }
  }
  expect(judged.statusAndScoring.status).toBe('VERIFIED')
  expect(judged.statusAndScoring.indicatorsMitigations).not.toEqual([])
  for (const mitigation of judged.statusAndScoring.indicatorsMitigations) {
    expect(mitigation).toMatchObject({ mitigatedBy: 'ADJUDICATION_OK' })
  }
})

test('a first decision that awaits a second one stands in a proof that is sealed meanwhile', async () => {
  const { id, evidenceId, adjudicationId } = await desk.aDocumentCase()
  await desk.decide(adjudicationId, 'anna', 'UNSURE', 'SPECIALIST_NEEDED')
  const { own, decisions } = foundIn(await openProof(desk.app, id), evidenceId)
  expect(own).toMatchObject([{ participantState: 'ADJUDICATION', raisedIndicators: [] }])
  expect(decisions).toHaveLength(1)
})

test('the next proof after a resume holds what was decided since, and names the one before', async () => {
  const { id, evidenceId, adjudicationId } = await desk.aDocumentCase()
  const first = await openProof(desk.app, id)
  expect(foundIn(first, evidenceId).decisions).toEqual([])
  await desk.ask('Identity', 'GET', `/v1/identities/${id}/resume`)
  // The proof ended the wait: after the resume a person is asked again.
  expect(await desk.statusOf(adjudicationId)).toBe('TIME_OUT')
  await desk.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
  await desk.decide(await desk.caseOf(id), 'anna', 'REJECTED', 'NO_ORIGINAL_SHOWN')
  const second = await openProof(desk.app, id)
  expect(foundIn(second, evidenceId).decisions).toHaveLength(1)
  expect(second.proof.previousProofId).toBe(first.proof.proofId)
})

describe('what a person read off a picture', () => {
  const VALUES = {
    idDocumentType: 'PASSPORT',
    idDocumentNumber: 'L898902C3',
    issuingCountry: 'UTO',
    personalAttributes: { surname: { value: 'ERIKSSON' }, dateOfBirth: { value: '1974-08-12' } },
  }

  async function aReadDocument() {
    const id = await desk.anIdentity()
    const unread = picture({ shows: 'document', lines: null, face: 'A' })
    const evidenceId = await desk.document(id, unread)
    await desk.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    const adjudicationId = await desk.caseOf(id)
    await desk.claim(adjudicationId, 'anna')
    const payload = {
      adjudicator: 'anna',
      decision: 'ACCEPTED',
      reason: 'DATA_LEGIBLE_TO_EYE',
      values: VALUES,
    }
    const path = `/v1/adjudications/${adjudicationId}/decision`
    expect(await desk.ask('DecisionAnswer', 'POST', path, { payload })).toMatchObject({ status: 'ACCEPTED' })
    return { id, evidenceId }
  }

  test('is part of what the adjudicator signed, and stands in the proof beside the signature', async () => {
    const { id, evidenceId } = await aReadDocument()
    const proof = await openProof(desk.app, id)
    const { decisions, images, records } = foundIn(proof, evidenceId)
    const [{ signature, reading }] = decisions
    expect(reading).toMatchObject({ values: VALUES })
    const { statement } = verifyDecision(signature, { jwks: await jwksOf() })
    expect(statement).toMatchObject({ version: '2', adjudicator: { id: 'anna' } })
    if (!statement || !reading) throw new TypeError('nothing was signed')
    expect(listDifferences(statement, { images, records, reading })).toEqual([])
    const changed = { ...reading, values: { ...reading.values, idDocumentNumber: 'L898902C8' } }
    expect(listDifferences(statement, { images, records, reading: changed })).toEqual(['reading'])
    expect(desk.app.log()).not.toMatch(/ERIKSSON|L898902C3/)
  })
})
