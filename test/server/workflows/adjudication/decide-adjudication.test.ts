/**
 * A decision is signed between a check and the transaction that saves it. After a change it is checked and
 * signed again, so that the stored signature covers the stored state; if the state changes every time, the
 * decision fails.
 */
import { v7 as uuidv7 } from 'uuid'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Evidence } from '../../../../server/proofing/evidence.ts'
import { hashOfRecords, type DecisionStatement } from '../../../../server/proof/verify/decision-statement.ts'
import { startDesk, type Desk, type OpenCase } from '../../app/adjudicators.ts'
import { APPLIANCE } from '../../../../server/store/scope.ts'

let desk: Desk
beforeAll(async () => {
  desk = await startDesk()
})
afterAll(() => desk.app.close())

const store = () => desk.app.appliance.store
/** The originals, before `whileSigning` wraps them. */
let unwatched: ReturnType<typeof store> | null = null
afterEach(() => {
  if (unwatched) Object.assign(store(), unwatched)
  unwatched = null
})

/**
 * `change(n)` is called while the decision is being signed for the nth time: when the records that are signed are read with
 * no transaction open. Returns how often it was.
 */
function whileSigning(evidenceId: string, change: (attempt: number) => void): () => number {
  const own = { ...store() }
  unwatched = own
  let attempts = 0
  let isSaving = false
  const verification = (evidence: Evidence) => {
    const records = own.evidences.verification(evidence)
    if (evidence.id === evidenceId && !isSaving) {
      attempts += 1
      change(attempts)
    }
    return records
  }
  Object.assign(store(), {
    evidences: { ...own.evidences, verification },
    transaction: <T>(work: () => T): T =>
      own.transaction(() => {
        isSaving = true
        try {
          return work()
        } finally {
          isSaving = false
        }
      }),
  })
  return () => attempts
}

const decide = (adjudicationId: string, adjudicator: string, decision: string, reason: string) =>
  desk.app.json('POST', `/v1/adjudications/${adjudicationId}/decision`, {
    payload: { adjudicator, decision, reason },
  })
const signedOf = (adjudicationId: string): DecisionStatement[] =>
  store()
    .adjudicationDecisions.list(adjudicationId)
    .map(({ signature }) => {
      const [, payload = ''] = signature.split('.')
      return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as DecisionStatement
    })
const recordsOf = (evidenceId: string) => {
  const { evidences } = unwatched ?? store()
  return evidences.verification(evidences.find(evidenceId)!)
}
/** The evidence was looked at again, and this is what was found then. */
function findAnew(evidenceId: string): void {
  const evidence = store().evidences.find(evidenceId)!
  store().evidences.save(evidence)
  const [record] = recordsOf(evidenceId)
  store().evidences.addVerification(evidence, uuidv7(), desk.now(), [record])
}
async function claimed(aCase: Promise<OpenCase>): Promise<OpenCase> {
  const found = await aCase
  await desk.claim(found.adjudicationId, 'anna')
  return found
}

