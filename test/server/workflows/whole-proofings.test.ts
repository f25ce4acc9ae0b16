/** Workflows as a relying service meets them, on a bench without an appliance: what is kept, told and refused at each step. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  NO_CARRIER,
  type Carrier,
  type CarrierOutcome,
  type PasscodeMessage,
} from '../../../server/connectors/carrier.ts'
import { openVoiceGateway } from '../../../server/connectors/voice/voice-gateway.ts'
import { AppError } from '../../../server/errors.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { importRegister } from '../../../server/workflows/fraud/import-register.ts'
import { failOtp, otpTimedOut } from '../../../server/workflows/claims/verify-contact.ts'
import { toSubject, waitsForDocument } from '../../../server/workflows/evidence/verification-subject.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { evidenceOn, FACE, uploadOf } from '../../support/bench-evidence.ts'
import { openWorkflowBench, type WorkflowBench } from '../../support/workflow-bench.ts'

const HOUR_MS = 3_600_000
const NUMBER = '+15555550100'

let its: WorkflowBench
let sent: PasscodeMessage[]
let carrier: CarrierOutcome
beforeEach(async () => {
  sent = []
  carrier = { kind: 'accepted' }
  const sms = {
    send: (message: PasscodeMessage) => {
      sent.push(message)
      return Promise.resolve({ ...carrier, effort: { tries: 1, durationMs: 5 } })
    },
    health: () => ({ status: 'UP' as const, detail: 'well' }),
  } as unknown as Carrier
  const features = { mobileOtp: true, pauseResume: true }
  its = await openWorkflowBench({
    config: { tenant: { features } },
    parts: {
      carriers: {
        mobile: sms,
        email: NO_CARRIER,
        landline: openVoiceGateway(undefined, { now: () => new Date() }),
      },
    },
  })
})
afterEach(() => its.close())

const store = () => its.ctx.store
const identityOf = (id: string) => store().identities.get(APPLIANCE, id)
const { evidenceOf, aDocument, aPortrait } = evidenceOn(() => its)

describe('a list of lost documents', () => {
  const record = (over: object = {}) => ({
    type: 'PASSPORT',
    country: 'UTO',
    number: 'L898902C3',
    reason: 'STOLEN',
    ...over,
  })
  const file = (...records: object[]) => ({
    sha256: 'a'.repeat(64),
    name: 'police',
    date: '2026-02-27',
    coversDeaths: true,
    records: records.map((each, index) => ({ row: index + 2, record: each as Record<string, unknown> })),
  })
  const take = (...records: object[]) =>
    importRegister(its.ctx, file(...records), its.now(), { actor: 'operator' })

  test('is taken whole, found by what names a document, and noted without what it says', () => {
    expect(take(record(), record({ country: 'USA-CA', type: 'DRIVING_LICENSE', reason: 'LOST' }))).toBe(2)
    const { documentRegisters } = store()
    expect(documentRegisters.current()).toEqual({
      name: 'police',
      sha256: 'a'.repeat(64),
      date: '2026-02-27',
      coversDeaths: true,
      entries: 2,
      importedAt: its.now(),
    })
    expect(documentRegisters.find('PASSPORT\nUTO\nL898902C3')).toEqual(['STOLEN'])
    expect(documentRegisters.find('DRIVING_LICENSE\nUSACA\nL898902C3')).toEqual(['LOST'])
    expect(documentRegisters.find('PASSPORT\nUTO\nL898902C4')).toEqual([])
    expect(its.events('register.')).toEqual([
      { type: 'register.imported', body: { sha256: 'a'.repeat(64), entries: 2 }, actor: 'operator' },
    ])
  })

  test.each<[object, string[]]>([
    [{ type: 'LIBRARY_CARD' }, ['type']],
    [{ country: 'Utopia' }, ['country']],
    [{ country: 'USA-' }, ['country']],
    [{ country: 'xUTO' }, ['country']],
    [{ number: '' }, ['number']],
    [{ number: 'x'.repeat(51) }, ['number']],
    [{ number: '---' }, ['number']],
    [{ reason: 'BORROWED', country: '' }, ['country', 'reason']],
  ])('with %j is refused by row and field, and nothing of it is taken', (over, fields) => {
    take(record({ number: 'OTHER1' }))
    expect(() => take(record(), record(over))).toThrow(
      expect.objectContaining({ code: 'validation_failed', details: { row: 3, fields } }),
    )
    expect(store().documentRegisters.find('PASSPORT\nUTO\nOTHER1')).toEqual(['STOLEN'])
    expect(its.events('register.')).toHaveLength(1)
  })

  test('takes visas and Medicare cards, and states of up to three characters', () => {
    expect(take(record({ type: 'VISA' }), record({ type: 'MEDICARE', country: 'AUS-NSW' }))).toBe(2)
  })
})

describe('a passcode to a phone', () => {
  const aPhone = async () => {
    const id = await its.anIdentity()
    await its.workflows.recordConsents(its.caller, id, [{ type: 'MOBILE_OTP', approved: true }])
    return id
  }
  const submit = async (id: string, number = NUMBER) =>
    (await its.workflows.submitContact(its.caller, id, 'mobile', number)).id
  const type = (id: string, code: string) => its.workflows.submitPasscode(its.caller, id, 'mobile', code)
  const codeIn = ({ text }: PasscodeMessage) => /\d{6}/.exec(text)?.[0] ?? ''
  const otpOf = (evidenceId: string) => {
    const otp = store().otps.find(evidenceId)
    if (!otp) throw new Error('no passcode')
    return otp
  }

  test('is sent to the number, which is verified when the right code is typed', async () => {
    const id = await aPhone()
    const evidenceId = await submit(id)
    expect(otpOf(evidenceId)).toMatchObject({
      status: 'PROCESSING',
      codeHash: null,
      attempts: 0,
      timeoutMs: 600_000,
    })
    expect(store().deadlines.find('otp', evidenceId)).toEqual(new Date(its.now().getTime() + 600_000))
    await its.runJobs()
    expect(sent).toHaveLength(1)
    expect(sent[0]?.to).toBe(NUMBER)
    expect(otpOf(evidenceId).status).toBe('PENDING')
    const code = codeIn(sent[0])
    await type(id, code === '000000' ? '111111' : '000000')
    expect(otpOf(evidenceId)).toMatchObject({ status: 'PENDING', attempts: 1 })
    const woken = its.woken.jobs
    await type(id, code)
    expect(its.woken.jobs).toBe(woken + 1)
    expect(otpOf(evidenceId)).toMatchObject({ status: 'DONE', codeHash: null, errors: [] })
    expect(store().deadlines.find('otp', evidenceId)).toBeNull()
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'VERIFIED',
      evaluatedAt: its.now(),
      evaluation: {
        positiveIndicators: ['MOBILE_OTP_OK'],
        unverifiedIndicators: ['MOBILE_OWNERSHIP_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
        errors: [],
      },
    })
    expect(evidenceOf(evidenceId).score).toBe(evidenceOf(evidenceId).strength)
    const actor = `RELYING_SERVICE:${its.t.applicationId}`
    expect(its.events('otp.')).toEqual([
      { type: 'otp.requested', body: { evidenceId }, actor },
      { type: 'otp.ended', body: { evidenceId, status: 'DONE' }, actor },
    ])
    await expect(type(id, code)).rejects.toMatchObject({ code: 'otp_no_longer_valid' })
    const shown = await its.workflows.getContact(its.caller, id, 'mobile')
    expect(JSON.stringify(shown)).toContain(NUMBER)
  })

  test.each([
    [{ kind: 'not-configured' }, '1100'],
    [{ kind: 'credentials-refused', httpStatus: 401 }, '1033'],
    [{ kind: 'request-refused', httpStatus: 400 }, '1105'],
  ] as const)(
    'that the carrier answers with %j ends with %s, and a code may still be typed',
    async (outcome, code) => {
      const id = await aPhone()
      carrier = outcome
      const evidenceId = await submit(id)
      await its.runJobs()
      expect(otpOf(evidenceId)).toMatchObject({ status: 'ERROR', errors: [{ code }] })
      expect(evidenceOf(evidenceId)).toMatchObject({
        status: 'NOT_VERIFIED',
        evaluation: { unverifiedIndicators: ['MOBILE_OTP_UNVERIFIED'], errors: [{ code }] },
      })
      expect(its.events('evidence.decided')).toMatchObject([{ body: { evidenceId, status: 'NOT_VERIFIED' } }])
      expect(its.logged).toContainEqual([
        'warn',
        { identityId: id, evidenceId, kind: 'mobile', outcome: outcome.kind },
        'a passcode could not be sent',
      ])
      // Not the code, or one of a million.
      await type(id, '000000')
      expect(otpOf(evidenceId).attempts).toBe(1)
    },
  )

  test('is tried again where the carrier cannot be reached; a code that arrived is still accepted', async () => {
    const id = await aPhone()
    carrier = { kind: 'unavailable', reason: 'timeout', httpStatus: 504 }
    const evidenceId = await submit(id)
    await expect(its.runJobs()).rejects.toMatchObject({
      code: 'internal',
      details: { connector: 'sms', reason: 'timeout', httpStatus: 504 },
    })
    expect(otpOf(evidenceId).status).toBe('PROCESSING')
    store().transaction(() => failOtp(its.ctx, id, evidenceId))
    expect(otpOf(evidenceId)).toMatchObject({ status: 'ERROR', errors: [{ code: '1100' }] })
    await type(id, codeIn(sent[0]))
    expect(otpOf(evidenceId).status).toBe('DONE')
    expect(evidenceOf(evidenceId).status).toBe('VERIFIED')
  })

  test('is over with its time, and says nothing about the person', async () => {
    const id = await aPhone()
    const evidenceId = await submit(id)
    await its.runJobs()
    its.tick(600_000)
    await its.runJobs()
    expect(otpOf(evidenceId)).toMatchObject({ status: 'TIMEOUT', codeHash: null, errors: [{ code: '1118' }] })
    expect(evidenceOf(evidenceId).status).toBe('NOT_VERIFIED')
    await expect(type(id, codeIn(sent[0]))).rejects.toMatchObject({ code: 'otp_no_longer_valid' })
  })

  test('whose time is over before it was sent is not sent', async () => {
    const id = await aPhone()
    const evidenceId = await submit(id)
    store().deadlines.clear('otp', evidenceId)
    its.tick(600_000)
    await its.runJobs()
    expect(sent).toEqual([])
    expect(otpOf(evidenceId)).toMatchObject({ status: 'PROCESSING', codeHash: null })
  })

  test('that failed keeps no code once its time is over', async () => {
    const id = await aPhone()
    const evidenceId = await submit(id)
    carrier = { kind: 'unavailable', reason: 'timeout' }
    await its.runJobs().catch(() => undefined)
    store().transaction(() => failOtp(its.ctx, id, evidenceId))
    expect(otpOf(evidenceId).codeHash).not.toBeNull()
    const deadline = { kind: 'otp', subjectId: evidenceId, identityId: id, dueAt: its.now() } as const
    store().transaction(() => otpTimedOut(its.ctx, deadline))
    expect(otpOf(evidenceId)).toMatchObject({ status: 'ERROR', codeHash: null, errors: [{ code: '1100' }] })
  })

  test('is for a consent that is given, also when it is taken back before the message goes out', async () => {
    const none = await its.anIdentity()
    await expect(submit(none)).rejects.toMatchObject({ code: 'consent_missing' })
    const id = await aPhone()
    const evidenceId = await submit(id)
    // Like a withdrawal between the check of the job and its message.
    store().consents.add(id, {
      id: its.ctx.newId(),
      type: 'MOBILE_OTP',
      approved: false,
      validFrom: null,
      validTo: null,
      recordedAt: its.now(),
    })
    await its.runJobs()
    expect(sent).toEqual([])
    expect(otpOf(evidenceId)).toMatchObject({ status: 'ERROR', codeHash: null })
    expect(evidenceOf(evidenceId).status).toBe('NOT_VERIFIED')
  })

  test('replaces an earlier one, three times an hour for a person, and for a number in whatever hands', async () => {
    const id = await aPhone()
    const first = await submit(id)
    await its.runJobs()
    const second = await submit(id)
    await its.runJobs()
    expect(evidenceOf(first).deletedAt).toEqual(its.now())
    expect(otpOf(first).codeHash).toBeNull()
    expect(store().deadlines.find('otp', first)).toBeNull()
    await submit(id, '+15555550101')
    await expect(submit(id)).rejects.toMatchObject({ code: 'otp_attempts_reached' })
    expect(evidenceOf(second).deletedAt).toEqual(its.now())
    const other = await aPhone()
    await submit(other)
    await expect(submit(other)).rejects.toMatchObject({ code: 'otp_attempts_reached' })
    its.tick(HOUR_MS + 1)
    await submit(other)
  })

  test('is refused after five wrong codes, the right one too', async () => {
    const id = await aPhone()
    await submit(id)
    await its.runJobs()
    const code = codeIn(sent[0])
    const wrong = code === '000000' ? '111111' : '000000'
    for (let count = 0; count < 5; count++) await type(id, wrong)
    await expect(type(id, code)).rejects.toMatchObject({ code: 'otp_attempts_reached' })
  })

  test('is given up by who has no such phone after all, unless it was verified', async () => {
    const id = await aPhone()
    await its.workflows.abandonContact(its.caller, id, 'mobile')
    const evidenceId = await submit(id)
    await its.runJobs()
    await its.workflows.abandonContact(its.caller, id, 'mobile')
    expect(evidenceOf(evidenceId).deletedAt).toEqual(its.now())
    await expect(its.workflows.getContact(its.caller, id, 'mobile')).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(type(id, codeIn(sent[0]))).rejects.toMatchObject({ code: 'otp_session_gone' })
    const again = await submit(id)
    await its.runJobs()
    await type(id, codeIn(sent[1]))
    await its.workflows.abandonContact(its.caller, id, 'mobile')
    expect(evidenceOf(again)).toMatchObject({ status: 'VERIFIED', deletedAt: null })
  })
})

describe('a proof', () => {
  const seal = (id: string, caller = its.caller) => its.workflows.sealProof(caller, id)
  const bytesOf = async (proof: Awaited<ReturnType<typeof seal>>) => buffer(Readable.from(proof.open()))

  test('closes the identity and repeats the same bytes while it is handed out', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    await aDocument(id)
    const first = await seal(id)
    expect(first.fileName).toBe(`${id}_20260301100000000.zip`)
    expect(identityOf(id).status).toBe('CLOSED')
    const bytes = await bytesOf(first)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(first.sha256)
    expect(bytes.byteLength).toBe(first.size)
    its.tick(HOUR_MS)
    const again = await seal(id)
    expect(await bytesOf(again)).toEqual(bytes)
    expect(again).toMatchObject({ fileName: first.fileName, sha256: first.sha256, size: first.size })
    const proof = store().proofs.find(id)
    expect(proof).toMatchObject({
      sealedAt: new Date('2026-03-01T10:00:00Z'),
      expiresAt: new Date('2026-03-02T10:00:00Z'),
      levelOfAssurance: identityOf(id).levelOfAssurance,
    })
    const actor = `RELYING_SERVICE:${its.t.applicationId}`
    expect(its.events('proof.')).toMatchObject([
      {
        type: 'proof.sealed',
        body: { proofId: proof?.id, sha256: first.sha256, bytes: first.size, test: true },
        actor,
      },
      { type: 'proof.retrieved', body: { proofId: proof?.id }, actor },
    ])
    expect(its.woken.sync).toBe(1)
    expect(store().deadlines.find('retention', id)).not.toBeNull()
  })

  test('is not noted as retrieved before its first byte leaves', async () => {
    const id = await its.anIdentity()
    const proof = await seal(id)
    expect(its.events('proof.retrieved')).toEqual([])
    await bytesOf(proof)
    expect(its.events('proof.retrieved')).toHaveLength(1)
    expect(store().proofs.retrievedAt(store().proofs.find(id)?.id ?? '')).toEqual(its.now())
  })

  test('that is looked at by who may only read was not retrieved by its owner', async () => {
    const shop = store().apiKeys.ensureApplication('tenant', 'shop', its.now())
    Object.assign(its.ctx.config.tenant, { sharing: [{ application: 'shop', of: ['test'], may: 'read' }] })
    const reader = { ...its.caller, applicationId: shop }
    const id = await its.anIdentity()
    await expect(seal(id, reader)).rejects.toMatchObject({ code: 'shared_for_reading' })
    await seal(id)
    await bytesOf(await seal(id, reader))
    expect(its.events('proof.read', 'proof.retrieved').map(({ type, actor }) => [type, actor])).toEqual([
      ['proof.read', `RELYING_SERVICE:${shop}`],
    ])
  })

  test('ends in the middle once the identity is erased', async () => {
    const id = await its.anIdentity()
    const proof = await seal(id)
    await its.workflows.eraseIdentity(its.caller, id)
    await expect(bytesOf(proof)).rejects.toThrow()
    await expect(seal(id)).rejects.toMatchObject({ code: 'proof_not_found' })
  })

  test('can be retrieved again only within its window', async () => {
    const id = await its.anIdentity()
    await bytesOf(await seal(id))
    its.tick(24 * HOUR_MS - 1)
    await seal(id)
    its.tick(1)
    await expect(seal(id)).rejects.toMatchObject({ code: 'proof_not_found' })
  })

  test('waits for what is being verified, and for what is paused', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    await its.workflows.submitDocument(its.caller, id, { front: uploadOf(aPassport()) })
    await expect(seal(id)).rejects.toMatchObject({ code: 'identity_processing' })
    await its.runJobs()
    store().transaction(() => store().identities.save({ ...identityOf(id), status: 'PAUSED' }))
    await expect(seal(id)).rejects.toMatchObject({ code: 'identity_paused' })
    expect(store().proofs.find(id)).toBeNull()
  })

  test('is built again when the identity changes meanwhile, three times at most', async () => {
    const id = await its.anIdentity()
    let changes = 1
    const put = store().proofs.put.bind(store().proofs)
    Object.assign(store().proofs, {
      put: async (...given: Parameters<typeof put>) => {
        await put(...given)
        if (changes-- > 0) store().transaction(() => store().identities.save(identityOf(id)))
      },
    })
    await seal(id)
    expect(its.events('proof.sealed')).toHaveLength(1)
    const second = await its.anIdentity()
    changes = Infinity
    Object.assign(store().proofs, {
      put: async (...given: Parameters<typeof put>) => {
        await put(...given)
        store().transaction(() => store().identities.save(identityOf(second)))
      },
    })
    await expect(seal(second)).rejects.toMatchObject({ code: 'revision_conflict' })
    expect(store().proofs.find(second)).toBeNull()
  })

  test('that the disk does not take leaves the identity open', async () => {
    const id = await its.anIdentity()
    Object.assign(store().proofs, {
      put: () => Promise.reject(new AppError('status_not_stored', { errno: 'ENOSPC' })),
    })
    await expect(seal(id)).rejects.toMatchObject({ code: 'proof_not_stored', details: { errno: 'ENOSPC' } })
    expect(identityOf(id).status).toBe('EXPECTING_INPUT')
  })

  test('is queued for the central service that the kiosk has joined', async () => {
    const id = await its.anIdentity()
    store().enrolments.begin(
      { centralUrl: 'https://centre.example', publicJwk: {}, privateJwk: {} },
      its.now(),
    )
    const trust = { centreId: 'centre' } as never
    store().enrolments.complete({ certificate: 'PEM', tenantId: 'branch', trust, enrolledAt: its.now() })
    const { sha256 } = await seal(id)
    const proof = store().proofs.find(id)
    const [entry] = store().outbox.listByIdentity(id)
    expect(entry).toMatchObject({ proofId: proof?.id, sha256, sealedAt: its.now() })
    expect(its.events('outbox.')).toMatchObject([
      { type: 'outbox.queued', body: { proofId: proof?.id, sequence: entry.sequence, sha256 } },
    ])
  })
})

describe('what is verified of an evidence', () => {
  const subjectOf = (evidenceId: string) => {
    const evidence = evidenceOf(evidenceId)
    return toSubject(its.ctx, identityOf(evidence.identityId), evidence)
  }

  test('of a document are its sides, with what the sender said of it', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const [front, back] = [aPassport(), aPassport({}, 'B')]
    const details = { jurisdiction: 'UTO', documentType: 'PASSPORT' as const, source: 'OTHER' as const }
    const { id: evidenceId } = await its.workflows.submitDocument(its.caller, id, {
      front: uploadOf(front),
      back: uploadOf(back),
      details,
    })
    const subject = subjectOf(evidenceId)
    expect(subject).toMatchObject({
      family: 'IDDOCUMENT',
      evidenceId,
      frames: [[], []],
      scannedBarcode: null,
      declaredType: 'PASSPORT',
      jurisdiction: 'UTO',
      isLive: false,
      sidesEnsured: false,
      attendance: null,
      testMode: true,
    })
    if (subject?.family !== 'IDDOCUMENT') throw new Error('no document')
    expect(Buffer.from(subject.front)).toEqual(Buffer.from(front))
    expect(Buffer.from(subject.back ?? [])).toEqual(Buffer.from(back))
  })

  test('of a portrait is what it is compared with: the elected document, and the others of the person', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const first = await aDocument(id)
    const second = await aDocument(id, aPassport({ documentNumber: 'M123456A7' }))
    const portrait = await aPortrait(id)
    const subject = subjectOf(portrait)
    if (subject?.family !== 'PORTRAIT') throw new Error('no portrait')
    const elected = identityOf(id).portraitReferenceId
    expect([first, second]).toContain(elected)
    expect(subject.reference?.evidenceId).toBe(elected)
    expect(subject.further?.map(({ evidenceId }) => evidenceId)).toEqual(
      [first, second].filter((one) => one !== elected),
    )
    expect(subject.liveness).toBeNull()
    expect(subject.frames).toEqual([])
    expect(Buffer.from(subject.image ?? [])).toEqual(Buffer.from(FACE))
    // One that is withdrawn, or not verified, is none of them.
    const other = [first, second].find((one) => one !== elected) ?? ''
    for (const over of [{ status: 'NOT_VERIFIED' as const }, { deletedAt: its.now() }]) {
      const before = evidenceOf(other)
      store().transaction(() => store().evidences.save({ ...before, ...over }))
      const changed = subjectOf(portrait)
      expect(changed?.family === 'PORTRAIT' && changed.further).toEqual([])
      store().transaction(() =>
        store().evidences.save({ ...evidenceOf(other), status: before.status, deletedAt: null }),
      )
    }
  })

  test('waits for a document that is being read, and not for one that is still being captured', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const { id: portrait } = await its.workflows.submitPortrait(its.caller, id, uploadOf(FACE))
    const waits = () => {
      const subject = subjectOf(portrait)
      return subject && waitsForDocument(its.ctx, subject, id)
    }
    expect(waits()).toBe(false)
    const session = await its.workflows.openDocumentSession(its.caller, id, {})
    expect(waits()).toBe(false)
    await its.workflows.captureDocument(session.sessionId, {
      sides: { FRONT: uploadOf(aPassport()), BACK: uploadOf(aPassport({ sex: 'M' })) },
    })
    expect(waits()).toBe(true)
    await its.runJobs()
    expect(waits()).toBe(false)
  })

  test('is nothing of a session that brought nothing', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const document = await its.workflows.openDocumentSession(its.caller, id, {})
    const portrait = await its.workflows.openPortraitSession(its.caller, id, { mode: 'webSDK' })
    expect([subjectOf(document.id), subjectOf(portrait.id)]).toEqual([null, null])
  })

  test('of data is what the identity already knows: the elected name and the contact', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT', 'ATTRIBUTES')
    const document = await aDocument(id)
    const surname = { value: 'ERIKSSON' }
    await its.workflows.submitAttributes(its.caller, id, { surname })
    const evidenceId = store().evidences.list(id).at(-1)?.id ?? ''
    expect(subjectOf(evidenceId)).toMatchObject({
      family: 'DATA',
      evidenceId,
      contact: null,
      reference: { evidenceId: document },
      testMode: true,
    })
  })
})

describe('a video of a capture', () => {
  const WEBM = Buffer.from([
    0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 0x01, 0x42, 0xf7, 0x81, 0x01, 0x42, 0xf2, 0x81, 0x04,
    0x42, 0xf3, 0x81, 0x08, 0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6d,
  ])
  const session = async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    return its.workflows.openPortraitSession(its.caller, id, { mode: 'webSDK' })
  }
  const videos = (evidenceId: string) => store().videos.listByIdentity(evidenceOf(evidenceId).identityId)

  test('is kept with the evidence; a later one takes its place', async () => {
    const { sessionId, id } = await session()
    const answer = await its.workflows.captureVideo(sessionId, { bytes: WEBM, declaredType: 'video/webm' })
    expect(answer.id).toBe(id)
    const [first] = videos(id)
    expect(first).toMatchObject({ evidenceId: id, mediaType: 'video/webm', bytes: WEBM.byteLength })
    await its.workflows.captureVideo(sessionId, { bytes: WEBM }, { channel: 'webSDK' })
    const [second, ...others] = videos(id)
    expect(others).toEqual([])
    expect(second.id).not.toBe(first.id)
    expect(evidenceOf(id).content.captureDetails).toMatchObject({ channel: 'webSDK' })
  })

  test.each<[string, { bytes: Uint8Array; declaredType?: string }, object]>([
    [
      'nothing',
      { bytes: Buffer.alloc(0) },
      { code: 'validation_failed', problems: [{ code: 'empty', field: 'Video' }] },
    ],
    [
      'a picture',
      { bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]) },
      { code: 'unsupported_image', problems: [{ code: 'unsupported_format' }] },
    ],
    [
      'another type than it says',
      { bytes: WEBM, declaredType: 'video/mp4' },
      { code: 'unsupported_image', problems: [{ code: 'type_mismatch' }] },
    ],
  ])('that is %s is refused', async (_, upload, problem) => {
    const { sessionId, id } = await session()
    await expect(its.workflows.captureVideo(sessionId, upload)).rejects.toMatchObject(problem)
    expect(videos(id)).toEqual([])
  })

  test('of a document session, or of a session that ended during the upload, is not stored', async () => {
    const { sessionId, id } = await session()
    const identityId = evidenceOf(id).identityId
    const document = await its.workflows.openDocumentSession(its.caller, identityId, {})
    await expect(its.workflows.captureVideo(document.sessionId, { bytes: WEBM })).rejects.toMatchObject({
      code: 'not_found',
    })
    const put = store().videos.put.bind(store().videos)
    let unlinked = 0
    const unlink = store().videos.unlink.bind(store().videos)
    Object.assign(store().videos, {
      put: async (...given: Parameters<typeof put>) => {
        await put(...given)
        await its.workflows.cancelPortraitSession(its.caller, identityId, sessionId)
      },
      unlink: (...given: Parameters<typeof unlink>) => {
        unlinked += given[0].length
        unlink(...given)
      },
    })
    await expect(its.workflows.captureVideo(sessionId, { bytes: WEBM })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(unlinked).toBe(1)
    expect(videos(id)).toEqual([])
  })
})

describe('who reads', () => {
  test('by a correlation id finds the caller’s own, else the only one that is shared with the caller', async () => {
    const create = async (applicationId: string) =>
      (
        await its.workflows.createIdentity(
          { ...its.caller, applicationId },
          { context: [], correlationId: 'C-1' },
        )
      ).id
    const ensure = (name: string) => store().apiKeys.ensureApplication('tenant', name, its.now())
    const [shop, desk, office] = [ensure('shop'), ensure('desk'), ensure('office')]
    Object.assign(its.ctx.config.tenant, {
      sharing: [{ application: 'office', of: ['shop', 'desk'], may: 'read' }],
    })
    const find = async () =>
      (await its.workflows.findIdentity({ ...its.caller, applicationId: office }, 'C-1', {
        detailed: false,
      })) as {
        globalStatus: { id: string }
      }
    await expect(find()).rejects.toMatchObject({ code: 'not_found' })
    const first = await create(shop)
    expect(JSON.stringify(await find())).toContain(first)
    await create(desk)
    await expect(find()).rejects.toMatchObject({
      code: 'validation_failed',
      problems: [{ code: 'ambiguous', field: 'correlationID' }],
    })
    const own = await create(office)
    expect(JSON.stringify(await find())).toContain(own)
  })

  test('sees the open identities of its application, and whether a face was submitted', async () => {
    const [first, second, sealed] = [
      await its.anIdentity('PORTRAIT', 'ID_DOCUMENT'),
      await its.anIdentity('PORTRAIT', 'ID_DOCUMENT'),
      await its.anIdentity(),
    ]
    await aPortrait(first)
    await its.workflows.openPortraitSession(its.caller, second, { mode: 'webSDK' })
    await its.workflows.sealProof(its.caller, sealed)
    const open = await its.workflows.openIdentities(its.caller)
    expect(open.map(({ id, hasPortrait }) => [id, hasPortrait]).sort()).toEqual(
      [
        [first, true],
        [second, false],
      ].sort(),
    )
    expect(await its.workflows.openIdentities({ ...its.caller, applicationId: 'another' })).toEqual([])
  })

  test('of a portrait or a document gets its picture, and of neither what is not there', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    await expect(its.workflows.getPortraitImage(its.caller, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(its.workflows.getPortrait(its.caller, id, { detailed: true })).rejects.toMatchObject({
      details: { resource: 'portrait' },
    })
    const document = await aDocument(id)
    const portrait = await aPortrait(id)
    const face = await its.workflows.getPortraitImage(its.caller, id)
    expect(face.mediaType).toBe('image/jpeg')
    expect(Buffer.from(face.bytes)).toEqual(Buffer.from(FACE))
    const sides = await its.workflows.getDocumentImage(its.caller, id, document)
    expect(sides.map(({ side }) => side)).toEqual(['FRONT'])
    await expect(its.workflows.getDocumentImage(its.caller, id, portrait)).rejects.toMatchObject({
      details: { resource: 'evidence' },
    })
    expect(await its.workflows.getEvidenceStatus(its.caller, id, document)).toMatchObject({ id: document })
  })
})

describe('a line that was read', () => {
  const place = { side: 'FRONT', frame: [], box: { x: 0.1, y: 0.2, width: 0.3, height: 0.1 } }
  const lines = [
    { field: 'surname', printed: 'ERIKSSON', hardToRead: true, place },
    { field: 'number', printed: 'L1', hardToRead: false, place: null },
    { field: 'address', printed: '1 High St', hardToRead: false, place: { ...place, side: 'BACK' } },
  ]

  test('is shown as printed, and cut out of its side where its place is known', async () => {
    const id = await its.anIdentity('PORTRAIT', 'ID_DOCUMENT')
    const document = await aDocument(id)
    const evidence = evidenceOf(document)
    const content = { ...evidence.content, readLines: lines as never }
    store().transaction(() => store().evidences.save({ ...evidence, content }))
    expect(await its.workflows.readLines(its.caller, id, document)).toEqual([
      { field: 'surname', printed: 'ERIKSSON', hardToRead: true, hasPlace: true },
      { field: 'number', printed: 'L1', hardToRead: false, hasPlace: false },
      { field: 'address', printed: '1 High St', hardToRead: false, hasPlace: true },
    ])
    const cut = await its.workflows.cutReadLine(its.caller, id, document, 'surname')
    expect(cut.mediaType).toBe('image/jpeg')
    expect(Buffer.from(cut.bytes).toString()).toContain('line at 0.20')
    for (const field of ['number', 'address', 'nothing']) {
      await expect(its.workflows.cutReadLine(its.caller, id, document, field)).rejects.toMatchObject({
        details: { resource: 'line' },
      })
    }
    const portrait = await aPortrait(id)
    expect(await its.workflows.readLines(its.caller, id, portrait)).toEqual([])
  })
})
