/** Pictures on their way into an evidence, whom cases and webhooks are shown to, deadlines that fail, and questions to registers. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadAttendedRules } from '../../../server/config/attended.ts'
import { buildRangeQuestion } from '../../../server/connectors/service/range.ts'
import { AppError } from '../../../server/errors.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { ImageFaultError, type Vision } from '../../../server/vision/protocol.ts'
import { attendEvidence, isCapturedBy } from '../../../server/workflows/staff/attend-evidence.ts'
import type { StaffCaller } from '../../../server/workflows/adjudication/desk-review.ts'
import { importRegister } from '../../../server/workflows/fraud/import-register.ts'
import { passDeadlines } from '../../../server/workflows/pass-deadlines.ts'
import { inspectFrames } from '../../../server/workflows/evidence/submit-evidence.ts'
import {
  assignWebhook,
  selectAllWebhooks,
  webhookHealth,
} from '../../../server/workflows/webhooks/manage-webhooks.ts'
import { HARD_TO_READ, UNSURE_FACE, visionInDoubt } from '../app/adjudicators.ts'
import { aPassport, HOLDER, pages, picture } from '../app/scripted-vision.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { openWorkflowBench, type WorkflowBench } from '../../support/workflow-bench.ts'

const ADA = '01890a5d-ac96-774b-bcce-b302099a8058'
const BOB = '01890a5d-ac96-774b-bcce-b302099a8059'
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
const HOUR_MS = 3_600_000

let its: WorkflowBench
let vision: Vision
beforeEach(async () => {
  vision = visionInDoubt()
  its = await openWorkflowBench({
    vision,
    config: {
      tenant: {
        features: { adjudication: true, antifraud: true },
        adjudication: { service: { application: 'reviewers' } },
      },
    },
  })
})
afterEach(() => its.close())

const store = () => its.ctx.store
const uploadOf = (bytes: Uint8Array) => ({ bytes, declaredType: 'image/jpeg' })
const evidenceOf = (id: string) => {
  const evidence = store().evidences.find(id)
  if (!evidence) throw new Error('no evidence')
  return evidence
}
const aPerson = () => its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
const submit = async (id: string, front: object, more: object = {}) =>
  (await its.workflows.submitDocument(its.caller, id, { front: front as never, ...more })).id
async function aDocument(id: string, bytes = aPassport()): Promise<string> {
  const evidenceId = await submit(id, uploadOf(bytes))
  await its.runJobs()
  return evidenceId
}
const kinds = (evidenceId: string) =>
  store()
    .images.listByEvidence(evidenceId)
    .map(({ kind }) => kind)

describe('a scan as PDF', () => {
  const front = { shows: 'document', lines: buildTd3(HOLDER), face: 'A' } as const
  const back = { shows: 'document', lines: null, face: null } as const

  test('of two pages is a document’s front and back; of more, the others are left', async () => {
    const id = await aPerson()
    expect(kinds(await submit(id, { bytes: pages(front) }))).toEqual(['FRONT'])
    expect(kinds(await submit(id, { bytes: pages(front, back), declaredType: 'application/pdf' }))).toEqual([
      'FRONT',
      'BACK',
    ])
    expect(kinds(await submit(id, { bytes: pages(front, back, back) }))).toEqual(['FRONT', 'BACK'])
  })

  test('is its first page where each side came as a file of its own', async () => {
    const id = await aPerson()
    const evidenceId = await submit(
      id,
      { bytes: pages(front, back) },
      { back: { bytes: picture({ ...back, face: 'B' }) } },
    )
    const images = store().images.listByEvidence(evidenceId)
    expect(images.map(({ kind }) => kind)).toEqual(['FRONT', 'BACK'])
    expect(Buffer.from(store().images.read(images[1])).toString()).toContain('"B"')
  })

  test('of a face is its first page, and there is no back to a face', async () => {
    const id = await aPerson()
    const person = { shows: 'person', face: 'A' } as const
    const { id: portrait } = await its.workflows.submitPortrait(its.caller, id, {
      bytes: pages(person, person),
    })
    expect(kinds(portrait)).toEqual(['PORTRAIT'])
  })

  test('goes to the worker with the type that it was declared to be, a TIFF too', async () => {
    const seen: object[] = []
    const asked: Partial<Vision> = {
      rasterisePdf: async (input) => (seen.push(input), [aPassport()]),
      rasteriseTiff: async (input) => (seen.push(input), [aPassport()]),
    }
    const bench = await openWorkflowBench({ vision: { ...visionOf(), ...asked } })
    const id = await bench.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const tiff = Buffer.from([0x49, 0x49, 0x2a, 0x00, 8, 0, 0, 0])
    const send = (bytes: Uint8Array, declaredType?: string) =>
      bench.workflows.submitDocument(bench.caller, id, {
        front: { bytes, ...(declaredType ? { declaredType } : {}) },
      })
    await send(Buffer.from('%PDF-1.7'), 'application/pdf')
    await send(Buffer.from('%PDF-1.7'))
    await send(tiff, 'image/tiff')
    expect(seen).toEqual([
      { pdf: Buffer.from('%PDF-1.7'), declaredType: 'application/pdf' },
      { pdf: Buffer.from('%PDF-1.7') },
      { tiff, declaredType: 'image/tiff' },
    ])
    bench.close()
  })
})

/** Every call as a function of its own, to be replaced. */
function visionOf(): Vision {
  return Object.fromEntries(
    [
      'rasterisePdf',
      'rasteriseTiff',
      'inspectImage',
      'measureDocument',
      'measurePortrait',
      'cropPortrait',
      'health',
      'restarts',
      'isolation',
      'close',
    ].map((name) => [
      name,
      (...given: never[]) =>
        (vision as unknown as Record<string, (...all: never[]) => unknown>)[name]?.(...given),
    ]),
  ) as unknown as Vision
}

