/** One proofing opened at the counter: what staff see of it, what the log says of that, the check of its seal, and its erasure. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Erased, ProofingDetail, SealCheck } from '../../../server/counter/contract/today.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { aPassport, picture } from '../app/scripted-vision.ts'
import { ADA, BOB, openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
let id: string
beforeEach(async () => {
  its = await openConsole()
  id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
})
afterEach(() => its.close())

const officer = () => its.as(['officer'])
const supervisor = (isFresh = true) => its.as(['supervisor'], BOB, isFresh)
const store = () => its.ctx.store
const uploadOf = (bytes: Uint8Array) => ({ bytes, declaredType: 'image/jpeg' })
async function captured(): Promise<void> {
  await its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) })
  await its.workflows.submitPortrait(its.caller, id, uploadOf(picture({ shows: 'person', face: 'A' })))
  await its.runJobs()
}
const opened = async (person = officer()) =>
  (await person.call<ProofingDetail>('GET', `proofings/${id}`)).body

describe('an opened proofing', () => {
  test('shows the person, the evidence and the level, and the log says who opened it', async () => {
    await captured()
    const visit = its.aVisit({ identityId: id, reference: '7K4P-2M9X' })
    const shown = await opened()
    const identity = store().identities.get(APPLIANCE, id)
    expect(shown).toMatchObject({
      identityId: id,
      status: 'EXPECTING_INPUT',
      levelOfAssurance: identity.levelOfAssurance,
      test: true,
      createdAt: '2026-03-01T10:00:00.000Z',
      name: 'ANNA MARIA ERIKSSON',
      seal: null,
      mayErase: false,
      goOn: 'CODE',
      visit: { visitId: visit.id, reference: '7K4P-2M9X' },
      retention: { legalHold: false },
    })
    // An open identity is erased a week after the last thing that happened to it.
    expect(shown.retention.erasedAfter).toBe('2026-03-08T10:00:00.000Z')
    expect(shown.consents).toEqual([
      { type: 'PORTRAIT', approved: true, recordedAt: '2026-03-01T10:00:00.000Z' },
      { type: 'ID_DOCUMENT', approved: true, recordedAt: '2026-03-01T10:00:00.000Z' },
    ])
    expect(shown.evidences.map(({ type, status, deleted }) => [type, status, deleted])).toEqual([
      ['PASSPORT', 'VERIFIED', false],
      ['PORTRAIT', 'VERIFIED', false],
    ])
    const [document] = shown.evidences
    expect(document.values.map(({ field, value }) => `${field}=${value}`)).toEqual([
      'givenNames=ANNA MARIA',
      'familyName=ERIKSSON',
      'birthDate=1974-08-12',
      'sex=F',
      'nationality=UTO',
      'documentNumber=L898902C3',
      'issuingCountry=UTO',
      'expiryDate=2029-12-31',
    ])
    expect(document.findings.length).toBeGreaterThan(3)
    expect(
      document.findings.every(({ outcome }) => ['passed', 'failed', 'inconclusive'].includes(outcome)),
    ).toBe(true)
    expect(document.notes).toEqual([])
    expect(its.events('proofing.opened')).toEqual([
      { type: 'proofing.opened', body: {}, actor: `STAFF:${ADA}` },
    ])
  })

  test('explains the level: what counts, which profiles are met, and what the others lack', async () => {
    await captured()
    const { level } = await opened()
    const identity = store().identities.get(APPLIANCE, id)
    expect(level).toMatchObject({
      levelOfAssurance: identity.levelOfAssurance,
      profile: identity.assessment?.profile ?? null,
      policy: { id: 'default' },
      heldDownBy: [],
    })
    expect(level.evidences.map(({ type, counted, leftOut }) => [type, counted, leftOut])).toEqual([
      ['PASSPORT', true, null],
      ['PORTRAIT', true, null],
    ])
    expect(level.profiles.find(({ name }) => name === level.profile)).toMatchObject({
      met: true,
      missing: [],
    })
    const missing = level.profiles.filter(({ met }) => !met).flatMap((profile) => profile.missing)
    expect(missing.length).toBeGreaterThan(0)
    for (const { what, name, needed, reached, words } of missing) {
      expect(name).toMatch(/^[A-Za-z]/)
      if (what === 'CHECK') expect([needed, reached, typeof words]).toEqual([null, null, 'string'])
      if (what === 'SCORE' || what === 'STRENGTH') expect([needed, reached]).not.toContain(null)
      if (what === 'PIECE') expect([needed, reached, words]).toEqual([null, null, null])
    }
  })

  test('tells who did what, in order and in closed words', async () => {
    const kiosk = store().apiKeys.ensureApplication('tenant', 'kiosk', its.now())
    const at = its.now()
    const append = (actor: string, reason?: 'TIME_OUT') =>
      store().events.append(
        'identity.evaluated',
        id,
        { status: 'PROCESSING', levelOfAssurance: 'LOA0' },
        at,
        {
          actor,
          ...(reason ? { reason } : {}),
        },
      )
    const { timeline: before } = await opened()
    append('operator')
    append(`STAFF:${ADA}`, 'TIME_OUT')
    append(`USER_AGENT:${kiosk}`)
    append(`RELYING_SERVICE:${kiosk}`)
    append(`RELYING_SERVICE:${its.t.applicationId}`)
    const added = (await opened()).timeline.slice(before.length)
    expect(added.map(({ who }) => who)).toEqual([
      'operator',
      `STAFF:${ADA}`,
      'person',
      'kiosk',
      'service',
      `STAFF:${ADA}`,
    ])
    expect(added[0]).toMatchObject({
      what: 'identity.evaluated',
      at: '2026-03-01T10:00:00.000Z',
      details: [
        { name: 'status', value: 'PROCESSING' },
        { name: 'levelOfAssurance', value: 'LOA0' },
      ],
    })
    expect(added[1]?.details.at(-1)).toEqual({ name: 'reason', value: 'TIME_OUT' })
    const seqs = added.map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    const consent = before.find(({ what }) => what === 'consent.recorded')
    expect(consent).toMatchObject({
      who: 'service',
      details: [
        { name: 'type', value: 'PORTRAIT' },
        { name: 'approved', value: 'true' },
      ],
    })
  })

  test('shows nothing of evidence that was withdrawn but that it was there', async () => {
    await captured()
    await its.workflows.deletePortrait(its.caller, id)
    const portrait = (await opened()).evidences.find(({ family }) => family === 'PORTRAIT')
    expect(portrait).toMatchObject({
      deleted: true,
      images: [],
      values: [],
      findings: [],
      notes: [],
      attendance: null,
    })
  })

  test('of a sealed identity says when it was sealed and whether the proof was fetched, and cannot be continued', async () => {
    await captured()
    its.aVisit({ identityId: id })
    const proof = await its.workflows.sealProof(its.caller, id)
    expect((await opened()).seal).toMatchObject({
      sealedAt: '2026-03-01T10:00:00.000Z',
      retrieved: false,
      handedOver: null,
    })
    for await (const piece of proof.open()) expect(piece.byteLength).toBeGreaterThan(0)
    const shown = await opened(supervisor())
    expect(shown).toMatchObject({
      status: 'CLOSED',
      seal: { retrieved: true },
      mayErase: true,
      goOn: null,
    })
  })

  test('under a legal hold is never erased', async () => {
    await its.workflows.placeLegalHold(its.caller, id, { reference: 'case 7' })
    expect(await opened(supervisor())).toMatchObject({
      mayErase: false,
      retention: { erasedAfter: null, legalHold: true },
    })
  })

  test('has no name before one was read, and no visit where there was none', async () => {
    expect(await opened()).toMatchObject({ name: null, visit: null, goOn: null, evidences: [] })
  })

  test('is for who may see people, and of the tenant alone', async () => {
    for (const role of ['auditor', 'administrator'] as const) {
      expect((await its.as([role]).call('GET', `proofings/${id}`)).status).toBe(403)
    }
    expect((await officer().call('GET', `proofings/${BOB}`)).status).toBe(404)
    expect(its.events('proofing.opened')).toEqual([])
  })
})

describe('its pictures', () => {
  test('are shown once each, and a look at the face is an event', async () => {
    await captured()
    const { evidences } = await opened()
    const images = evidences.flatMap((evidence) => evidence.images)
    expect(images.map(({ kind }) => kind)).toEqual(['FRONT', 'DOCUMENT_PORTRAIT', 'PORTRAIT'])
    for (const { href } of images.slice(0, 3)) {
      const { status, headers } = await officer().call('GET', href)
      expect([status, headers.get('cache-control'), headers.get('content-disposition')]).toEqual([
        200,
        'no-store',
        'inline',
      ])
    }
    expect(its.events('proofing.portrait_seen').map(({ body }) => body)).toEqual([
      { evidenceId: evidences[0]?.evidenceId },
      { evidenceId: evidences[1]?.evidenceId },
    ])
  })

  test('are of this identity, and not of evidence that was withdrawn', async () => {
    await captured()
    const { evidences } = await opened()
    const href = evidences[1]?.images[0]?.href ?? ''
    const other = await its.anIdentity()
    expect((await officer().call('GET', href.replace(id, other))).status).toBe(404)
    await its.workflows.deletePortrait(its.caller, id)
    expect((await officer().call('GET', href)).status).toBe(404)
    expect((await officer().call('GET', `proofings/${id}/evidences/${BOB}/images/${BOB}`)).status).toBe(404)
  })
})

describe('its seal', () => {
  const check = async () => (await officer().call<SealCheck>('POST', `proofings/${id}/seal-check`, {})).body

  test('is not there before it was sealed', async () => {
    expect(await check()).toEqual({
      state: 'NOT_SEALED',
      problems: [],
      sha256: null,
      signedBy: null,
      sameLevel: null,
      checkedAt: '2026-03-01T10:00:00.000Z',
    })
  })

  test('is good while the archive is as it was signed, and comes to the same level', async () => {
    await captured()
    const { sha256 } = await its.workflows.sealProof(its.caller, id)
    expect(await check()).toMatchObject({ state: 'GOOD', problems: [], sha256, sameLevel: true })
    expect((await check()).signedBy).not.toBeNull()
  })

  test('is broken when the file on the disk was changed', async () => {
    await captured()
    await its.workflows.sealProof(its.caller, id)
    const folder = join(its.t.dataDir, 'proofs')
    const [file = ''] = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    writeFileSync(file, 'no archive')
    expect(await check()).toMatchObject({ state: 'BROKEN', problems: ['archive_unreadable'], sha256: null })
  })
})

describe('an erasure by hand', () => {
  const erase = (body: object, person = supervisor()) =>
    person.call<Erased>('POST', `proofings/${id}/erase`, body)
  const given = { reason: 'PERSON_ASKED', reference: '7k4p 2m9x' }
  beforeEach(() => void its.aVisit({ identityId: id, reference: '7K4P-2M9X' }))

  test('takes the reference, a reason, a supervisor and a second factor, and leaves a receipt', async () => {
    const { status, body } = await erase(given)
    expect(status).toBe(200)
    expect(body).toMatchObject({ identityId: id, erasedAt: '2026-03-01T10:00:00.000Z' })
    expect(body.receipt.split('.')).toHaveLength(3)
    expect(store().identities.find(APPLIANCE, id)).toBeNull()
    expect(its.events('erasure.asked')).toEqual([
      { type: 'erasure.asked', body: { why: 'PERSON_ASKED' }, actor: `STAFF:${BOB}` },
    ])
    const again = await officer().call<Erased>('GET', `proofings/${id}/deletion-receipt`)
    expect(again.body.receipt).toBe(body.receipt)
  })

  test.each<[string, object, () => ReturnType<typeof supervisor>, number]>([
    ['another reference', { ...given, reference: '7K4P-2M9Y' }, supervisor, 400],
    ['a reason of one’s own', { ...given, reason: 'BECAUSE' }, supervisor, 400],
    ['an old second factor', given, () => supervisor(false), 403],
    ['an officer', given, officer, 403],
  ])('is not done with %s', async (_, body, person, status) => {
    expect((await erase(body, person())).status).toBe(status)
    expect(store().identities.find(APPLIANCE, id)).not.toBeNull()
    expect(its.events('erasure.')).toEqual([])
    expect((await officer().call('GET', `proofings/${id}/deletion-receipt`)).status).toBe(404)
  })
})
