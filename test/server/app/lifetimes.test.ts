/** The end of a transaction's lifetime, and answers that come afterwards. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentForm } from '../../support/app.ts'
import { startDesk, type Desk } from './adjudicators.ts'
import { aPassport } from './scripted-vision.ts'

const HOUR_MS = 3_600_000
const tenant = (pauseResume: boolean) => ({
  id: 'default',
  name: 'First run',
  mode: 'test',
  policy: 'default',
  features: { pauseResume },
})

const statusOf = async (desk: Desk, id: string) => (await desk.identity(id)).globalStatus.status
const namesOf = (desk: Desk, id: string) => desk.events(id).map(([type]) => type)

/** Its lifetime of three days ends two hours from now; the adjudicators have two days. */
async function aLateCase(desk: Desk) {
  const id = await desk.anIdentity()
  await desk.passTime(70 * HOUR_MS)
  return desk.documentCaseOf(id)
}

describe('an answer to a paused identity', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await startDesk({ tenant: tenant(true) })
  })
  afterAll(() => desk.app.close())

  async function aPausedCase() {
    const open = await aLateCase(desk)
    await desk.passTime(2 * HOUR_MS)
    expect(await statusOf(desk, open.id)).toBe('PAUSED')
    return open
  }

  test('resumes it: a new lifetime, the level evaluated, and both told', async () => {
    const { id, adjudicationId } = await aPausedCase()
    await desk.decide(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')
    const { globalStatus, idDocuments } = await desk.identity(id)
    expect([globalStatus.status, idDocuments[0]?.evidenceStatus.status]).toEqual([
      'EXPECTING_INPUT',
      'INVALID',
    ])
    expect(namesOf(desk, id).slice(-5)).toEqual([
      'adjudication.claimed',
      'adjudication.decided',
      'evidence.decided',
      'identity.resumed',
      'identity.evaluated',
    ])
    await desk.passTime(71 * HOUR_MS)
    await desk.document(id, aPassport())
    expect((await desk.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    await desk.passTime(HOUR_MS)
    expect(namesOf(desk, id)).toContain('identity.expired')
  })

  test('that is UNSURE answers nothing yet: the pause continues until the second one', async () => {
    const { id, adjudicationId } = await aPausedCase()
    await desk.decide(adjudicationId, 'anna', 'UNSURE', 'SPECIALIST_NEEDED')
    expect(await statusOf(desk, id)).toBe('PAUSED')
    await desk.restart()
    await desk.decide(adjudicationId, 'ben', 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    expect(await statusOf(desk, id)).toBe('EXPECTING_INPUT')
  })

  test('that never comes leaves it decided and open: what it was paused for is over', async () => {
    const { id, adjudicationId } = await aPausedCase()
    await desk.passTime(46 * HOUR_MS)
    const { globalStatus, idDocuments } = await desk.identity(id)
    expect([globalStatus.status, idDocuments[0]?.evidenceStatus.status]).toEqual([
      'EXPECTING_INPUT',
      'NOT_VERIFIED',
    ])
    const late = { payload: { adjudicator: 'anna' } }
    expect(await desk.refusal('POST', `/v1/adjudications/${adjudicationId}/claim`, late)).toMatchObject({
      status: 409,
      code: 'adjudication_ended',
    })
    const resumed = await desk.ask('Identity', 'GET', `/v1/identities/${id}/resume`)
    expect(resumed.globalStatus.status).toBe('EXPECTING_INPUT')
    await desk.document(id, aPassport())
  })

  test('that comes after GET resume decides as ever, and resumes nothing twice', async () => {
    const { id, adjudicationId } = await aPausedCase()
    await desk.ask('Identity', 'GET', `/v1/identities/${id}/resume`)
    await desk.decide(adjudicationId, 'anna', 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    expect(namesOf(desk, id).filter((type) => type === 'identity.resumed')).toHaveLength(1)
  })

  test('may come while the machine was off when the lifetime ended: the row of the deadline waits', async () => {
    const { id, adjudicationId } = await aLateCase(desk)
    desk.tick(3 * HOUR_MS)
    await desk.restart()
    await desk.passTime(0)
    expect(await statusOf(desk, id)).toBe('PAUSED')
    await desk.decide(adjudicationId, 'anna', 'ACCEPTED', 'DATA_LEGIBLE_TO_EYE')
    expect(await statusOf(desk, id)).toBe('EXPECTING_INPUT')
  })

  test('is the only reason for a pause: a transaction without a case expires', async () => {
    const id = await desk.anIdentity()
    await desk.passTime(72 * HOUR_MS)
    expect(await statusOf(desk, id)).toBe('EXPIRED')
    expect(namesOf(desk, id)).toContain('identity.expired')
  })
})

describe('at the end of a lifetime, as the tenant has it', () => {
  test('end-open: the case and the sessions end, no evidence is accepted any more, and the proof can be fetched', async () => {
    const desk = await startDesk({ tenant: tenant(false) })
    try {
      const { id, evidenceId, adjudicationId } = await aLateCase(desk)
      await desk.claim(adjudicationId, 'anna')
      await desk.passTime(2 * HOUR_MS - 60_000)
      const sessions = `/v1/identities/${id}/id-documents/live-capture-session`
      const { id: captured } = await desk.ask('DocumentSessionAnswer', 'POST', sessions, { payload: {} })
      await desk.passTime(60_000)

      const { globalStatus, idDocuments } = await desk.identity(id)
      expect(globalStatus.status).toBe('EXPIRED')
      expect(
        idDocuments.map(({ evidenceStatus: { status, errors } }) => [
          status,
          errors?.map(({ code }) => code),
        ]),
      ).toEqual([
        ['NOT_VERIFIED', ['1543']],
        ['NOT_VERIFIED', ['2401']],
      ])
      expect(idDocuments[0]?.evidenceStatus.unverifiedIndicators).toContain('ADJUDICATION_UNVERIFIED')
      expect(await desk.statusOf(adjudicationId)).toBe('TIME_OUT')
      expect(namesOf(desk, id).filter((type) => type === 'identity.expired')).toHaveLength(1)

      const closed = { status: 403, code: 'identity_expired' }
      const body = () => ({ body: documentForm(aPassport()) })
      expect(await desk.refusal('POST', `/v1/identities/${id}/id-documents/capture`, body())).toMatchObject(
        closed,
      )
      expect(await desk.refusal('POST', sessions, { payload: {} })).toMatchObject(closed)
      expect(await desk.refusal('POST', `/v1/identities/${id}/adjudications/${evidenceId}`)).toMatchObject(
        closed,
      )
      await desk.restart()
      expect(await desk.refusal('POST', `/v1/identities/${id}/id-documents/capture`, body())).toMatchObject(
        closed,
      )

      // Acts that are always allowed.
      const payload = [{ type: 'PORTRAIT', approved: false }]
      await desk.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
      expect((await desk.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
      expect(captured).not.toBe('')
      expect(desk.app.log()).not.toContain('a deadline could not be processed')
    } finally {
      await desk.app.close()
    }
  })

  test('end-open: what a proof has closed gets a whole lifetime when it is resumed', async () => {
    const desk = await startDesk({ tenant: tenant(true) })
    try {
      const id = await desk.anIdentity()
      await desk.passTime(72 * HOUR_MS)
      expect((await desk.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
      await desk.ask('Identity', 'GET', `/v1/identities/${id}/resume`)
      await desk.document(id, aPassport())
      await desk.passTime(72 * HOUR_MS)
      const body = documentForm(aPassport())
      expect(await desk.refusal('POST', `/v1/identities/${id}/id-documents/capture`, { body })).toMatchObject(
        {
          code: 'identity_expired',
        },
      )
    } finally {
      await desk.app.close()
    }
  })

  test('erase: it is erased with its receipt, but not under a legal hold', async () => {
    const desk = await startDesk({ tenant: tenant(false), lifetimes: { atExpiry: 'erase' } })
    try {
      const [gone, held] = [await desk.anIdentity(), await desk.anIdentity()]
      const payload = { reference: 'Case 1/26' }
      await desk.app.json('PUT', `/v1/identities/${held}/legal-hold`, { payload })
      await desk.passTime(72 * HOUR_MS)
      expect(await desk.refusal('GET', `/v1/identities/${gone}`)).toMatchObject({ status: 404 })
      expect((await desk.app.json('GET', `/v1/deletion-receipts/${gone}`)).body).toMatchObject({
        reason: 'ABANDONED',
      })
      expect(await statusOf(desk, held)).toBe('EXPECTING_INPUT')
    } finally {
      await desk.app.close()
    }
  })

  test('end-open: the end is no activity: without a caller the identity is erased a week after its last activity', async () => {
    const desk = await startDesk({ tenant: tenant(false) })
    try {
      const id = await desk.anIdentity()
      await desk.passTime(72 * HOUR_MS)
      await desk.passTime(96 * HOUR_MS - 1)
      expect(await statusOf(desk, id)).toBe('EXPIRED')
      await desk.passTime(1)
      expect(await desk.refusal('GET', `/v1/identities/${id}`)).toMatchObject({ status: 404 })
    } finally {
      await desk.app.close()
    }
  })

  test('keep: nothing happens, and evidence is taken as before', async () => {
    const desk = await startDesk({ tenant: tenant(false), lifetimes: { atExpiry: 'keep' } })
    try {
      const { id, adjudicationId } = await aLateCase(desk)
      await desk.passTime(3 * HOUR_MS)
      expect(await desk.statusOf(adjudicationId)).toBe('TO_PROCESS')
      await desk.document(id, aPassport())
      expect(namesOf(desk, id)).not.toContain('identity.expired')
    } finally {
      await desk.app.close()
    }
  })
})