describe('a picture', () => {
  test('is kept without what was appended to it, and says how much that was', async () => {
    const whole = aPassport()
    const bench = await openWorkflowBench({
      vision: {
        ...visionOf(),
        inspectImage: async () => ({
          format: 'jpeg',
          widthPx: 1,
          heightPx: 1,
          exifOrientation: 1,
          byteLength: whole.byteLength,
        }),
      },
    })
    const id = await bench.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const sent = Buffer.concat([whole, Buffer.from('an archive')])
    const submitted = await bench.workflows.submitDocument(bench.caller, id, {
      front: { bytes: sent },
      back: { bytes: whole },
    })
    const images = bench.ctx.store.images.listByEvidence(submitted.id)
    expect(images.map(({ cutBytes }) => cutBytes ?? 0)).toEqual([10, 0])
    expect(Buffer.from(bench.ctx.store.images.read(images[0]))).toEqual(Buffer.from(whole))
    bench.close()
  })

  test('that is no picture leaves nothing behind', async () => {
    const id = await aPerson()
    await expect(submit(id, uploadOf(picture({ shows: 'garbage' })))).rejects.toBeInstanceOf(ImageFaultError)
    expect(store().evidences.list(id)).toEqual([])
  })

  test('of a further moment is a JPEG; one that is damaged is left out', async () => {
    const frames = (...uploads: Uint8Array[]) =>
      inspectFrames(
        its.ctx,
        'FRONT',
        'DocumentFrontFrames',
        uploads.map((bytes) => ({ bytes })),
      )
    Object.assign(its.ctx, {
      vision: {
        inspectImage: async ({ image, undecoded }: { image: Uint8Array; undecoded?: boolean }) => {
          expect(undecoded).toBe(true)
          if (image[4] === 1) throw new ImageFaultError('damaged')
          if (image[4] === 2) throw new TypeError('a bug')
          return { byteLength: 4 }
        },
      },
    })
    const of = (mark: number) => Buffer.concat([JPEG, Buffer.from([mark])])
    expect(await frames()).toEqual([])
    expect(await frames(JPEG, of(1), of(0))).toMatchObject([
      { kind: 'FRONT', mediaType: 'image/jpeg', frame: 1, bytes: JPEG },
      { kind: 'FRONT', mediaType: 'image/jpeg', frame: 2, bytes: JPEG, cutBytes: 1 },
    ])
    await expect(frames(of(2))).rejects.toThrow('a bug')
    await expect(frames(JPEG, Buffer.from('no picture'))).rejects.toMatchObject({
      problems: [
        { code: 'invalid', field: 'DocumentFrontFrames', message: 'must be a JPEG, PNG or WebP picture' },
      ],
    })
  })

  test('whose rows are not taken is not kept as a file either', async () => {
    const id = await aPerson()
    const { images } = store()
    let unlinked = 0
    const unlink = images.unlink.bind(images)
    Object.assign(images, {
      addRow: () => {
        throw new Error('the disk is full')
      },
      unlink: (...given: Parameters<typeof unlink>) => {
        unlinked += given[0].length
        unlink(...given)
      },
    })
    await expect(
      submit(id, uploadOf(aPassport()), { back: uploadOf(aPassport({ sex: 'M' })) }),
    ).rejects.toThrow('full')
    expect(unlinked).toBe(2)
    expect(store().evidences.list(id)).toEqual([])
  })
})

