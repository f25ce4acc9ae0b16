/** The cases that an adjudicator can get, and the values that a decision confirms: only visible ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDesk, type Desk } from './adjudicators.ts'
import { picture } from './scripted-vision.ts'

const UNREAD = picture({ shows: 'document', lines: null, face: 'A' })
const value = (text: string) => ({ value: text })
const READ = {
  idDocumentType: 'PASSPORT',
  idDocumentNumber: 'L898902C3',
  issuingCountry: 'UTO',
  expiryDate: '2029-12-31',
  personalAttributes: {
    surname: value('ERIKSSON'),
    givenNames: [value('ANNA'), value('MARIA')],
    dateOfBirth: value('1974-08-12'),
  },
}

let desk: Desk
beforeAll(async () => {
  desk = await startDesk()
})
afterAll(() => desk.app.close())

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
const documentOf = async (id: string) => (await desk.identity(id)).idDocuments[0]

async function anUnreadCase() {
  const id = await desk.anIdentity()
  const evidenceId = await desk.document(id, UNREAD)
  await desk.ask('AdjudicationAnswer', 'POST', at(id, `adjudications/${evidenceId}`))
  const adjudicationId = await desk.caseOf(id)
  await desk.claim(adjudicationId, 'anna')
  const decision = (adjudicator: string, values?: object) => ({
    payload: {
      adjudicator,
      decision: 'ACCEPTED',
      reason: 'DATA_LEGIBLE_TO_EYE',
      ...(values ? { values } : {}),
    },
  })
  const path = `/v1/adjudications/${adjudicationId}/decision`
  return {
    id,
    evidenceId,
    adjudicationId,
    accept: (adjudicator: string, values?: object) =>
      desk.ask('DecisionAnswer', 'POST', path, decision(adjudicator, values)),
    refused: (adjudicator: string, values?: object) =>
      desk.refusal('POST', path, decision(adjudicator, values)),
  }
}

describe('a person cannot be asked about', () => {
  test('a document that was typed in', async () => {
    const id = await desk.anIdentity()
    const payload = { ...READ, idDocumentType: 'PASSPORT', issuingCountry: 'FRA' }
    const { id: evidenceId } = await desk.ask('SingleStatus', 'POST', at(id, 'id-documents'), { payload })
    await desk.app.runJobs()
    expect((await documentOf(id)).evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      isAdjudicable: false,
    })
    expect(await desk.refusal('POST', at(id, `adjudications/${evidenceId}`))).toMatchObject({
      code: 'transition_refused',
    })
    expect(await desk.refusal('GET', at(id, `id-documents/${evidenceId}/capture`))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('a picture that shows no document', async () => {
    const id = await desk.anIdentity()
    const evidenceId = await desk.document(id, picture({ shows: 'document', lines: null, face: null }))
    const { evidenceStatus } = await documentOf(id)
    expect(evidenceStatus).toMatchObject({ status: 'NOT_VERIFIED', isAdjudicable: false })
    expect(await desk.refusal('POST', at(id, `adjudications/${evidenceId}`))).toMatchObject({
      code: 'transition_refused',
    })
  })

  test('a portrait session that was cancelled', async () => {
    const id = await desk.anIdentity()
    const opened = await desk.ask(
      'PortraitSessionAnswer',
      'POST',
      at(id, 'attributes/portrait/capture-session'),
    )
    const cancel = at(id, `attributes/portrait/live-capture-session/${opened.sessionId}`)
    expect((await desk.app.call('DELETE', cancel)).status).toBe(204)
    expect((await desk.identity(id)).portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      isAdjudicable: false,
    })
    expect(await desk.refusal('POST', at(id, `adjudications/${opened.id}`))).toMatchObject({
      code: 'transition_refused',
    })
  })
})

describe('what the machine could not read', () => {
  test('can be accepted only with the values that the adjudicator read', async () => {
    const { id, refused } = await anUnreadCase()
    expect(await refused('anna')).toMatchObject({ status: 403, code: 'decision_refused' })
    expect(await refused('anna', { ...READ, idDocumentNumber: undefined })).toMatchObject({
      code: 'decision_refused',
    })
    expect(await refused('anna', { ...READ, expiryDate: '2020-01-01' })).toMatchObject({
      code: 'decision_refused',
    })
    expect((await documentOf(id)).evidenceStatus.status).toBe('ADJUDICATION')
  })

  test('a person reads, and the decision confirms that and says who read it', async () => {
    const { id, accept } = await anUnreadCase()
    expect(await accept('anna', READ)).toMatchObject({ status: 'ACCEPTED' })
    const { evidenceStatus, idDocumentData, type } = await documentOf(id)
    expect(type).toBe('PASSPORT')
    expect(evidenceStatus).toMatchObject({ status: 'VERIFIED', score: 'LEVEL2' })
    expect(idDocumentData).toMatchObject({
      idDocumentNumber: 'L898902C3',
      expiryDate: '2029-12-31',
      personalAttributes: {
        surname: { value: 'ERIKSSON', verified: true },
        dateOfBirth: { value: '1974-08-12', verified: true },
      },
    })
    const { counterproof } = await desk.identity(id)
    const notes = Object.values(counterproof?.documents ?? {})
    expect(notes.flatMap(({ readByPerson = [] }) => readByPerson).sort()).toEqual([
      'dateOfBirth',
      'expiryDate',
      'givenNames',
      'idDocumentNumber',
      'idDocumentType',
      'issuingCountry',
      'surname',
    ])
    expect(desk.app.log()).not.toContain('ERIKSSON')
  })

  test('is confirmed by two who read the same, where the policy asks for two', async () => {
    const strict = await startDesk({
      tenant: { id: 'default', name: 'Strict', mode: 'test', policy: 'eidas' },
    })
    try {
      const id = await strict.anIdentity()
      const evidenceId = await strict.document(id, UNREAD)
      await strict.ask('AdjudicationAnswer', 'POST', at(id, `adjudications/${evidenceId}`))
      const path = `/v1/adjudications/${await strict.caseOf(id)}`
      const accept = async (adjudicator: string, values: object) => {
        await strict.ask('DeskCase', 'POST', `${path}/claim`, { payload: { adjudicator } })
        const payload = { adjudicator, decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE', values }
        const { status, body } = await strict.app.json('POST', `${path}/decision`, { payload })
        return [status, (body as { status?: string }).status]
      }
      expect(await accept('anna', READ)).toEqual([200, 'UNSURE'])
      expect(await accept('bruno', { ...READ, idDocumentNumber: 'L898902C8' })).toEqual([403, 403])
      expect(await accept('bruno', READ)).toEqual([200, 'ACCEPTED'])
      expect((await strict.identity(id)).idDocuments[0].idDocumentData?.idDocumentNumber).toBe('L898902C3')
    } finally {
      await strict.app.close()
    }
  })

  test('is not taken with a rejection', async () => {
    const { adjudicationId } = await anUnreadCase()
    const payload = { adjudicator: 'anna', decision: 'REJECTED', reason: 'DOCUMENT_TAMPERED', values: READ }
    expect(
      await desk.refusal('POST', `/v1/adjudications/${adjudicationId}/decision`, { payload }),
    ).toMatchObject({ status: 400, errors: [{ field: 'values' }] })
  })
})