describe('a decision about unchanged evidence', () => {
  test("is signed once over the machine's findings", async () => {
    const { evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    const records = recordsOf(evidenceId)
    const attempts = whileSigning(evidenceId, () => undefined)
    expect((await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).status).toBe(200)
    expect(attempts()).toBe(1)
    const [statement] = signedOf(adjudicationId)
    expect(statement?.verificationSha256).toBe(hashOfRecords(records))
  })
})

describe('a decision is looked at and signed again', () => {
  test('if the evidence was verified again meanwhile: the kept signature covers the last findings', async () => {
    const { evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    const attempts = whileSigning(evidenceId, (attempt) => attempt === 1 && findAnew(evidenceId))
    expect((await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).status).toBe(200)
    expect(attempts()).toBe(2)
    const present = recordsOf(evidenceId)
    const statements = signedOf(adjudicationId)
    expect(statements).toHaveLength(1)
    // The last record is that of the decision itself, which came after it was signed.
    expect(statements[0]?.verificationSha256).toBe(hashOfRecords(present.slice(0, -1)))
  })

  test('where the document that a portrait is compared with counts no more', async () => {
    const { evidenceId, documentId, adjudicationId } = (await claimed(desk.aPortraitCase())) as Awaited<
      ReturnType<Desk['aPortraitCase']>
    >
    const attempts = whileSigning(evidenceId, (attempt) => {
      if (attempt > 1) return
      const document = store().evidences.find(documentId)!
      store().evidences.save({ ...document, status: 'INVALID' })
    })
    expect((await decide(adjudicationId, 'anna', 'REJECTED', 'OTHER_PERSON')).status).toBe(200)
    expect(attempts()).toBe(2)
    const [statement] = signedOf(adjudicationId)
    expect(statement).not.toHaveProperty('referenceId')
    // No picture of the document was signed either.
    const shown = store()
      .images.listByEvidence(evidenceId)
      .map(({ id }) => id)
    expect(Object.keys(statement?.images ?? {}).every((id) => shown.includes(id))).toBe(true)
  })

  test('and with the document that it is compared with in its place, where that still counts', async () => {
    const { documentId, adjudicationId } = (await claimed(desk.aPortraitCase())) as Awaited<
      ReturnType<Desk['aPortraitCase']>
    >
    expect((await decide(adjudicationId, 'anna', 'ACCEPTED', 'SAME_PERSON')).status).toBe(200)
    expect(signedOf(adjudicationId)[0]?.referenceId).toBe(documentId)
  })

  test('if another adjudicator has decided meanwhile', async () => {
    const { id, evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    const attempts = whileSigning(evidenceId, (attempt) => {
      if (attempt > 1) return
      const [first] = signedOf(adjudicationId)
      expect(first).toBeUndefined()
      store().adjudicationDecisions.add({
        id: desk.app.appliance.store.applianceId,
        adjudicationId,
        identityId: id,
        decision: {
          decision: 'UNSURE',
          reason: 'SPECIALIST_NEEDED',
          adjudicator: { id: 'bert', kind: 'STAFF' },
          decidedAt: desk.now().toISOString().slice(0, -1),
          signature: 'a.e30.b',
        },
        decidedAt: desk.now(),
      })
    })
    expect((await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).status).toBe(200)
    expect(attempts()).toBe(2)
    expect(store().adjudicationDecisions.list(adjudicationId)).toHaveLength(2)
  })

  test('where its request went another way meanwhile', async () => {
    const { evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    const before = store().adjudications.find(adjudicationId)!
    const attempts = whileSigning(evidenceId, (attempt) => {
      // Given back, though the claim was left: the state alone is another one.
      if (attempt === 1) store().adjudications.save({ ...before, status: 'TO_PROCESS' })
    })
    expect((await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).status).toBe(200)
    expect(attempts()).toBe(2)
  })
})

test('an identity that was paused while the decision was signed continues with it', async () => {
  const { id, evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
  whileSigning(evidenceId, () => {
    const { identities } = store()
    const identity = identities.find(APPLIANCE, id)
    if (identity?.status === 'EXPECTING_INPUT') identities.save({ ...identity, status: 'PAUSED' })
  })
  expect((await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).status).toBe(200)
  expect(store().identities.find(APPLIANCE, id)?.status).toBe('EXPECTING_INPUT')
  expect(desk.events(id).map(([type]) => type)).toContain('identity.resumed')
})

describe('a decision is refused, and nothing is kept of it,', () => {
  const nothingKept = (adjudicationId: string) => {
    expect(store().adjudicationDecisions.list(adjudicationId)).toEqual([])
    expect(store().adjudications.find(adjudicationId)?.status).toBe('PROCESSING')
  }

  test('where the evidence changes under the adjudicator’s hand time and again', async () => {
    const { evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    const attempts = whileSigning(evidenceId, () => findAnew(evidenceId))
    const { status, body } = await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')
    expect({ status, body }).toMatchObject({ status: 409, body: { errors: [{ code: 'revision_conflict' }] } })
    expect(attempts()).toBe(3)
    nothingKept(adjudicationId)
  })

  test.each([
    ['whose claim was taken by another one', 'adjudication_claimed'],
    ['whose evidence was withdrawn', 'not_found'],
  ])('by an adjudicator %s while it was signed', async (_, code) => {
    const { evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    const found = store().adjudications.find(adjudicationId)!
    whileSigning(evidenceId, () => {
      const { claim } = found
      if (code === 'not_found') {
        const evidence = store().evidences.find(evidenceId)!
        store().evidences.save({ ...evidence, deletedAt: desk.now() })
      } else if (claim) {
        const adjudicator = { id: 'bert', kind: 'STAFF' } as const
        store().adjudications.save({ ...found, claim: { ...claim, adjudicator } })
      }
    })
    const { body } = await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')
    expect(body).toMatchObject({ errors: [{ code }] })
    nothingKept(adjudicationId)
  })

  test('where a proof has sealed the identity while it was signed', async () => {
    const { id, evidenceId, adjudicationId } = await claimed(desk.aDocumentCase())
    whileSigning(evidenceId, () => {
      store().identities.save({ ...store().identities.find(APPLIANCE, id)!, status: 'CLOSED' })
    })
    const { body } = await decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')
    expect(body).toMatchObject({ errors: [{ code: 'identity_closed' }] })
    nothingKept(adjudicationId)
  })
})