describe('the pictures of a case', () => {
  const service = () => ({
    ...its.caller,
    applicationId: store().apiKeys.ensureApplication('tenant', 'reviewers', its.now()),
  })

  test('are shown to the service that decides, while it is awaited, and nothing else of the person', async () => {
    const id = await aPerson()
    const document = await aDocument(id)
    await its.workflows.submitPortrait(its.caller, id, uploadOf(UNSURE_FACE))
    await its.runJobs()
    const portrait = store().evidences.list(id).at(-1)?.id ?? ''
    const adjudication = store().adjudications.latest(portrait)
    expect(adjudication?.status).toBe('TO_PROCESS')
    expect((await its.workflows.getPortraitImage(service(), id)).mediaType).toBe('image/jpeg')
    expect(await its.workflows.getDocumentImage(service(), id, document)).toHaveLength(1)
    const other = await aDocument(id, aPassport({ documentNumber: 'M123456A7' }))
    const shown = store().evidences.find(portrait)?.matchedReferenceId
    const hidden = [document, other].find((each) => each !== shown) ?? ''
    await expect(its.workflows.getDocumentImage(service(), id, hidden)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(its.workflows.getIdentity(service(), id, { detailed: false })).rejects.toMatchObject({
      code: 'not_found',
    })
    const stranger = { ...its.caller, applicationId: 'another' }
    await expect(its.workflows.getPortraitImage(stranger, id)).rejects.toMatchObject({ code: 'not_found' })
    if (!adjudication) throw new Error('no case')
    store().adjudications.save({ ...adjudication, status: 'ACCEPTED', respondedAt: its.now() })
    await expect(its.workflows.getPortraitImage(service(), id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a document are only its own, and none without adjudication or after a withdrawal', async () => {
    const id = await aPerson()
    const document = await aDocument(id, HARD_TO_READ)
    const verified = await aDocument(id)
    await its.workflows.requestAdjudication(its.caller, id, document)
    expect(await its.workflows.getDocumentImage(service(), id, document)).toHaveLength(1)
    await expect(its.workflows.getDocumentImage(service(), id, verified)).rejects.toMatchObject({
      code: 'not_found',
    })
    const who = service()
    Object.assign(its.ctx.config.tenant.features, { adjudication: false })
    await expect(its.workflows.getDocumentImage(who, id, document)).rejects.toMatchObject({
      code: 'not_found',
    })
    Object.assign(its.ctx.config.tenant.features, { adjudication: true })
    store().transaction(() => store().evidences.save({ ...evidenceOf(document), deletedAt: its.now() }))
    await expect(its.workflows.getDocumentImage(who, id, document)).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('staff who were there', () => {
  const rules = loadAttendedRules()
  const ada = () => ({ ...its.caller, staffId: ADA, officer: ADA }) as StaffCaller
  const input = { present: true, sameDocument: false, answers: {}, exceptions: [] }
  const attend = (id: string, evidenceId: string, over: object = {}, who = ada()) =>
    attendEvidence(its.ctx, rules, who, id, evidenceId, { ...input, ...over })
  async function captured(
    source: 'LIVE_CAPTURE_IMAGE' | 'OTHER' = 'LIVE_CAPTURE_IMAGE',
  ): Promise<{ id: string; document: string }> {
    const id = await aPerson()
    const front = uploadOf(aPassport())
    const { id: document } = await its.workflows.submitDocument(ada(), id, { front, details: { source } })
    await its.runJobs()
    return { id, document }
  }
  const refusal = (work: () => void): unknown => {
    try {
      work()
    } catch (error) {
      const { code, details, problems } = error as {
        code: string
        details: { reason?: string }
        problems: { field?: string }[]
      }
      return details.reason ?? problems[0]?.field ?? code
    }
    return null
  }

  test('say so of what they captured, once, and it is judged again', async () => {
    const { id, document } = await captured()
    const woken = its.woken.jobs
    attend(id, document)
    expect(evidenceOf(document)).toMatchObject({
      status: 'PROCESSING',
      content: { attendance: { staffId: ADA, at: '2026-03-01T10:00:00.000', exceptions: [] } },
    })
    expect(evidenceOf(document).content.attendance).not.toHaveProperty('seen')
    expect(its.woken.jobs).toBe(woken + 1)
    expect(its.events('evidence.attended')).toMatchObject([
      { body: { evidenceId: document, exceptions: [] }, actor: `STAFF:${ADA}` },
    ])
    await its.runJobs()
    its.tick(1000)
    attend(id, document)
    expect(evidenceOf(document).status).not.toBe('PROCESSING')
    attend(id, document, { exceptions: ['NO_HAND', 'NO_HAND'] })
    expect(evidenceOf(document).content.attendance?.exceptions).toEqual(['NO_HAND'])
    expect(its.events('evidence.attended')).toHaveLength(2)
  })

  test('cannot say so of a picture file, which does not show when and where it was taken', async () => {
    const { id, document } = await captured('OTHER')
    expect(refusal(() => attend(id, document))).toBe('from_file')
  })

  test('record nothing about evidence that another officer captured, that is being verified or adjudicated, or that has no capture', async () => {
    const { id, document } = await captured()
    const bob = { ...ada(), staffId: BOB, officer: BOB }
    expect(refusal(() => attend(id, document, {}, bob))).toBe('not_captured_here')
    expect(isCapturedBy(ADA.toUpperCase(), evidenceOf(document))).toBe(true)
    const open = await submit(id, uploadOf(aPassport()))
    expect(refusal(() => attend(id, open))).toBe('identity_processing')
    await its.runJobs()
    const session = await its.workflows.openDocumentSession(ada(), id, {})
    await its.workflows.abandonCaptureSession(session.sessionId)
    expect(refusal(() => attend(id, session.id))).toBe('nothing_captured')
    const unreadable = await submit(id, uploadOf(HARD_TO_READ))
    await its.runJobs()
    await its.workflows.requestAdjudication(its.caller, id, unreadable)
    expect(refusal(() => attend(id, unreadable, { present: false, sameDocument: true }))).toBe(
      'with_adjudicators',
    )
    const { id: file } = await its.workflows.submitPortrait(
      ada(),
      id,
      uploadOf(picture({ shows: 'person', face: 'A' })),
    )
    await its.runJobs()
    expect(refusal(() => attend(id, file))).toBe('from_file')
    expect(its.events('evidence.attended')).toEqual([])
  })

  test('who came later hold the document itself, and must have looked at it', async () => {
    const { id, document } = await captured()
    const bob = { ...ada(), staffId: BOB, officer: BOB }
    const [feature] = rules.checklists.find(({ type }) => type === 'PASSPORT')?.features ?? []
    const inHand = (over: object) => refusal(() => attend(id, document, { present: false, ...over }, bob))
    const answers = { [feature.id]: 'AS_IT_SHOULD' }
    expect(inHand({ answers })).toBe('sameDocument')
    expect(inHand({ sameDocument: true })).toBe('answers')
    expect(inHand({ sameDocument: true, answers: { [feature.id]: 'NOT_LOOKED' } })).toBe('answers')
    expect(inHand({ sameDocument: true, answers: { ...answers, SOMETHING: 'AS_IT_SHOULD' } })).toBe('answers')
    expect(inHand({ sameDocument: true, answers, exceptions: ['NO_TIME'] })).toBe('exceptions')
    expect(inHand({ sameDocument: true, answers })).toBeNull()
    const attendance = evidenceOf(document).content.attendance
    expect(attendance).toMatchObject({ staffId: BOB, seen: 'IN_HAND' })
    expect(attendance?.features.find(({ id: each }) => each === feature.id)?.answer).toBe('AS_IT_SHOULD')
    expect(attendance?.features.filter(({ answer }) => answer === 'NOT_LOOKED').length).toBe(
      (attendance?.features.length ?? 0) - 1,
    )
    await its.runJobs()
    const { id: portrait } = await its.workflows.submitPortrait(its.caller, id, uploadOf(UNSURE_FACE))
    store().transaction(() => store().evidences.save({ ...evidenceOf(portrait), status: 'VERIFIED' }))
    expect(
      refusal(() => attend(id, portrait, { present: false, sameDocument: true, answers: {} }, bob)),
    ).toBe('not_captured_here')
  })
})

describe('webhooks', () => {
  const register = async () =>
    (await its.workflows.registerWebhook(its.caller, { url: 'https://bank.example/hook' })).webhookId
  /** As left by an older version. */
  const orphan = (id: string) => {
    const db = new Database(join(its.t.dataDir, 'appliance.sqlite'))
    db.pragma('foreign_keys = OFF')
    db.prepare('UPDATE webhook_endpoints SET application_id = NULL WHERE id = ?').run(id)
    db.close()
  }
  const operator = () => ({ ...selectAllWebhooks('tenant'), actor: 'operator' })

  test('of an older version are given to an application, once', async () => {
    const id = await register()
    expect(() => assignWebhook(its.ctx, operator(), id, its.t.applicationId)).toThrow(
      expect.objectContaining({ code: 'transition_refused', details: { reason: 'assigned' } }),
    )
    orphan(id)
    expect(webhookHealth(its.ctx)).toEqual({
      status: 'DEGRADED',
      detail: '0 pending, 0 parked, 0 switched off, 1 of no application (npm run webhooks -- assign)',
    })
    await expect(its.workflows.getWebhook(its.caller, id)).rejects.toMatchObject({
      code: 'not_found',
      details: { resource: 'webhook' },
    })
    expect(assignWebhook(its.ctx, operator(), id, its.t.applicationId)).toMatchObject({ webhookId: id })
    expect(its.events('webhook.assigned')).toEqual([
      {
        type: 'webhook.assigned',
        body: { webhookId: id, applicationId: its.t.applicationId },
        actor: 'operator',
      },
    ])
    expect(await its.workflows.getWebhook(its.caller, id)).toMatchObject({ webhookId: id })
    expect(webhookHealth(its.ctx)).toEqual({ status: 'UP', detail: '0 pending, 0 parked, 0 switched off' })
  })

  test('tell how long the oldest delivery waits', async () => {
    const id = await register()
    await its.workflows.testWebhook(its.caller, id)
    its.tick(3.5 * HOUR_MS)
    await its.workflows.testWebhook(its.caller, id)
    expect(webhookHealth(its.ctx)).toEqual({
      status: 'UP',
      detail: '2 pending, the oldest since 3 h, 0 parked, 0 switched off',
    })
  })
})

describe('a deadline', () => {
  test('that fails is taken away, stays in the log, and holds up no other', async () => {
    const [bad, good] = [await its.anIdentity(), await its.anIdentity()]
    for (const id of [bad, good])
      store().deadlines.set({ kind: 'transaction', subjectId: id, identityId: id, dueAt: its.now() })
    const find = store().identities.find.bind(store().identities)
    Object.assign(store().identities, {
      find: (...given: Parameters<typeof find>) => {
        if (given[1] === bad) throw new TypeError('a bug')
        return find(...given)
      },
    })
    passDeadlines(its.ctx)
    for (const id of [bad, good]) expect(store().deadlines.find('transaction', id)).toBeNull()
    expect(its.logged).toMatchObject([
      [
        'error',
        { kind: 'transaction', identityId: bad, class: 'TypeError' },
        'a deadline could not be processed',
      ],
    ])
  })

  test('stays while the disk takes nothing', async () => {
    const id = await its.anIdentity()
    store().deadlines.set({ kind: 'transaction', subjectId: id, identityId: id, dueAt: its.now() })
    Object.assign(store(), {
      transaction: () => {
        throw new AppError('status_not_stored')
      },
    })
    expect(() => passDeadlines(its.ctx)).toThrow('status_not_stored')
    expect(store().deadlines.find('transaction', id)).toEqual(its.now())
    expect(its.logged).toEqual([])
  })
})

describe('a question to the registers of documents', () => {
  const check = async (id: string) => {
    await its.workflows.requestFraudChecks(its.caller, id, [
      { type: 'DOCUMENT_STATUS' },
      { type: 'DOCUMENT_STATUS' },
    ])
    await its.runJobs()
    const [found, ...others] = store().fraudChecks.list(id)
    expect(others).toEqual([])
    return found
  }
  const NAME = 'PASSPORT\nUTO\nL898902C3'
  const remote = (answer: (range: string) => Promise<object>) =>
    Object.assign(its.ctx, {
      documentRegister: {
        ask: async (range: string) => ({
          ...(await answer(range)),
          effort: { tries: 1, durationMs: 5 },
        }),
        authoritative: true,
        health: () => ({ status: 'UP', detail: '' }),
      },
    })

  test('is answered by the list in the appliance', async () => {
    const records = [
      { row: 2, record: { type: 'PASSPORT', country: 'UTO', number: 'L898902C3', reason: 'STOLEN' } },
    ]
    importRegister(
      its.ctx,
      { sha256: 'a'.repeat(64), name: 'police', date: '2026-02-28', coversDeaths: false, records },
      its.now(),
      { actor: 'operator' },
    )
    const id = await aPerson()
    const document = await aDocument(id)
    const found = await check(id)
    expect(found).toMatchObject({ status: 'INVALID', subjects: [document], evaluatedAt: its.now() })
    expect(JSON.stringify(found.indicators)).toContain('DOCUMENT')
    expect(its.events('antifraud.').map(({ type, body }) => [type, body])).toMatchObject([
      ['antifraud.requested', { types: ['DOCUMENT_STATUS'] }],
      ['antifraud.decided', { type: 'DOCUMENT_STATUS', status: 'INVALID' }],
    ])
  })

  test('goes outside with a few digits of a hash alone, and takes the answer to its own', async () => {
    const asked: string[] = []
    const { range, suffix } = buildRangeQuestion(NAME)
    remote(async (which) => {
      asked.push(which)
      const entry = (over: object) => ({ suffix, reason: 'LOST', ...over }) as never
      return {
        kind: 'answered',
        name: 'outside',
        date: '2026-02-28',
        coversDeaths: true,
        entries: [entry({ suffix: `${suffix.slice(1)}0`, reason: 'STOLEN' })],
      }
    })
    const id = await aPerson()
    await aDocument(id)
    expect((await check(id)).status).toBe('VERIFIED')
    expect(asked).toEqual([range])
    expect(range.length).toBeLessThan(suffix.length)
    expect(JSON.stringify(asked)).not.toContain('L898902C3')
  })

  test('that is not answered is asked again after a while, and is no answer until then', async () => {
    let outcome: object = { kind: 'unavailable', reason: 'timeout' }
    let asked = 0
    remote(async () => {
      asked++
      return outcome
    })
    const id = await aPerson()
    await aDocument(id)
    const found = await check(id)
    expect(found.status).toBe('NOT_VERIFIED')
    expect(found.measured).toMatchObject({ tried: 1 })
    const { retryMinutes } = its.ctx.config.antifraud.documentStatus
    expect(store().deadlines.find('fraud-retry', id)?.getTime()).toBe(
      its.now().getTime() + retryMinutes * 60_000,
    )
    outcome = { kind: 'answered', name: 'outside', date: '2026-02-28', coversDeaths: true, entries: [] }
    its.tick(retryMinutes * 60_000)
    await its.runJobs()
    expect(asked).toBe(2)
    expect(store().fraudChecks.list(id)[0]?.status).toBe('VERIFIED')
  })

  test('is not sent without a verified document, for a closed identity or with the feature disabled', async () => {
    remote(() => Promise.reject(new Error('nobody asks')))
    const id = await aPerson()
    expect((await check(id)).status).toBe('NOT_VERIFIED')
    const closed = await its.anIdentity()
    await its.workflows.sealProof(its.caller, closed)
    await expect(check(closed)).rejects.toMatchObject({ code: 'identity_closed' })
    Object.assign(its.ctx.config.tenant.features, { antifraud: false })
    await expect(check(id)).rejects.toMatchObject({ code: 'feature_disabled' })
    await expect(its.workflows.getFraudChecks(its.caller, id)).rejects.toMatchObject({
      code: 'feature_disabled',
    })
    expect(store().identities.find(APPLIANCE, id)).not.toBeNull()
  })
})
