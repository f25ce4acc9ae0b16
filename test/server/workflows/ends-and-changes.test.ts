/**
 * Ends and changes of an identity's content: erasure, retention, files, withdrawn consents, adjudications,
 * pauses, another policy, and evidence that changes during a verification.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { evaluateIdentity } from '../../../server/workflows/identity/evaluate-identity.ts'
import { beginErasure, finishErasure } from '../../../server/workflows/retention/erase-identity.ts'
import { openSigner } from '../../../server/workflows/proof/open-signer.ts'
import { applyRetention } from '../../../server/workflows/retention/apply-retention.ts'
import { closeWithoutVerdict, verifyEvidence } from '../../../server/workflows/evidence/verify-evidence.ts'
import { HARD_TO_READ, visionInDoubt } from '../app/adjudicators.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { evidenceOn, FACE, uploadOf } from '../../support/bench-evidence.ts'
import { openWorkflowBench, type WorkflowBench } from '../../support/workflow-bench.ts'

const HOUR_MS = 3_600_000

let its: WorkflowBench
beforeEach(async () => {
  its = await openWorkflowBench({
    vision: visionInDoubt(),
    config: { tenant: { features: { adjudication: true, pauseResume: true } } },
  })
})
afterEach(() => its.close())

const store = () => its.ctx.store
const identityOf = (id: string) => store().identities.get(APPLIANCE, id)
const { evidenceOf, aDocument, aPortrait } = evidenceOn(() => its)
const aPerson = () => its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
const warned = () => its.logged.filter(([level]) => level !== 'info')
function join(): void {
  store().enrolments.begin({ centralUrl: 'https://centre.example', publicJwk: {}, privateJwk: {} }, its.now())
  const trust = { centreId: 'centre' } as never
  store().enrolments.complete({ certificate: 'PEM', tenantId: 'branch', trust, enrolledAt: its.now() })
}

describe('an erasure', () => {
  test('takes rows, files and the key, is told with its author, and leaves a receipt', async () => {
    const id = await aPerson()
    const document = await aDocument(id)
    const [image] = store().images.listByEvidence(document)
    await its.workflows.eraseIdentity(its.caller, id)
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
    expect(store().vault.has(id)).toBe(false)
    expect(store().evidences.find(document)).toBeNull()
    expect(() => store().images.read(image)).toThrow()
    const actor = `RELYING_SERVICE:${its.t.applicationId}`
    expect(its.events('erasure.', 'identity.erased')).toEqual([
      { type: 'erasure.begun', body: {}, actor },
      { type: 'identity.erased', body: {}, actor },
    ])
    const receipt = await its.workflows.getDeletionReceipt(its.caller, id)
    expect(receipt).toMatchObject({ identityId: id, erasedAt: '2026-03-01T10:00:00.000', reason: 'DELETE' })
    const said = JSON.parse(Buffer.from(receipt.receipt.split('.')[1] ?? '', 'base64url').toString()) as {
      destroyed: { rows: Record<string, number>; files: number }
    }
    expect(said).toMatchObject({
      applianceId: store().applianceId,
      tenantId: 'tenant',
      identityId: id,
      reason: 'DELETE',
      begunAt: '2026-03-01T10:00:00.000',
      erasedAt: '2026-03-01T10:00:00.000',
      time: { source: 'SYSTEM' },
      destroyed: { dataKey: true, files: 2 },
    })
    expect(said).not.toHaveProperty('proofId')
    expect(said.destroyed.rows).toMatchObject({ identities: 1, evidences: 1 })
    expect(its.woken.sync).toBe(0)
    expect(warned()).toEqual([])
  })

  test('of a sealed one names its proof, and withdraws what the central service has not taken yet', async () => {
    join()
    const id = await its.anIdentity()
    await its.workflows.sealProof(its.caller, id)
    const proof = store().proofs.find(id)
    const [entry] = store().outbox.listByIdentity(id)
    const woken = its.woken.sync
    await its.workflows.eraseIdentity(its.caller, id)
    expect(its.woken.sync).toBe(woken + 1)
    expect(store().outbox.find(entry.sequence)?.state).toBe('WITHDRAWN')
    expect(its.events('outbox.withdrawn')).toMatchObject([
      { body: { sequence: entry.sequence, proofId: proof?.id } },
    ])
    const { receipt } = await its.workflows.getDeletionReceipt(its.caller, id)
    const said: unknown = JSON.parse(Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString())
    expect(said).toMatchObject({ proofId: proof?.id, proofSha256: proof?.sha256 })
  })

  test('leaves what the central service has taken already as it is', async () => {
    join()
    const id = await its.anIdentity()
    await its.workflows.sealProof(its.caller, id)
    const [{ sequence }] = store().outbox.listByIdentity(id)
    store().outbox.acknowledge(sequence, 'a.b.c', its.now())
    const woken = its.woken.sync
    await its.workflows.eraseIdentity(its.caller, id)
    expect(store().outbox.find(sequence)?.state).toBe('ACKNOWLEDGED')
    expect(its.events('outbox.withdrawn', 'outbox.lost')).toEqual([])
    expect(its.woken.sync).toBe(woken)
  })

  test('of a lost key reports its unsent proof as lost, and not as withdrawn', async () => {
    join()
    const id = await its.anIdentity()
    await its.workflows.sealProof(its.caller, id)
    const [{ sequence, proofId }] = store().outbox.listByIdentity(id)
    store().transaction(() => beginErasure(its.ctx, identityOf(id), 'LOST', 'operator'))
    expect(store().outbox.find(sequence)?.state).toBe('LOST')
    expect(its.events('outbox.')).toMatchObject([
      { type: 'outbox.queued' },
      { type: 'outbox.lost', body: { sequence, proofId }, actor: 'operator' },
    ])
  })

  test('is begun once, and carried on by who asks again', async () => {
    const id = await its.anIdentity()
    const { vault } = store()
    const destroy = vault.destroy.bind(vault)
    let fails = true
    Object.assign(vault, {
      destroy: (which: string) => {
        if (fails) throw new Error('another process reads the file')
        destroy(which)
      },
    })
    await expect(its.workflows.eraseIdentity(its.caller, id)).rejects.toMatchObject({
      code: 'erasure_under_way',
    })
    expect(warned()).toMatchObject([
      ['warn', { identityId: id, class: 'Error' }, 'a data key will be destroyed later'],
    ])
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
    await expect(its.workflows.getDeletionReceipt(its.caller, id)).rejects.toMatchObject({
      code: 'not_found',
      details: { resource: 'deletion receipt' },
    })
    fails = false
    await its.workflows.eraseIdentity(its.caller, id)
    expect(its.events('erasure.begun')).toHaveLength(1)
    expect(its.events('identity.erased')).toHaveLength(1)
    await finishErasure(its.ctx, id)
    expect(its.events('identity.erased')).toHaveLength(1)
  })

  test('whose rows cannot be deleted now is completed by its job a minute later, and the request succeeds', async () => {
    const id = await its.anIdentity()
    const { erasures } = store()
    const end = erasures.end.bind(erasures)
    let fails = true
    Object.assign(erasures, {
      end: (...given: Parameters<typeof end>) => {
        if (fails) throw new Error('the disk is full')
        end(...given)
      },
    })
    await its.workflows.eraseIdentity(its.caller, id)
    expect(warned()).toMatchObject([
      ['warn', { identityId: id, class: 'Error' }, 'an erasure will be continued later'],
    ])
    fails = false
    its.tick(59_999)
    await its.runJobs()
    expect(store().erasures.find(APPLIANCE, id)?.erasedAt).toBeNull()
    its.tick(1)
    await its.runJobs()
    expect(store().erasures.find(APPLIANCE, id)?.erasedAt).toEqual(its.now())
  })

  test('counts again what has changed while its receipt was signed', async () => {
    const id = await aPerson()
    let changes = 1
    const sign = its.ctx.signer.sign.bind(its.ctx.signer)
    Object.assign(its.ctx.signer, {
      sign: async (bytes: Uint8Array) => {
        if (changes-- > 0)
          store().deadlines.set({ kind: 'otp', subjectId: id, identityId: id, dueAt: its.now() })
        return sign(bytes)
      },
    })
    await its.workflows.eraseIdentity(its.caller, id)
    expect(store().erasures.find(APPLIANCE, id)?.erasedAt).toEqual(its.now())
    expect(store().deadlines.find('otp', id)).toBeNull()
  })

  test('ends the tokens of the identity, and is not done under a legal hold or by a stranger', async () => {
    const { keyIds } = store().apiKeys.createPair('tenant', 'test', its.now())
    const keyed = { ...its.caller, keyId: keyIds[0] }
    const id = await its.anIdentity()
    const { token } = await its.workflows.issueUserAgentToken(keyed, id, {})
    await its.workflows.placeLegalHold(its.caller, id, { reference: 'case 7' })
    await expect(its.workflows.eraseIdentity(its.caller, id)).rejects.toMatchObject({ code: 'legal_hold' })
    await its.workflows.liftLegalHold(its.caller, id)
    const stranger = { ...its.caller, applicationId: 'another' }
    await expect(its.workflows.eraseIdentity(stranger, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(store().userAgentTokens.authenticate(token, its.now())?.identityId).toBe(id)
    await its.workflows.eraseIdentity(its.caller, id)
    expect(store().userAgentTokens.authenticate(token, its.now())).toBeNull()
    expect(its.events('token.issued')).toHaveLength(1)
  })
})

describe('retention', () => {
  const look = (identityId: string) => store().transaction(() => applyRetention(its.ctx, { identityId }))
  const due = (id: string) => store().deadlines.find('retention', id)?.getTime()

  test('erases what was left alone for the hours of the policy, and says that it had expired', async () => {
    const id = await its.anIdentity()
    its.tick(its.ctx.config.retention.abandonedHours * HOUR_MS)
    look(id)
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
    expect(its.events('identity.expired', 'erasure.begun')).toEqual([
      { type: 'identity.expired', body: {}, actor: 'appliance' },
      { type: 'erasure.begun', body: {}, actor: 'appliance' },
    ])
  })

  test('erases a retrieved proof after its window without an expiry event', async () => {
    const id = await its.anIdentity()
    const proof = await its.workflows.sealProof(its.caller, id)
    for await (const piece of proof.open()) expect(piece.byteLength).toBeGreaterThan(0)
    expect(due(id)).toBe(its.now().getTime() + 24 * HOUR_MS)
    its.tick(24 * HOUR_MS)
    look(id)
    expect(store().erasures.find(APPLIANCE, id)).toMatchObject({ reason: 'RETENTION', actor: 'appliance' })
    expect(its.events('identity.expired')).toEqual([])
  })

  test('waits for the central service that the kiosk has joined', async () => {
    join()
    const id = await its.anIdentity()
    const proof = await its.workflows.sealProof(its.caller, id)
    for await (const piece of proof.open()) expect(piece.byteLength).toBeGreaterThan(0)
    its.tick(25 * HOUR_MS)
    look(id)
    expect(store().identities.find(APPLIANCE, id)).not.toBeNull()
    const [{ sequence }] = store().outbox.listByIdentity(id)
    store().outbox.acknowledge(sequence, 'a.b.c', its.now())
    look(id)
    // After the acknowledgement it stays only for its window.
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
  })

  test('lifts a hold that is over, and looks again where one is in force', async () => {
    const id = await its.anIdentity()
    const until = new Date(its.now().getTime() + HOUR_MS).toISOString()
    await its.workflows.placeLegalHold(its.caller, id, { reference: 'case 7', until })
    look(id)
    expect(its.events('hold.lifted')).toEqual([])
    expect(due(id)).toBe(its.now().getTime() + HOUR_MS)
    its.tick(HOUR_MS)
    look(id)
    expect(its.events('hold.lifted')).toEqual([{ type: 'hold.lifted', body: {}, actor: 'appliance' }])
    expect(store().legalHolds.find(id)).toBeNull()
  })

  test('looks again after a minute at the earliest and an hour at the latest while the time is uncertain', async () => {
    const id = await its.anIdentity()
    its.tick(its.ctx.config.retention.abandonedHours * HOUR_MS)
    const surely = (agoMs: number) => its.doubt({ earliest: new Date(its.now().getTime() - agoMs) })
    // A clock that was set far ahead: the identity is kept.
    surely(48 * HOUR_MS)
    look(id)
    expect(due(id)).toBe(its.now().getTime() + HOUR_MS)
    surely(10_000)
    look(id)
    expect(due(id)).toBe(its.now().getTime() + 60_000)
    surely(30 * 60_000)
    look(id)
    expect(due(id)).toBe(its.now().getTime() + 30 * 60_000)
    expect(store().identities.find(APPLIANCE, id)).not.toBeNull()
  })

  test('is of no identity that is gone, and of none where nothing is ever abandoned', async () => {
    const gone = await its.anIdentity()
    await its.workflows.eraseIdentity(its.caller, gone)
    look(gone)
    Object.assign(its.ctx.config.retention, { abandonedHours: 0 })
    const id = await its.anIdentity()
    expect(due(id)).toBeUndefined()
  })

  test('counts the window from when the log says that it was sealed and fetched, whatever the clock said then', async () => {
    const id = await its.anIdentity()
    const { open } = await its.workflows
      .sealProof(its.caller, id)
      .then((proof) => ({ open: () => proof.open() }))
    its.tick(HOUR_MS)
    for await (const piece of open()) expect(piece.byteLength).toBeGreaterThan(0)
    its.tick(23 * HOUR_MS)
    look(id)
    expect(due(id)).toBe(its.now().getTime() + HOUR_MS)
    its.tick(HOUR_MS)
    look(id)
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
  })
})

describe('consents', () => {
  const take = (
    id: string,
    ...consents: readonly { type: 'PORTRAIT' | 'ID_DOCUMENT'; approved: boolean }[]
  ) => its.workflows.recordConsents(its.caller, id, consents)

  test('are kept with their validity, told one by one, and wake the jobs', async () => {
    const id = await its.anIdentity()
    const woken = its.woken.jobs
    const answered = await its.workflows.recordConsents(its.caller, id, [
      { type: 'PORTRAIT', approved: true, validityPeriod: { from: '2026-01-01', to: '2026-12-31' } },
      { type: 'ID_DOCUMENT', approved: true },
    ])
    expect(answered).toHaveLength(2)
    expect(store().consents.list(id)).toMatchObject([
      { type: 'PORTRAIT', validFrom: '2026-01-01', validTo: '2026-12-31', recordedAt: its.now() },
      { type: 'ID_DOCUMENT', validFrom: null, validTo: null },
    ])
    expect(its.events('consent.recorded').map(({ body }) => body)).toMatchObject([
      { type: 'PORTRAIT', approved: true },
      { type: 'ID_DOCUMENT', approved: true },
    ])
    expect(its.woken.jobs).toBe(woken + 1)
  })

  test('taken back end what was examined by them: adjudication, template, verification', async () => {
    const id = await aPerson()
    const document = await aDocument(id, HARD_TO_READ)
    await its.workflows.requestAdjudication(its.caller, id, document)
    const { id: portrait } = await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    await take(id, { type: 'ID_DOCUMENT', approved: false })
    expect(store().adjudications.latest(document)).toMatchObject({
      status: 'TIME_OUT',
      reason: 'CONSENT_WITHDRAWN',
      respondedAt: its.now(),
      claim: null,
    })
    const [ended] = store()
      .events.after(0, 1000)
      .filter(({ type }) => type === 'adjudication.ended')
    expect(ended.reason).toBe('CONSENT_WITHDRAWN')
    expect(evidenceOf(document).status).toBe('NOT_VERIFIED')
    expect(evidenceOf(portrait).status).toBe('PROCESSING')
    await take(id, { type: 'PORTRAIT', approved: false })
    expect(evidenceOf(portrait).status).toBe('NOT_VERIFIED')
    await its.runJobs()
    expect(evidenceOf(portrait).status).toBe('NOT_VERIFIED')
  })

  test('are taken back in a pause too, and given only to what is open and in time', async () => {
    const id = await its.anIdentity('PORTRAIT')
    store().transaction(() => store().identities.save({ ...identityOf(id), status: 'PAUSED' }))
    await take(id, { type: 'PORTRAIT', approved: false })
    await expect(take(id, { type: 'PORTRAIT', approved: true })).rejects.toMatchObject({
      code: 'identity_paused',
    })
    await expect(
      take(id, { type: 'PORTRAIT', approved: false }, { type: 'ID_DOCUMENT', approved: true }),
    ).rejects.toMatchObject({ code: 'identity_paused' })
    const expired = await its.anIdentity('PORTRAIT')
    store().deadlines.clear('transaction', expired)
    store().transaction(() => store().events.append('identity.expired', expired, {}, its.now()))
    await expect(take(expired, { type: 'ID_DOCUMENT', approved: true })).rejects.toMatchObject({
      code: 'identity_expired',
    })
    await take(expired, { type: 'PORTRAIT', approved: false })
    const closed = await its.anIdentity('PORTRAIT')
    await its.workflows.sealProof(its.caller, closed)
    await expect(take(closed, { type: 'PORTRAIT', approved: false })).rejects.toMatchObject({
      code: 'identity_closed',
    })
  })
})

describe('a question to a person', () => {
  async function asked(): Promise<{ id: string; evidenceId: string; adjudicationId: string }> {
    const id = await aPerson()
    const evidenceId = await aDocument(id, HARD_TO_READ)
    await its.workflows.requestAdjudication(its.caller, id, evidenceId)
    return { id, evidenceId, adjudicationId: store().adjudications.latest(evidenceId)?.id ?? '' }
  }

  test('is opened once, waits for its configured hours, and then ends', async () => {
    const { id, evidenceId, adjudicationId } = await asked()
    expect(evidenceOf(evidenceId).status).toBe('ADJUDICATION')
    const again = await its.workflows.requestAdjudication(its.caller, id, evidenceId)
    expect(again).toMatchObject({
      evidenceId,
      status: 'TO_PROCESS',
      requestDateTime: '2026-03-01T10:00:00.000',
    })
    expect(its.events('adjudication.requested')).toHaveLength(1)
    const hours = its.ctx.config.lifetimes.adjudicationHours
    expect(store().deadlines.find('adjudication', adjudicationId)?.getTime()).toBe(
      its.now().getTime() + hours * HOUR_MS,
    )
    its.tick(hours * HOUR_MS)
    await its.runJobs()
    expect(store().adjudications.latest(evidenceId)).toMatchObject({ status: 'TIME_OUT', reason: null })
    expect(evidenceOf(evidenceId).status).toBe('NOT_VERIFIED')
    expect(its.events('adjudication.ended')).toMatchObject([
      { body: { evidenceId, adjudicationId, status: 'TIME_OUT' }, actor: 'appliance' },
    ])
    expect(await its.workflows.getAdjudication(its.caller, id, evidenceId)).toMatchObject({
      status: 'TIME_OUT',
      responseDateTime: expect.any(String) as string,
    })
  })

  test('is about what is there, and about what the machine could not decide', async () => {
    const id = await aPerson()
    const verified = await aDocument(id)
    await expect(its.workflows.requestAdjudication(its.caller, id, verified)).rejects.toMatchObject({
      code: 'transition_refused',
      details: { from: 'VERIFIED', to: 'ADJUDICATION' },
    })
    await expect(its.workflows.getAdjudication(its.caller, id, verified)).rejects.toMatchObject({
      details: { resource: 'adjudication' },
    })
    Object.assign(its.ctx.config.tenant.features, { adjudication: false })
    await expect(its.workflows.requestAdjudication(its.caller, id, verified)).rejects.toMatchObject({
      code: 'feature_disabled',
      details: { feature: 'adjudication' },
    })
  })

  test('is listed by its state, and not of what was withdrawn', async () => {
    const { id, evidenceId } = await asked()
    const list = async (status?: 'TO_PROCESS' | 'ACCEPTED') =>
      (await its.workflows.listAdjudications(its.caller, id, status)).map((each) => each.evidenceId)
    expect(await list()).toEqual([evidenceId])
    expect(await list('TO_PROCESS')).toEqual([evidenceId])
    expect(await list('ACCEPTED')).toEqual([])
    store().transaction(() => store().evidences.save({ ...evidenceOf(evidenceId), deletedAt: its.now() }))
    expect(await list()).toEqual([])
  })

  test('pauses an identity whose time is over, until it is resumed', async () => {
    const { id, evidenceId } = await asked()
    store().deadlines.set({ kind: 'transaction', subjectId: id, identityId: id, dueAt: its.now() })
    await its.runJobs()
    expect(identityOf(id).status).toBe('PAUSED')
    expect(its.events('identity.paused')).toEqual([
      { type: 'identity.paused', body: { status: 'PAUSED' }, actor: 'appliance' },
    ])
    await its.workflows.resumeIdentity(its.caller, id, { detailed: false })
    expect(identityOf(id).status).not.toBe('PAUSED')
    expect(its.events('identity.resumed')).toHaveLength(1)
    expect(evidenceOf(evidenceId).status).toBe('ADJUDICATION')
    await its.workflows.resumeIdentity(its.caller, id, { detailed: false })
    expect(its.events('identity.resumed')).toHaveLength(1)
  })
})

describe('the end of an identity’s time', () => {
  const over = async (id: string) => {
    store().deadlines.set({ kind: 'transaction', subjectId: id, identityId: id, dueAt: its.now() })
    await its.runJobs()
  }
  const atExpiry = (what: 'keep' | 'erase' | 'end-open') =>
    Object.assign(its.ctx.config.lifetimes, { atExpiry: what })

  test('keeps it where the policy says so', async () => {
    atExpiry('keep')
    const id = await its.anIdentity()
    await over(id)
    expect(identityOf(id).status).toBe('EXPECTING_INPUT')
    expect(its.events('identity.expired')).toEqual([])
  })

  test('erases it, unless it must be kept', async () => {
    atExpiry('erase')
    const [id, held] = [await its.anIdentity(), await its.anIdentity()]
    await its.workflows.placeLegalHold(its.caller, held, { reference: 'case 7' })
    await over(id)
    await over(held)
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
    expect(store().identities.find(APPLIANCE, held)).not.toBeNull()
    const expired = store()
      .events.after(0, 1000)
      .filter(({ type }) => type === 'identity.expired')
    expect(expired.map(({ identityId, reason }) => [identityId, reason])).toEqual([[id, 'TIME_OUT']])
    expect(store().erasures.find(APPLIANCE, id)?.reason).toBe('ABANDONED')
  })

  test('ends what is open in it, and lets it be sealed as it is', async () => {
    atExpiry('end-open')
    Object.assign(its.ctx.config.tenant.features, { pauseResume: false })
    const id = await aPerson()
    const document = await aDocument(id, HARD_TO_READ)
    await its.workflows.requestAdjudication(its.caller, id, document)
    const session = await its.workflows.openPortraitSession(its.caller, id, { mode: 'webSDK' })
    await over(id)
    expect(evidenceOf(document).status).toBe('NOT_VERIFIED')
    expect(store().captureSessions.find(session.sessionId)?.state).toBe('EXPIRED')
    expect(its.events('identity.expired')).toHaveLength(1)
    await expect(
      its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) }),
    ).rejects.toMatchObject({
      code: 'identity_expired',
    })
    expect((await its.workflows.sealProof(its.caller, id)).size).toBeGreaterThan(0)
    await over(id)
    expect(its.events('identity.expired')).toHaveLength(1)
  })
})

describe('an additional file', () => {
  const add = (
    id: string,
    bytes: Uint8Array = Buffer.from('text'),
    metadata: { key: string; value: string }[] = [],
  ) => its.workflows.addAdditionalFile(its.caller, id, { bytes }, metadata)

  test('is stored with its description, listed, read and removed', async () => {
    const id = await its.anIdentity()
    const { id: fileId, status } = await add(id, Buffer.from('text'), [{ key: 'KIND', value: 'letter' }])
    expect(status).toBe('STORED')
    const bare = await add(id)
    const read = await its.workflows.getAdditionalFile(its.caller, id, fileId)
    expect(Buffer.from(read.bytes).toString()).toBe('text')
    expect(read.metadata).toEqual([{ key: 'KIND', value: 'letter' }])
    expect((await its.workflows.getAdditionalFile(its.caller, id, bare.id)).metadata).toEqual([])
    expect(JSON.stringify(await its.workflows.listAdditionalFiles(its.caller, id))).toContain(fileId)
    await its.workflows.deleteAdditionalFile(its.caller, id, fileId)
    for (const gone of [fileId, id]) {
      await expect(its.workflows.getAdditionalFile(its.caller, id, gone)).rejects.toMatchObject({
        details: { resource: 'file' },
      })
    }
    await expect(its.workflows.deleteAdditionalFile(its.caller, id, fileId)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(its.events('file.')).toMatchObject([
      { type: 'file.added', body: { fileId } },
      { type: 'file.added', body: { fileId: bare.id } },
      { type: 'file.deleted', body: { fileId } },
    ])
  })

  test('has content, and room: twenty files at most', async () => {
    const id = await its.anIdentity()
    await expect(add(id, Buffer.alloc(0))).rejects.toMatchObject({
      problems: [{ code: 'empty', field: 'File' }],
    })
    const files = async () => store().images.listFiles(id).length
    let refusal: unknown = null
    while (refusal === null && (await files()) < 200)
      refusal = await add(id).then(
        () => null,
        (error: unknown) => error,
      )
    expect(refusal).toMatchObject({ problems: [{ code: 'too_many', field: 'File' }] })
    const most = await files()
    expect((refusal as AppError).problems[0]?.message).toBe(
      `an identity has at most ${most} additional files`,
    )
  })

  test('at the creation is what it says it is, and of a kind that is taken', async () => {
    const create = (bytes: Uint8Array, declaredType?: string) =>
      its.workflows.createIdentity(its.caller, {
        context: [],
        file: { bytes, ...(declaredType ? { declaredType } : {}) },
      })
    const pdf = Buffer.from('%PDF-1.7\n')
    const { id } = await create(pdf, 'application/pdf')
    expect(store().images.listFiles(id)).toHaveLength(1)
    await create(pdf)
    await expect(create(pdf, 'image/png')).rejects.toMatchObject({
      problems: [{ code: 'type_mismatch', field: 'file' }],
    })
    await expect(create(Buffer.from([1, 2, 3]))).rejects.toMatchObject({
      code: 'unsupported_image',
      problems: [{ code: 'unsupported_format', field: 'file' }],
    })
    await expect(create(Buffer.alloc(0))).rejects.toMatchObject({ problems: [{ field: 'file' }] })
  })
})

describe('another policy', () => {
  const withVersion = (version: string, change: (policy: Policy) => Policy = (policy) => policy) => {
    const policy = change({ ...its.ctx.policy('tenant'), version })
    its.ctx.usePolicies(new Map([[policy.id, policy]]))
    return policy
  }

  test('scores all scored evidence again, documents first, and is named in the score rules and the assessment', async () => {
    const id = await aPerson()
    const document = await aDocument(id)
    const portrait = await aPortrait(id)
    expect(evidenceOf(portrait).score).toBe(evidenceOf(document).score)
    const before = { document: evidenceOf(document), portrait: evidenceOf(portrait) }
    // The same version again: nothing is scored again.
    store().transaction(() => store().evidences.save({ ...evidenceOf(document), score: 'LEVEL1' }))
    store().transaction(() => evaluateIdentity(its.ctx, id))
    expect(evidenceOf(document).score).toBe('LEVEL1')
    const { id: policyId } = withVersion('99')
    store().transaction(() => evaluateIdentity(its.ctx, id))
    expect(evidenceOf(document)).toMatchObject({
      score: before.document.score,
      strength: before.document.strength,
    })
    expect(evidenceOf(portrait).score).toBe(before.portrait.score)
    expect(evidenceOf(document).evaluation.scoreRule).toContain(`${policyId}/99`)
    expect(evidenceOf(portrait).evaluation.scoreRule).toContain(`${policyId}/99`)
    expect(identityOf(id).assessment?.policy).toEqual({ id: policyId, version: '99' })
  })

  test('leaves what is not decided, or was withdrawn', async () => {
    const id = await aPerson()
    await aDocument(id)
    const portrait = await aPortrait(id)
    await its.workflows.deletePortrait(its.caller, id)
    const { id: open } = await its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) })
    const rules = [portrait, open].map((each) => evidenceOf(each).evaluation.scoreRule)
    withVersion('99')
    store().transaction(() => evaluateIdentity(its.ctx, id))
    expect([portrait, open].map((each) => evidenceOf(each).evaluation.scoreRule)).toEqual(rules)
  })
})

describe('an evidence', () => {
  test('that was deleted or decided, or whose identity was erased, is not verified', async () => {
    const id = await aPerson()
    const document = await aDocument(id)
    expect(await verifyEvidence(its.ctx, id, document)).toBe('skipped')
    const { id: open } = await its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) })
    store().transaction(() => store().evidences.save({ ...evidenceOf(open), deletedAt: its.now() }))
    expect(await verifyEvidence(its.ctx, id, open)).toBe('skipped')
    expect(await verifyEvidence(its.ctx, id, id)).toBe('skipped')
    const { id: last } = await its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) })
    await its.workflows.eraseIdentity(its.caller, id)
    expect(await verifyEvidence(its.ctx, id, last)).toBe('skipped')
  })

  test('that was withdrawn while it was looked at stays withdrawn', async () => {
    const id = await aPerson()
    const { id: portrait } = await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    const run = its.ctx.verification.run.bind(its.ctx.verification)
    Object.assign(its.ctx.verification, {
      run: async (...given: Parameters<typeof run>) => {
        const outcome = await run(...given)
        await its.workflows.deletePortrait(its.caller, id)
        return outcome
      },
    })
    expect(await verifyEvidence(its.ctx, id, portrait)).toBe('skipped')
    expect(evidenceOf(portrait)).toMatchObject({ status: 'NOT_VERIFIED', deletedAt: its.now(), content: {} })
  })

  test('whose pictures turn out to be damaged is not verified, and says why', async () => {
    const id = await aPerson()
    const { id: document } = await its.workflows.submitDocument(its.caller, id, {
      front: uploadOf(aPassport()),
    })
    Object.assign(its.ctx.verification, { run: async () => null })
    expect(await verifyEvidence(its.ctx, id, document)).toBe('done')
    expect(evidenceOf(document).status).toBe('NOT_VERIFIED')
    expect(evidenceOf(document).evaluation.errors.length).toBeGreaterThan(0)
    const decided = store()
      .events.after(0, 1000)
      .filter(({ type }) => type === 'evidence.decided' || type === 'evidence.stuck')
    expect(decided.map(({ reason }) => reason)).toContain('IMAGE')
  })

  test.each([
    ['technical', 'TECHNICAL'],
    ['unavailable', 'UNAVAILABLE'],
    ['image', 'IMAGE'],
    ['consent', 'CONSENT'],
  ] as const)('that cannot be decided (%s) is closed once with that reason', async (why, reason) => {
    const id = await aPerson()
    const { id: document } = await its.workflows.submitDocument(its.caller, id, {
      front: uploadOf(aPassport()),
    })
    const close = () => store().transaction(() => closeWithoutVerdict(its.ctx, id, document, why))
    close()
    close()
    expect(evidenceOf(document).status).toBe('NOT_VERIFIED')
    const told = store()
      .events.after(0, 1000)
      .filter((event) => event.reason === reason)
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told.map(({ type }) => type)).size).toBe(told.length)
    expect(identityOf(id).status).toBe('EXPECTING_INPUT')
  })

  test('of a portrait is replaced by the next one, whose pictures alone are kept', async () => {
    const id = await aPerson()
    const first = await aPortrait(id)
    const second = await aPortrait(id)
    expect(evidenceOf(first).deletedAt).not.toBeNull()
    expect(store().images.listByEvidence(first)).toEqual([])
    expect(store().images.listByEvidence(second).length).toBeGreaterThan(0)
    const gone = store()
      .events.after(0, 1000)
      .filter(({ type }) => type === 'evidence.deleted')
    expect(gone.map(({ body, reason }) => [body.evidenceId, reason])).toEqual([[first, 'REPLACED']])
    await its.workflows.deletePortrait(its.caller, id)
    await expect(its.workflows.deletePortrait(its.caller, id)).rejects.toMatchObject({
      details: { resource: 'portrait' },
    })
  })
})

describe('the signer of proofs', () => {
  const open = (source: 'key-file' | 'pkcs11' = 'key-file', openToken = () => ({}) as never) =>
    openSigner(store(), its.ctx.clock, { source, openToken })

  test('signs with the key that is in use, and names it', async () => {
    const signer = await open()
    const key = await its.ctx.signer.publicJwk()
    expect(await signer.publicJwk()).toMatchObject({ kty: 'RSA', n: key.n })
    expect(signer.keyId).toBe(signer.current().keyId)
    expect(signer.algorithm).toBe('RS256')
    expect((await signer.sign(Buffer.from('x'))).split('.')).toHaveLength(3)
    signer.close()
  })

  test('makes no other key where one was made and none is in use', async () => {
    for (const { kid } of store().signingKeys.list()) store().signingKeys.revoke(kid, its.now())
    await expect(open()).rejects.toMatchObject({
      code: 'key_unavailable',
      details: { key: 'signing', reason: 'no signing key is in use; npm run signing-keys -- create' },
    })
  })

  test('asks for its token at once where the keys lie in one, and lets it go when it does not answer', async () => {
    let closed = 0
    const token = { close: () => void closed++ }
    const signer = await open('pkcs11', () => token as never)
    expect(closed).toBe(0)
    signer.close()
    expect(closed).toBe(1)
    const silent = () => {
      throw new AppError('key_unavailable', { key: 'token' })
    }
    await expect(open('pkcs11', silent as never)).rejects.toMatchObject({ details: { key: 'token' } })
  })
})
