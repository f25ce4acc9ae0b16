/** The desk of the adjudicators through HTTP: who may claim, decide and see what, and what becomes of the evidence. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDesk, type Desk } from './adjudicators.ts'
import { picture } from './scripted-vision.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const NO_SUCH = '01890a5d-ac96-774b-bcce-b302099a8059'

let desk: Desk
beforeAll(async () => {
  desk = await startDesk({ rateLimits: { relyingServicePerMinute: 100_000, userAgentPerMinute: 100_000 } })
})
afterAll(() => desk.app.close())

const at = (id: string, what = '') => `/v1/adjudications/${id}${what}`
const claimAs = (id: string, adjudicator: string) =>
  desk.refusal('POST', at(id, '/claim'), { payload: { adjudicator } })
const decideAs = (id: string, adjudicator: string, decision: string, reason: string) =>
  desk.refusal('POST', at(id, '/decision'), { payload: { adjudicator, decision, reason } })
const documentOf = async (id: string) => (await desk.identity(id)).idDocuments[0]?.evidenceStatus
const portraitOf = async (id: string) => (await desk.identity(id)).portrait?.evidenceStatus
const told = (id: string) => desk.events(id).filter(([type]) => type.startsWith('adjudication.'))

describe('the queue', () => {
  test('lists what waits, oldest first, page by page, and nothing of any person', async () => {
    const own = await startDesk()
    try {
      const cases = []
      for (let n = 0; n < 5; n++) {
        cases.push(await own.aDocumentCase())
        own.tick(1000)
      }
      const list = (query: string) => own.ask('DeskList', 'GET', `/v1/adjudications${query}`)
      const pages: string[][] = []
      let next = ''
      do {
        const page = await list(`?limit=2${next && `&after=${next}`}`)
        pages.push(page.adjudications.map(({ adjudicationId }) => adjudicationId))
        next = page.next ?? ''
      } while (next)
      const ids = cases.map(({ adjudicationId }) => adjudicationId)
      expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])

      await own.claim(ids[1] ?? '', 'anna')
      await own.decide(ids[2] ?? '', 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')
      const statuses = async (query: string) => (await list(query)).adjudications.map(({ status }) => status)
      expect(await statuses('')).toEqual(['TO_PROCESS', 'PROCESSING', 'TO_PROCESS', 'TO_PROCESS'])
      expect(await statuses('?status=PROCESSING')).toEqual(['PROCESSING'])
      expect(await statuses('?status=REJECTED')).toEqual(['REJECTED'])
      expect(await statuses('?type=PASSPORT')).toHaveLength(4)
      expect(await statuses('?type=PORTRAIT')).toEqual([])
      expect(JSON.stringify(await list(''))).not.toContain('anna')
    } finally {
      await own.app.close()
    }
  })

  test.each(['?status=LOST', '?type=HAT', '?after=yesterday', '?limit=0', '?limit=201', '?limit=many'])(
    'refuses %s',
    async (query) => {
      expect(await desk.refusal('GET', `/v1/adjudications${query}`)).toMatchObject({ status: 400 })
    },
  )

  test('lists no longer what a proof has sealed or an erasure has taken', async () => {
    const [sealed, erased] = [await desk.aDocumentCase(), await desk.aDocumentCase()]
    await desk.app.call('GET', `/v1/identities/${sealed.id}/proof`)
    await desk.app.call('DELETE', `/v1/identities/${erased.id}`)
    expect([await desk.caseOf(sealed.id), await desk.caseOf(erased.id)]).toEqual(['', ''])
    expect(await claimAs(sealed.adjudicationId, 'anna')).toMatchObject({
      status: 409,
      code: 'adjudication_ended',
    })
    expect(await claimAs(erased.adjudicationId, 'anna')).toMatchObject({ status: 404 })
  })
})

describe('a case', () => {
  test('shows what there is to see, where the pictures are, and what may be decided for which reasons', async () => {
    const { id, evidenceId, documentId, adjudicationId } = await desk.aPortraitCase()
    const shown = await desk.ask('DeskCase', 'GET', at(adjudicationId))
    expect(shown).toMatchObject({
      identityId: id,
      evidenceId,
      type: 'PORTRAIT',
      status: 'TO_PROCESS',
      evidenceStatus: 'ADJUDICATION',
      referenceId: documentId,
      fourEyes: false,
      acceptancesNeeded: 1,
      decisionsMade: 0,
    })
    expect(shown.unverifiedIndicators).toContain('BIOMETRIC_MATCHING_CHECK_UNVERIFIED')
    expect(shown).not.toHaveProperty('decisions')
    for (const { href } of shown.images) expect((await desk.app.call('GET', href)).status).toBe(200)
    expect(shown.choices.map(({ decision }) => decision)).toEqual(['ACCEPTED', 'REJECTED', 'UNSURE'])
    expect(shown.choices[0]?.reasons.map(({ code }) => code)).toEqual(['SAME_PERSON', 'SAME_PERSON_AGED'])
  })

  test('is of its tenant alone, and of back-end keys alone', async () => {
    const { adjudicationId } = await desk.aDocumentCase()
    const { store } = desk.app.appliance
    store.tenants.ensure({ id: 'other', name: 'Other', mode: 'test', policyId: 'default' }, desk.now())
    const foreign = store.apiKeys.createPair('other', 'test', new Date()).relyingServiceKey
    const calls = [
      ['GET', at(adjudicationId), undefined],
      ['POST', at(adjudicationId, '/claim'), { adjudicator: 'anna' }],
      ['POST', at(adjudicationId, '/release'), { adjudicator: 'anna' }],
      [
        'POST',
        at(adjudicationId, '/decision'),
        { adjudicator: 'anna', decision: 'UNSURE', reason: 'SPECIALIST_NEEDED' },
      ],
    ] as const
    for (const [method, path, payload] of calls) {
      const options = payload ? { payload } : {}
      expect(await desk.refusal(method, path, { ...options, key: foreign })).toMatchObject({ status: 404 })
      expect(await desk.refusal(method, path, { ...options, key: desk.app.userAgentKey })).toMatchObject({
        status: 403,
        code: 'forbidden',
      })
      expect(await desk.refusal(method, path.replace(adjudicationId, NO_SUCH), options)).toMatchObject({
        status: 404,
      })
    }
    const { adjudications } = await desk.ask('DeskList', 'GET', '/v1/adjudications', { key: foreign })
    expect(adjudications).toEqual([])
  })
})

describe('a claim', () => {
  test('keeps the case for one adjudicator, who may give it back', async () => {
    const { id, evidenceId, adjudicationId } = await desk.aDocumentCase()
    const claimed = await desk.claim(adjudicationId, 'anna')
    expect(claimed).toMatchObject({ status: 'PROCESSING', claimedBy: { id: 'anna', kind: 'STAFF' } })
    expect(await claimAs(adjudicationId, 'ben')).toMatchObject({ status: 409, code: 'adjudication_claimed' })
    const released = { payload: { adjudicator: 'ben' } }
    expect(await desk.refusal('POST', at(adjudicationId, '/release'), released)).toMatchObject({
      code: 'adjudication_claimed',
    })
    expect(await decideAs(adjudicationId, 'ben', 'REJECTED', 'DOCUMENT_TAMPERED')).toMatchObject({
      code: 'adjudication_claimed',
    })
    expect(await desk.release(adjudicationId, 'anna')).toMatchObject({ status: 'TO_PROCESS' })
    expect(await desk.refusal('POST', at(adjudicationId, '/release'), released)).toMatchObject({
      status: 409,
      code: 'adjudication_not_claimed',
    })
    await desk.claim(adjudicationId, 'ben')
    expect(told(id)).toEqual([
      ['adjudication.requested', { evidenceId, adjudicationId, status: 'TO_PROCESS' }],
      ['adjudication.claimed', { evidenceId, adjudicationId }],
      ['adjudication.released', { evidenceId, adjudicationId }],
      ['adjudication.claimed', { evidenceId, adjudicationId }],
    ])
  })

  test('is over after its time: the case is back in the queue, and its decision is refused', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    await desk.passTime(20 * MINUTE_MS)
    expect(await desk.statusOf(adjudicationId)).toBe('TO_PROCESS')
    expect(await decideAs(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).toMatchObject({
      status: 409,
      code: 'adjudication_not_claimed',
    })
    expect(
      told(id)
        .map(([type]) => type)
        .at(-1),
    ).toBe('adjudication.released')
    await desk.claim(adjudicationId, 'ben')
  })

  test('whose time is over has ended, even before its deadline was processed', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    desk.tick(20 * MINUTE_MS)
    expect(await decideAs(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).toMatchObject({
      code: 'adjudication_not_claimed',
    })
    expect(await desk.claim(adjudicationId, 'ben')).toMatchObject({ claimedBy: { id: 'ben', kind: 'STAFF' } })
    expect(
      told(id)
        .map(([type]) => type)
        .slice(1),
    ).toEqual(['adjudication.claimed', 'adjudication.released', 'adjudication.claimed'])
  })

  test('is renewed by its adjudicator and survives a restart', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    await desk.passTime(15 * MINUTE_MS)
    await desk.claim(adjudicationId, 'anna')
    await desk.restart()
    await desk.passTime(15 * MINUTE_MS)
    expect(await desk.statusOf(adjudicationId)).toBe('PROCESSING')
    await desk.passTime(5 * MINUTE_MS)
    expect(await desk.statusOf(adjudicationId)).toBe('TO_PROCESS')
    expect(told(id)).toHaveLength(3)
  })

  test('ends with the time of the request itself', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.passTime(48 * HOUR_MS - MINUTE_MS)
    await desk.claim(adjudicationId, 'anna')
    await desk.passTime(MINUTE_MS)
    expect(await desk.statusOf(adjudicationId)).toBe('TIME_OUT')
    expect(await decideAs(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).toMatchObject({
      status: 409,
      code: 'adjudication_ended',
    })
    expect(await claimAs(adjudicationId, 'anna')).toMatchObject({ code: 'adjudication_ended' })
    await desk.passTime(20 * MINUTE_MS)
    expect(await documentOf(id)).toMatchObject({ status: 'NOT_VERIFIED' })
    expect(desk.app.log()).not.toContain('a deadline could not be processed')
  })
})

describe('an officer cannot adjudicate', () => {
  test('evidence of an applicant whom they captured, in any capitals', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase({ headers: { 'officer-id': 'Carl.9' } })
    for (const adjudicator of ['Carl.9', 'carl.9']) {
      expect(await claimAs(adjudicationId, adjudicator)).toMatchObject({
        status: 403,
        code: 'adjudicator_captured',
      })
    }
    await desk.claim(adjudicationId, 'anna')
    expect(JSON.stringify(await desk.identity(id))).not.toContain('Carl')
  })

  test('a portrait of an applicant whose document they captured after the claim', async () => {
    const { id, adjudicationId } = await desk.aPortraitCase()
    await desk.claim(adjudicationId, 'carl')
    const payload = {
      idDocumentType: 'PASSPORT',
      idDocumentNumber: 'L898902C3',
      issuingCountry: 'UTO',
      personalAttributes: {
        surname: { value: 'Eriksson' },
        givenNames: [{ value: 'Anna' }],
        dateOfBirth: { value: '1974-08-12' },
      },
    }
    const consents = [{ type: 'GIV', approved: true }]
    await desk.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload: consents })
    await desk.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents`, {
      payload,
      headers: { 'officer-id': 'carl' },
    })
    expect(await decideAs(adjudicationId, 'carl', 'ACCEPTED', 'SAME_PERSON')).toMatchObject({
      status: 403,
      code: 'adjudicator_captured',
    })
  })

  test('and a user agent names no officer; a back end names a valid id or is told so', async () => {
    const id = await desk.anIdentity()
    const form = () => {
      const body = new FormData()
      body.append(
        'DocumentFront',
        new Blob([picture({ shows: 'document', lines: null, face: 'A' }) as BlobPart], {
          type: 'image/jpeg',
        }),
        'f.jpg',
      )
      return body
    }
    const path = `/v1/identities/${id}/id-documents/capture`
    const headers = { 'officer-id': 'Anna Smith' }
    expect(await desk.refusal('POST', path, { body: form(), headers })).toMatchObject({
      status: 400,
      errors: [{ code: 'wrong_form', field: 'officer-id' }],
    })
    const sent = await desk.ask('SingleStatus', 'POST', path, {
      body: form(),
      headers,
      key: desk.app.userAgentKey,
    })
    expect(desk.app.appliance.store.evidences.find(sent.id)?.content).not.toHaveProperty('officer')
  })

  test('twice about one request', async () => {
    const { adjudicationId } = await desk.aDocumentCase()
    await desk.decide(adjudicationId, 'anna', 'UNSURE', 'SPECIALIST_NEEDED')
    expect(await desk.statusOf(adjudicationId)).toBe('UNSURE')
    expect(await claimAs(adjudicationId, 'ANNA')).toMatchObject({ status: 403, code: 'adjudicator_decided' })
    const second = await desk.claim(adjudicationId, 'ben')
    // The first adjudicator's decision stays hidden until the end.
    expect(second).not.toHaveProperty('decisions')
    expect(second.decisionsMade).toBe(1)
    expect(await desk.release(adjudicationId, 'ben')).toMatchObject({ status: 'UNSURE' })
    await desk.decide(adjudicationId, 'ben', 'REJECTED', 'DOCUMENT_COUNTERFEIT')
    const ended = await desk.ask('DeskCase', 'GET', at(adjudicationId))
    expect(ended.decisions?.map(({ decision, adjudicator }) => [decision, adjudicator.id])).toEqual([
      ['UNSURE', 'anna'],
      ['REJECTED', 'ben'],
    ])
  })
})

describe('a decision', () => {
  test.each([
    [{ adjudicator: 'anna', decision: 'ACCEPTED', reason: 'he seemed nice' }, 'reason'],
    [{ adjudicator: 'anna', decision: 'ACCEPTED', reason: 'DOCUMENT_TAMPERED' }, 'reason'],
    [{ adjudicator: 'anna', decision: 'ACCEPTED', reason: 'SAME_PERSON' }, 'reason'],
    [{ adjudicator: 'anna', decision: 'TIME_OUT', reason: 'DATA_LEGIBLE_TO_EYE' }, 'decision'],
    [{ adjudicator: 'anna smith', decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }, 'adjudicator'],
    [{ decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }, 'adjudicator'],
    [{ adjudicator: 'anna', decision: 'ACCEPTED' }, 'reason'],
    [
      { adjudicator: 'anna', decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE', note: 'a free text' },
      undefined,
    ],
  ])('is refused for %j', async (payload, field) => {
    const { adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    const refused = await desk.refusal('POST', at(adjudicationId, '/decision'), { payload })
    expect(refused.status).toBe(400)
    expect(refused.errors[0]?.field).toBe(field)
    expect(await desk.statusOf(adjudicationId)).toBe('PROCESSING')
  })

  test('to accept a portrait makes it match its document, as far as the policy lets a person, and never live', async () => {
    const { id, documentId, evidenceId, adjudicationId } = await desk.aPortraitCase()
    expect((await desk.identity(id)).globalStatus.levelOfAssurance).toBe('LOA0')
    expect(await desk.decide(adjudicationId, 'anna', 'ACCEPTED', 'SAME_PERSON')).toEqual({
      adjudicationId,
      identityId: id,
      evidenceId,
      status: 'ACCEPTED',
    })
    const portrait = await portraitOf(id)
    expect(portrait).toMatchObject({ status: 'VERIFIED', score: 'LEVEL2', isAdjudicable: false })
    expect(portrait?.positiveIndicators).toContain('ADJUDICATION_OK')
    expect(portrait?.positiveIndicators).not.toContain('BIOMETRIC_MATCHING_CHECK_OK')
    expect(portrait?.unverifiedIndicators).toEqual(
      expect.arrayContaining(['BIOMETRIC_MATCHING_CHECK_UNVERIFIED', 'BIOMETRIC_LIVENESS_UNVERIFIED']),
    )
    expect(desk.app.appliance.store.evidences.find(evidenceId)?.matchedReferenceId).toBe(documentId)
    expect((await desk.identity(id)).globalStatus.levelOfAssurance).toBe('LOA1')
    expect(told(id).at(-1)).toEqual([
      'adjudication.decided',
      { evidenceId, adjudicationId, status: 'ACCEPTED', reason: 'SAME_PERSON' },
    ])
    const answer = await desk.ask(
      'AdjudicationAnswer',
      'GET',
      `/v1/identities/${id}/adjudications/${evidenceId}`,
    )
    expect(answer).toMatchObject({ status: 'ACCEPTED', reason: 'SAME_PERSON' })
  })

  test('to reject a portrait makes it invalid for good, whichever document comes', async () => {
    const { id, evidenceId, adjudicationId } = await desk.aPortraitCase()
    await desk.decide(adjudicationId, 'anna', 'REJECTED', 'OTHER_PERSON')
    expect(await portraitOf(id)).toMatchObject({
      status: 'INVALID',
      score: 'LEVEL0',
      errors: [expect.objectContaining({ code: '1598' })],
    })
    expect((await portraitOf(id))?.blockingIndicators).toEqual(['ADJUDICATION_FAILED'])
    expect(await desk.refusal('POST', `/v1/identities/${id}/adjudications/${evidenceId}`)).toMatchObject({
      code: 'transition_refused',
    })
  })

  test('to accept is refused for a portrait that no document was there for', async () => {
    const id = await desk.anIdentity()
    const evidenceId = await desk.portrait(id, picture({ shows: 'person', face: 'A' }))
    await desk.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    const adjudicationId = await desk.caseOf(id)
    const claimed = await desk.claim(adjudicationId, 'anna')
    expect(claimed.choices.map(({ decision }) => decision)).toEqual(['REJECTED', 'UNSURE'])
    expect(await decideAs(adjudicationId, 'anna', 'ACCEPTED', 'SAME_PERSON')).toMatchObject({
      status: 403,
      code: 'decision_refused',
    })
    await desk.decide(adjudicationId, 'anna', 'REJECTED', 'NO_LIVE_PERSON')
  })

  test('is made once: of many at the same moment exactly one counts', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    const choices = [
      ['ACCEPTED', 'DATA_LEGIBLE_TO_EYE'],
      ['REJECTED', 'DOCUMENT_TAMPERED'],
      ['UNSURE', 'SPECIALIST_NEEDED'],
    ]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const [decision, reason] = choices[n % 3] ?? []
        const payload = { adjudicator: 'anna', decision, reason }
        return desk.app.json('POST', at(adjudicationId, '/decision'), { payload })
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(told(id).filter(([type]) => type === 'adjudication.decided')).toHaveLength(1)
    const kept = desk.app.appliance.store.adjudicationDecisions.list(adjudicationId)
    expect(kept).toHaveLength(1)
  })

  test('sent again under its Idempotency-Key is answered and not made twice', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    const payload = { adjudicator: 'anna', decision: 'REJECTED', reason: 'DOCUMENT_TAMPERED' }
    const headers = { 'idempotency-key': 'decision-1' }
    const first = await desk.app.json('POST', at(adjudicationId, '/decision'), { payload, headers })
    expect(await desk.app.json('POST', at(adjudicationId, '/decision'), { payload, headers })).toEqual(first)
    expect(told(id).filter(([type]) => type === 'adjudication.decided')).toHaveLength(1)
  })

  test('is refused when the person has taken the consent back meanwhile', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase()
    await desk.claim(adjudicationId, 'anna')
    const payload = [{ type: 'ID_DOCUMENT', approved: false }]
    await desk.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    expect(await decideAs(adjudicationId, 'anna', 'REJECTED', 'DOCUMENT_TAMPERED')).toMatchObject({
      code: 'adjudication_ended',
    })
  })

  test('to accept is refused after the consent for the document was withdrawn, and the document is hidden', async () => {
    const { id, evidenceId, adjudicationId } = await desk.aPortraitCase()
    await desk.claim(adjudicationId, 'anna')
    const payload = [{ type: 'ID_DOCUMENT', approved: false }]
    await desk.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    expect(await decideAs(adjudicationId, 'anna', 'ACCEPTED', 'SAME_PERSON')).toMatchObject({
      status: 403,
      code: 'decision_refused',
    })
    const { images } = await desk.ask('DeskCase', 'GET', at(adjudicationId))
    expect(images.map((image) => image.evidenceId)).toEqual([evidenceId])
  })

  test('is refused about a portrait that was withdrawn, and what was decided about it is gone', async () => {
    const { id, adjudicationId } = await desk.aPortraitCase()
    await desk.decide(adjudicationId, 'anna', 'UNSURE', 'SPECIALIST_NEEDED')
    await desk.claim(adjudicationId, 'ben')
    await desk.app.call('DELETE', `/v1/identities/${id}/attributes/portrait`)
    expect(await decideAs(adjudicationId, 'ben', 'ACCEPTED', 'SAME_PERSON')).toMatchObject({ status: 404 })
    expect(desk.app.appliance.store.erasures.countRows(id)).not.toHaveProperty('adjudication_decisions')
  })
})

describe('adjudicators', () => {
  test('stand nowhere in clear, and go with the identity', async () => {
    const { id, adjudicationId } = await desk.aDocumentCase({ headers: { 'officer-id': 'zz-officer-zz' } })
    await desk.decide(adjudicationId, 'zz-anna-zz', 'UNSURE', 'SPECIALIST_NEEDED')
    await desk.claim(adjudicationId, 'zz-ben-zz')
    const { store } = desk.app.appliance
    expect(store.erasures.countRows(id)).toMatchObject({ adjudications: 1, adjudication_decisions: 1 })
    expect(JSON.stringify(store.events.after(0, 100_000))).not.toMatch(/zz-/)
    expect(desk.app.log()).not.toMatch(/zz-/)
    await desk.app.call('DELETE', `/v1/identities/${id}`)
    expect(store.erasures.countRows(id)).toEqual({})
    expect(await desk.refusal('GET', at(adjudicationId))).toMatchObject({ status: 404 })
  })
})
