/** Each antifraud check through the API of a whole appliance: what it finds, what it tells, and what it leaves behind. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import type { FraudCheckType } from '../../../server/proofing/types.ts'
import {
  answerWith,
  keepSilent,
  startRegister,
  type Register,
} from '../../../server/tools/simulator/register.ts'
import { importList } from '../../../server/watchlists/import-list.ts'
import { documentForm } from '../../support/app.ts'
import { filesIn, findIn, formsOf } from '../../support/byte-scan.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, HOLDER, picture, scriptedVision } from './scripted-vision.ts'
import { NUMBER, startWholeApp } from './whole-app.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const pathOf = (id: string) => `/v1/identities/${id}/antifraud`

function checksOf(client: ProofingClient) {
  const read = async (id: string, type: FraudCheckType) => {
    const { checks } = await client.ask('FraudCheckAnswer', 'GET', pathOf(id))
    return checks.find((check) => check.type === type)
  }
  const request = (id: string, ...types: readonly FraudCheckType[]) =>
    client.ask('FraudCheckAnswer', 'POST', pathOf(id), { payload: types.map((type) => ({ type })) })
  return {
    read,
    request,
    check: async (id: string, type: FraudCheckType) => {
      await request(id, type)
      await client.app.runJobs()
      return read(id, type)
    },
  }
}

async function withPassport(client: ProofingClient, documentNumber: string, face = 'A') {
  const id = await client.anIdentity()
  const documentId = await client.document(id, aPassport({ documentNumber }, face))
  return { id, documentId }
}

describe('VELOCITY', () => {
  const LIMITS = {
    device: { identities: 100, hours: 1 },
    document: { identities: 2, hours: 24 },
    address: { identities: 1, hours: 48 },
  }
  let client: ProofingClient
  beforeAll(async () => {
    client = await startProofing({ antifraud: { velocity: LIMITS }, retention: { abandonedHours: 0 } })
  })
  afterAll(() => client.app.close())

  // @clause NIST-63A-4/3.2.1-checks
  test('counts who came with one document within its window, and no longer', async () => {
    const { check } = checksOf(client)
    const first = await withPassport(client, 'VELO00001')
    await withPassport(client, 'VELO00001')
    expect(await check(first.id, 'VELOCITY')).toMatchObject({
      status: 'VERIFIED',
      indicators: ['VELOCITY_OK'],
      subjects: [first.documentId],
      measured: { documentIdentities: 2, documentLimit: 2, documentHours: 24 },
    })
    await client.passTime(12 * HOUR_MS)
    const third = await withPassport(client, 'VELO00001')
    expect(await check(third.id, 'VELOCITY')).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['VELOCITY_WARNING'],
      measured: { documentIdentities: 3 },
    })
    // Another document is none of it.
    const other = await withPassport(client, 'VELO00002')
    expect(await check(other.id, 'VELOCITY')).toMatchObject({ measured: { documentIdentities: 1 } })
    await client.passTime(12 * HOUR_MS)
    expect(await check(third.id, 'VELOCITY')).toMatchObject({
      indicators: ['VELOCITY_OK'],
      measured: { documentIdentities: 1 },
    })
  })

  test('one identity that sends its document again and again is one', async () => {
    const { check } = checksOf(client)
    const { id } = await withPassport(client, 'VELO00003')
    for (let i = 0; i < 3; i++) await client.document(id, aPassport({ documentNumber: 'VELO00003' }))
    expect(await check(id, 'VELOCITY')).toMatchObject({ measured: { documentIdentities: 1 } })
  })

  test('counts who gave one address, however it is written', async () => {
    const { check } = checksOf(client)
    const living = async (street: string, documentNumber: string) => {
      const { id } = await withPassport(client, documentNumber)
      const payload = {
        streetDetails: { streetLines: [street] },
        postcode: 'U1 1AA',
        city: 'Utopia',
        country: 'UTO',
      }
      await client.ask('AddressesAnswer', 'POST', `/v1/identities/${id}/addresses`, { payload })
      await client.app.runJobs()
      return id
    }
    const one = await living('12, Canal Street', 'VELO00004')
    expect(await check(one, 'VELOCITY')).toMatchObject({ indicators: ['VELOCITY_OK'] })
    const two = await living('12 CANAL STREET', 'VELO00005')
    expect(await check(two, 'VELOCITY')).toMatchObject({
      indicators: ['VELOCITY_WARNING'],
      measured: { addressIdentities: 2, documentIdentities: 1 },
    })
    const neighbour = await living('14 Canal Street', 'VELO00006')
    expect(await check(neighbour, 'VELOCITY')).toMatchObject({ indicators: ['VELOCITY_OK'] })
  })

  // @clause NIST-63A-4/3.2.1-checks
  test('counts what came from this kiosk', async () => {
    const { check } = checksOf(client)
    const { id } = await withPassport(client, 'VELO00007')
    const found = await check(id, 'VELOCITY')
    expect(Number(found?.measured?.deviceIdentities)).toBeGreaterThan(3)
  })

  test('forgets an erased person and keeps no fingerprint of them', async () => {
    const { check } = checksOf(client)
    const gone = await withPassport(client, 'VELO00008')
    const { erasures } = client.app.appliance.store
    expect(erasures.countRows(gone.id).velocity_marks).toBeGreaterThan(0)
    await client.app.call('DELETE', `/v1/identities/${gone.id}`)
    expect(erasures.countRows(gone.id)).toEqual({})
    const { id } = await withPassport(client, 'VELO00008')
    expect(await check(id, 'VELOCITY')).toMatchObject({ measured: { documentIdentities: 1 } })
  })

  test('keeps no mark for longer than the longest window that it is counted in', async () => {
    const { id } = await withPassport(client, 'VELO00009')
    const marks = () => client.app.appliance.store.erasures.countRows(id).velocity_marks ?? 0
    expect(marks()).toBe(2)
    await client.passTime(24 * HOUR_MS + 1)
    expect(marks()).toBe(0)
  })
})

describe('DUPLICATE_DOCUMENT', () => {
  test('knows a document for as long as the configuration says', async () => {
    const config = {
      antifraud: { duplicateDocument: { retentionDays: 2 } },
      retention: { abandonedHours: 0 },
    }
    const client = await startProofing(config)
    try {
      const { check } = checksOf(client)
      await withPassport(client, 'DUPL00001')
      const { id, documentId } = await withPassport(client, 'DUPL00001')
      expect(await check(id, 'DUPLICATE_DOCUMENT')).toMatchObject({
        indicators: ['DUPLICATE_DOCUMENT_WARNING'],
        subjects: [documentId],
        measured: { otherIdentities: 1 },
      })
      await client.passTime(48 * HOUR_MS)
      const later = await withPassport(client, 'DUPL00001')
      expect(await check(later.id, 'DUPLICATE_DOCUMENT')).toMatchObject({
        indicators: ['DUPLICATE_DOCUMENT_OK'],
      })
    } finally {
      await client.app.close()
    }
  })
})

describe('DOCUMENT_STATUS', () => {
  let fake: Register
  let client: ProofingClient
  beforeEach(async () => {
    fake = await startRegister({ date: '2026-03-02' })
    client = await startProofing({
      connectors: {
        documentStatus: {
          url: fake.url,
          allowHttp: true,
          timeoutMs: 2_000,
          authoritative: true,
          coversDeaths: true,
        },
      },
      antifraud: { documentStatus: { retryMinutes: 10, retries: 2 } },
      retention: { abandonedHours: 0 },
    })
  })
  afterEach(async () => {
    await client.app.close()
    await fake.close()
  })

  test('of a document that no register knows is passed, by the issuer where the register is the issuer’s', async () => {
    fake.with({ coversDeaths: true })
    const { id, documentId } = await withPassport(client, 'STAT00001')
    expect(await checksOf(client).check(id, 'DOCUMENT_STATUS')).toMatchObject({
      status: 'VERIFIED',
      indicators: ['DOCUMENT_STATUS_OK', 'DOCUMENT_STATUS_ISSUER_OK', 'DEATH_RECORD_OK'],
      subjects: [documentId],
      measured: { documents: 1, remoteRegister: 'Utopian register', remoteDate: '2026-03-02' },
    })
  })

  test.each([
    ['STOLEN', ['DOCUMENT_STATUS_FAILED']],
    ['HOLDER_DECEASED', ['DOCUMENT_STATUS_FAILED', 'DEATH_RECORD_FAILED']],
  ] as const)(
    'of one that is known as %s is INVALID; the document itself stays what it was',
    async (reason, indicators) => {
      fake.know({ 'PASSPORT\nUTO\nSTAT00002': reason })
      const { id } = await withPassport(client, 'STAT00002')
      expect(await checksOf(client).check(id, 'DOCUMENT_STATUS')).toMatchObject({
        status: 'INVALID',
        indicators,
        measured: { reasons: reason },
      })
      expect((await client.identity(id)).idDocuments[0]?.evidenceStatus.status).toBe('VERIFIED')
    },
  )

  test('tells the register five digits of a hash, and nothing of the person', async () => {
    const canary = { surname: 'ZAPHODOVAQUIX', documentNumber: 'QX73901ZW', birthDate: '311029' }
    const id = await client.anIdentity()
    const lines = buildTd3({ ...HOLDER, ...canary })
    await client.document(id, picture({ shows: 'document', lines, face: 'A' }))
    await checksOf(client).check(id, 'DOCUMENT_STATUS')
    expect(fake.requests).toHaveLength(1)
    const [{ method, path, headers, body }] = fake.requests
    expect(`${method} ${path}`).toMatch(/^GET \/ranges\/[0-9A-F]{5}$/)
    expect(body).toBe('')
    expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent'])
    expect(headers['user-agent']).toMatch(/^counterproof\/\d/)

    await checksOf(client).request(id, 'VELOCITY', 'WATCHLIST', 'DUPLICATE_DOCUMENT')
    await client.app.runJobs()
    const forms = Object.fromEntries(
      Object.entries({ ...canary, birthDate: '1931-10-29' }).map(([name, text]) => [name, formsOf(text)]),
    )
    expect(findIn(filesIn(client.app.dataDir), forms)).toEqual([])
    expect(findIn([['log', Buffer.from(client.app.log())]], forms)).toEqual([])
  })

  test('without an answer is not verified and delays no applicant; the register is asked again, a stated number of times', async () => {
    const { check, read } = checksOf(client)
    const { id } = await withPassport(client, 'STAT00003')
    fake.say(answerWith(500))
    expect(await check(id, 'DOCUMENT_STATUS')).toMatchObject({
      status: 'NOT_VERIFIED',
      measured: { remoteTrouble: 'unexpected-answer', tried: 1 },
    })
    expect((await read(id, 'DOCUMENT_STATUS'))?.indicators).toContain('DOCUMENT_STATUS_UNVERIFIED')
    expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    expect(client.app.appliance.store.jobs.failed()).toBe(0)

    await client.passTime(10 * MINUTE_MS)
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ measured: { tried: 2 } })
    fake.say(null)
    await client.passTime(10 * MINUTE_MS)
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'VERIFIED' })
    const asked = fake.requests.length
    await client.passTime(60 * MINUTE_MS)
    expect(fake.requests).toHaveLength(asked)
  })

  test('is left at that after its last try', async () => {
    const { check, read } = checksOf(client)
    const { id } = await withPassport(client, 'STAT00004')
    fake.say(answerWith(500))
    await check(id, 'DOCUMENT_STATUS')
    for (let i = 0; i < 4; i++) await client.passTime(10 * MINUTE_MS)
    expect(fake.requests).toHaveLength(3)
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ measured: { tried: 3 } })
  })

  test('that a crash cut off is carried out once after the next start', async () => {
    const { read } = checksOf(client)
    const { id } = await withPassport(client, 'STAT00005')
    const { store } = client.app.appliance
    // The state after a crash: the job was claimed, and its end never recorded.
    store.transaction(() => {
      store.fraudChecks.put(id, {
        type: 'DOCUMENT_STATUS',
        status: 'PROCESSING',
        indicators: [],
        subjects: [],
        measured: {},
        requestedAt: client.now(),
        evaluatedAt: null,
      })
      store.jobs.add('run-fraud-checks', id, {}, client.now())
      expect(store.jobs.claim(client.now())).toMatchObject({ kind: 'run-fraud-checks' })
    })
    await client.restart()
    await client.app.runJobs()
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'VERIFIED' })
    expect(client.events(id).filter(([type]) => type === 'antifraud.decided')).toHaveLength(1)
    expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
  })

  test('asked for before there is a document is carried out by itself when there is one', async () => {
    const { check, read } = checksOf(client)
    const id = await client.anIdentity()
    expect(await check(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'NOT_VERIFIED', subjects: [] })
    expect(fake.requests).toEqual([])
    const documentId = await client.document(id, aPassport({ documentNumber: 'STAT00006' }))
    await client.app.runJobs()
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'VERIFIED', subjects: [documentId] })
    expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
  })

  test('stands in the proof with what it looked at and what was counted, and is shown to no user agent', async () => {
    const { id } = await withPassport(client, 'STAT00007')
    const found = await checksOf(client).check(id, 'DOCUMENT_STATUS')
    expect((await client.identity(id)).counterproof?.antifraud).toEqual([found])
    expect(await client.identity(id, { key: client.app.userAgentKey })).not.toHaveProperty('counterproof')
    const { files } = await openProof(client.app, id)
    const details = JSON.parse(
      Buffer.from(files.get('identityDetails.json') ?? []).toString('utf8'),
    ) as object
    expect(details).toMatchObject({ counterproof: { antifraud: [found] } })
  })

  test('that is open keeps the proof from being sealed', async () => {
    const { id } = await withPassport(client, 'STAT00008')
    fake.say(keepSilent)
    await checksOf(client).request(id, 'DOCUMENT_STATUS')
    expect(await client.refusal('GET', `/v1/identities/${id}/proof`)).toMatchObject({
      code: 'identity_processing',
    })
    await client.app.runJobs()
    expect((await client.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
  })

  test('that had failed stays in force when the consent for the document is taken back', async () => {
    fake.know({ 'PASSPORT\nUTO\nSTAT00009': 'LOST' })
    const { check, read } = checksOf(client)
    const { id, documentId } = await withPassport(client, 'STAT00009')
    expect(await check(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'INVALID', subjects: [documentId] })
    const consent = (approved: boolean) =>
      client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
        payload: [{ type: 'ID_DOCUMENT', approved }],
      })
    await consent(false)
    await client.app.runJobs()
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'INVALID' })
  })

  test('goes wrong for good by a fault of ours, and says so', async () => {
    const { id } = await withPassport(client, 'STAT00010')
    const spoilt = vi
      .spyOn(client.app.appliance.store.documentFingerprints, 'countOthersByIdentity')
      .mockImplementation(() => {
        throw new TypeError('our machine broke')
      })
    await checksOf(client).request(id, 'DUPLICATE_DOCUMENT')
    await client.endJobs(id)
    spoilt.mockRestore()
    expect(await checksOf(client).read(id, 'DUPLICATE_DOCUMENT')).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['DUPLICATE_DOCUMENT_UNVERIFIED'],
      measured: { technical: 1 },
    })
    expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    expect(client.app.appliance.store.jobs.failed()).toBe(1)
  })
})

describe('DOCUMENT_STATUS with a register of known fraud', () => {
  let documents: Register
  let fraud: Register
  let client: ProofingClient
  beforeAll(async () => {
    documents = await startRegister({ date: '2026-03-02' })
    fraud = await startRegister({ date: '2026-03-02', coversDeaths: true })
    const at = ({ url }: Register) => ({ url, allowHttp: true, timeoutMs: 2_000, coversDeaths: true })
    client = await startProofing({
      connectors: { documentStatus: at(documents), fraudRegister: at(fraud) },
      antifraud: { documentStatus: { retryMinutes: 10, retries: 2 } },
      retention: { abandonedHours: 0 },
    })
  })
  beforeEach(() => {
    fraud.know({})
    fraud.say(null)
  })
  afterAll(async () => {
    await client.app.close()
    await documents.close()
    await fraud.close()
  })
  const PERSON = 'PERSON\nERIKSSON\nANNA MARIA\n1974-08-12'

  test('passes where neither the document nor the person is known, and counts for the dead too', async () => {
    const { id } = await withPassport(client, 'FRAU00001')
    const before = fraud.requests.length
    expect(await checksOf(client).check(id, 'DOCUMENT_STATUS')).toMatchObject({
      status: 'VERIFIED',
      indicators: ['DOCUMENT_STATUS_OK', 'KNOWN_FRAUD_OK', 'DEATH_RECORD_OK'],
      measured: { fraudRegister: 'Utopian register', fraudDate: '2026-03-02' },
    })
    const asked = fraud.requests.slice(before).map(({ method, path, body }) => `${method} ${path} ${body}`)
    // The document and the person.
    expect(asked).toHaveLength(2)
    for (const line of asked) expect(line).toMatch(/^GET \/ranges\/[0-9A-F]{5} $/)
  })

  test.each([
    ['PASSPORT\nUTO\nFRAU00002', 'USED_IN_FRAUD', 'INVALID', ['KNOWN_FRAUD_FAILED']],
    [PERSON, 'FALSE_IDENTITY', 'INVALID', ['KNOWN_FRAUD_FAILED']],
    [PERSON, 'IMPERSONATED', 'NOT_VERIFIED', ['KNOWN_FRAUD_WARNING']],
    [PERSON, 'DECEASED', 'INVALID', ['KNOWN_FRAUD_FAILED', 'DEATH_RECORD_FAILED']],
  ] as const)('finds %j as %s: %s', async (name, reason, status, indicators) => {
    fraud.know({ [name]: reason })
    const { id } = await withPassport(client, 'FRAU00002')
    const found = await checksOf(client).check(id, 'DOCUMENT_STATUS')
    expect(found).toMatchObject({ status, measured: { fraudReasons: reason } })
    expect(found?.indicators).toEqual(['DOCUMENT_STATUS_OK', ...indicators])
    const { levelOfAssurance } = (await client.identity(id)).globalStatus
    expect(status === 'INVALID' ? levelOfAssurance : 'LOA0').toBe('LOA0')
  })

  test.each(['ANNA', 'ANNA LOVISA', 'ANNA MARIA LOVISA'])(
    'leaves a dead namesake with the given names %s to an officer, and clears no person',
    async (given) => {
      fraud.know({ [`PERSON\nERIKSSON\n${given}\n1974-08-12`]: 'DECEASED' })
      const { id } = await withPassport(client, 'FRAU00006')
      const found = await checksOf(client).check(id, 'DOCUMENT_STATUS')
      expect(found).toMatchObject({ status: 'NOT_VERIFIED', measured: { namesakeReasons: 'DECEASED' } })
      expect(found?.indicators).toEqual([
        'DOCUMENT_STATUS_OK',
        'KNOWN_FRAUD_WARNING',
        'DEATH_RECORD_UNVERIFIED',
        'SOURCE_RECORD_UNVERIFIED',
      ])
    },
  )

  test('is another person with another birth date', async () => {
    fraud.know({ 'PERSON\nERIKSSON\nANNA MARIA\n1974-08-13': 'FALSE_IDENTITY' })
    const { id } = await withPassport(client, 'FRAU00003')
    expect(await checksOf(client).check(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'VERIFIED' })
  })

  test('that found fraud is not cleared by a new request while the register does not answer', async () => {
    fraud.know({ [PERSON]: 'USED_IN_FRAUD' })
    const { id } = await withPassport(client, 'FRAU00005')
    const { check, read } = checksOf(client)
    expect(await check(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'INVALID' })
    fraud.say(answerWith(500))
    const again = await check(id, 'DOCUMENT_STATUS')
    expect(again).toMatchObject({ status: 'INVALID' })
    expect(again?.indicators).toContain('KNOWN_FRAUD_FAILED')
    expect((await client.identity(id)).globalStatus.levelOfAssurance).toBe('LOA0')
    fraud.know({})
    fraud.say(null)
    await client.passTime(10 * MINUTE_MS)
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'VERIFIED' })
  })

  test('stays open while that register does not answer, and is asked again', async () => {
    fraud.say(answerWith(500))
    const { id } = await withPassport(client, 'FRAU00004')
    const { check, read } = checksOf(client)
    expect(await check(id, 'DOCUMENT_STATUS')).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: [
        'DOCUMENT_STATUS_OK',
        'KNOWN_FRAUD_UNVERIFIED',
        'SOURCE_ANSWER_UNVERIFIED',
        'CONNECTOR_UNVERIFIED',
      ],
      measured: { fraudTrouble: 'unexpected-answer', tried: 1 },
    })
    fraud.say(null)
    await client.passTime(10 * MINUTE_MS)
    expect(await read(id, 'DOCUMENT_STATUS')).toMatchObject({ status: 'VERIFIED' })
  })
})

describe('WATCHLIST', () => {
  let client: ProofingClient
  beforeEach(async () => {
    client = await startProofing({ retention: { abandonedHours: 0 } })
  })
  afterEach(() => client.app.close())

  const importOf = async (rows: string) => {
    const file = join(client.app.dataDir, 'list.csv')
    writeFileSync(file, `id,given_names,surname,date_of_birth,countries\n${rows}\n`)
    const options = { file, format: 'auto', name: 'utopian-list', date: '2026-03-02', force: true } as const
    await importList(client.app.appliance.store, options, client.now())
    rmSync(file)
  }

  test('without a list is not known, and no level is held down for it', async () => {
    const { id } = await withPassport(client, 'LIST00001')
    expect(await checksOf(client).check(id, 'WATCHLIST')).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['WATCHLIST_UNVERIFIED'],
    })
  })

  test('refers an applicant who is on it to an adjudicator, and rejects no applicant', async () => {
    await importOf('U-17,Anna Maria,Eriksson,1974-08-12,UTO')
    const { id, documentId } = await withPassport(client, 'LIST00002')
    const found = await checksOf(client).check(id, 'WATCHLIST')
    expect(found).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['WATCHLIST_WARNING'],
      subjects: [documentId],
      measured: { list1: 'utopian-list', list1Date: '2026-03-02', entries: 'utopian-list:U-17' },
    })
    expect((await client.identity(id)).idDocuments[0]?.evidenceStatus.status).toBe('VERIFIED')
    expect(JSON.stringify(found)).not.toMatch(/eriksson/i)
  })

  test('is passed by whom no list comes near, until the list is too old', async () => {
    await importOf('U-18,Grzegorz,Brzezinski,1951-01-30,POL')
    const { check } = checksOf(client)
    const { id } = await withPassport(client, 'LIST00003')
    expect(await check(id, 'WATCHLIST')).toMatchObject({ status: 'VERIFIED', indicators: ['WATCHLIST_OK'] })
    await client.passTime(8 * 24 * HOUR_MS)
    // The transaction is over by then: another one of the same person.
    const later = await withPassport(client, 'LIST00004')
    expect(await check(later.id, 'WATCHLIST')).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['WATCHLIST_UNVERIFIED', 'WATCHLIST_CURRENCY_UNVERIFIED'],
    })
  })
})

describe('DEVICE_INTEGRITY', () => {
  const CAMERA = { vendor: '046d', product: '082d', serial: 'A1' }
  const ENVIRONMENT = { camera: CAMERA, inspection: { everyDays: 7 } }
  let client: ProofingClient
  beforeEach(async () => {
    client = await startProofing(
      { environment: ENVIRONMENT, retention: { abandonedHours: 0 } },
      scriptedVision(),
    )
  })
  afterEach(() => client.app.close())

  const withCamera = async (camera?: object) => {
    const id = await client.anIdentity()
    const body = documentForm(aPassport())
    if (camera) body.append('DocumentCaptureDetails', JSON.stringify({ camera }))
    await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
    await client.app.runJobs()
    return id
  }
  const inspected = () => {
    const entry = {
      id: crypto.randomUUID(),
      at: client.now(),
      entry: 'INSPECTED',
      outcome: 'PASSED',
    } as const
    client.app.appliance.store.deviceLedger.add(entry, 'a statement')
  }
  const tampered = () => {
    const entry = {
      id: crypto.randomUUID(),
      at: client.now(),
      entry: 'TAMPERED',
      kind: 'CASE_OPENED',
    } as const
    client.app.appliance.store.deviceLedger.add(entry, 'a statement')
  }
  const unverifiedOf = async (id: string) =>
    (await client.identity(id)).idDocuments[0]?.evidenceStatus.unverifiedIndicators ?? []

  test('is passed by the pinned camera of a device that was inspected in time', async () => {
    inspected()
    const id = await withCamera(CAMERA)
    expect(await checksOf(client).check(id, 'DEVICE_INTEGRITY')).toMatchObject({
      status: 'VERIFIED',
      indicators: ['DEVICE_INTEGRITY_OK'],
      measured: { camera: 'SAME', inspection: 'IN_DATE', clock: 'SYSTEM' },
    })
    for (const indicator of ['CAMERA_UNVERIFIED', 'CAMERA_IDENTITY_UNVERIFIED', 'INSPECTION_UNVERIFIED']) {
      expect(await unverifiedOf(id)).not.toContain(indicator)
    }
  })

  // @clause NIST-63A-4/4.10-inspection
  test('is not known when the inspection is overdue, and evidence says so from that moment on', async () => {
    inspected()
    await client.passTime(7 * 24 * HOUR_MS)
    expect(await unverifiedOf(await withCamera(CAMERA))).not.toContain('INSPECTION_UNVERIFIED')
    await client.passTime(1)
    const id = await withCamera(CAMERA)
    expect(await checksOf(client).check(id, 'DEVICE_INTEGRITY')).toMatchObject({
      indicators: ['DEVICE_INTEGRITY_UNVERIFIED'],
      measured: { inspection: 'OVERDUE' },
    })
    expect(await unverifiedOf(id)).toContain('INSPECTION_UNVERIFIED')
  })

  // @clause NIST-63A-4/3.14-sensor
  test.each([
    [undefined, ['CAMERA_IDENTITY_UNVERIFIED'], 'DEVICE_INTEGRITY_UNVERIFIED'],
    [
      { vendor: 'ffff', product: 'ffff' },
      ['CAMERA_IDENTITY_UNVERIFIED', 'CAMERA_UNVERIFIED'],
      'DEVICE_INTEGRITY_WARNING',
    ],
  ])('with the camera %o: the document carries %j and stays verified', async (camera, indicators, found) => {
    inspected()
    const id = await withCamera(camera)
    const { evidenceStatus } = (await client.identity(id)).idDocuments[0] ?? {}
    expect(evidenceStatus).toMatchObject({ status: 'VERIFIED' })
    const raised = evidenceStatus?.unverifiedIndicators?.filter((name) => name.startsWith('CAMERA'))
    expect(raised).toEqual(indicators)
    expect(await checksOf(client).check(id, 'DEVICE_INTEGRITY')).toMatchObject({ indicators: [found] })
  })

  test('has failed from the moment of a tampering on', async () => {
    inspected()
    tampered()
    const id = await withCamera(CAMERA)
    const found = await checksOf(client).check(id, 'DEVICE_INTEGRITY')
    expect(found).toMatchObject({ status: 'INVALID', measured: { tampered: 1 } })
    expect(found?.indicators).toEqual(['DEVICE_INTEGRITY_FAILED', 'TAMPER_EVIDENCE_UNVERIFIED'])
    expect(await unverifiedOf(id)).toContain('TAMPER_EVIDENCE_UNVERIFIED')
    const { body } = await client.app.json('GET', '/healthcheck', { key: null })
    expect((body as { components: { inspection: object } }).components.inspection).toMatchObject({
      status: 'DEGRADED',
      detail: expect.stringContaining('CASE_OPENED') as string,
    })
  })

  // @clause NIST-63A-4/4.10-tamper
  test('after a tampering, the same evidence reaches less than before', async () => {
    inspected()
    const levelOf = async () => {
      const id = await withCamera(CAMERA)
      await client.portrait(id, picture({ shows: 'person', face: 'A' }))
      await client.app.runJobs()
      return (await client.identity(id)).globalStatus.levelOfAssurance
    }
    expect(await levelOf()).toBe('LOA1')
    tampered()
    expect(await levelOf()).toBe('LOA0')
  })

  test('what was wrong stands in the record of the evidence', async () => {
    const id = await withCamera()
    const [evidence] = client.app.appliance.store.evidences.list(id)
    const record = client.app.appliance.store.evidences.verification(evidence).at(-1)
    expect(record).toMatchObject({
      participantType: 'ANTIFRAUD',
      raisedIndicators: ['CAMERA_IDENTITY_UNVERIFIED', 'INSPECTION_UNVERIFIED'],
      verificationServices: [{ serviceName: 'environment' }],
      measurements: [
        { check: 'CAMERA_IDENTITY', outcome: 'inconclusive', measured: { fault: 'CAMERA_NOT_PINNED' } },
        { check: 'INSPECTION', outcome: 'inconclusive', measured: { fault: 'INSPECTION_OVERDUE' } },
      ],
    })
    // The level of the proof is derived from it alone, faults and all.
    const { details } = await openProof(client.app, id)
    const services = details.flatMap(({ verificationDetails }) =>
      verificationDetails.flatMap(({ verificationServices }) =>
        verificationServices.map(({ serviceName }) => serviceName),
      ),
    )
    expect(services).toContain('environment')
  })
})

test('a phone number that was verified on a tampered device says so', async () => {
  const whole = await startWholeApp()
  try {
    const { store } = whole.app.appliance
    const entry = {
      id: crypto.randomUUID(),
      at: whole.now(),
      entry: 'TAMPERED',
      kind: 'USB_CHANGED',
    } as const
    store.deviceLedger.add(entry, 'a statement')
    const id = await whole.anIdentity()
    const path = `/v1/identities/${id}/contact-details/mobile`
    await whole.ask('MobileSubmitAnswer', 'POST', path, { payload: { value: NUMBER } })
    await whole.endJobs(id)
    await whole.app.call('POST', `${path}/otp`, { payload: { value: whole.gateway.lastCode() } })
    const [evidence] = store.evidences.list(id)
    expect(evidence).toMatchObject({ status: 'VERIFIED' })
    expect(evidence.evaluation.unverifiedIndicators).toEqual([
      'MOBILE_OWNERSHIP_UNVERIFIED',
      'SOURCE_CONFIGURATION_UNVERIFIED',
      'TAMPER_EVIDENCE_UNVERIFIED',
    ])
    expect(store.evidences.verification(evidence)).toMatchObject([
      { verificationServices: [{ serviceName: 'mobile-otp' }], participantState: 'ACCEPTED' },
      { verificationServices: [{ serviceName: 'environment' }] },
    ])
  } finally {
    await whole.close()
  }
})

test('an appliance of which nothing was configured leaves no fault on any evidence', async () => {
  const client = await startProofing()
  try {
    const { id } = await withPassport(client, 'FIRST0001')
    const [evidence] = client.app.appliance.store.evidences.list(id)
    const services = client.app.appliance.store.evidences
      .verification(evidence)
      .flatMap(({ verificationServices }) => verificationServices.map(({ serviceName }) => serviceName))
    expect(services).not.toContain('environment')
  } finally {
    await client.app.close()
  }
})
