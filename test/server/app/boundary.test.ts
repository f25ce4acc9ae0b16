/**
 * The boundary between applications of one tenant. Every operation of /v1 is made from the route table and tried on what another
 * application has made: with that application's back-end key, its user-agent key, and tokens of other identities. What may come
 * is 404 or 403, and nothing may have changed. An operation for whose parameters there is no recipe fails these tests.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../../server/api/routes.ts'
import type { NewKeys } from '../../../server/store/api-keys.ts'
import { documentForm, portraitForm } from '../../support/app.ts'
import { KEYED_ROUTES, prepare, type ListedRoute, type Recipe } from '../../support/every-operation.ts'
import { startIdentityProvider, type IdentityProvider } from '../../../server/tools/simulator/oidc.ts'
import { startSmsGateway, type SmsGateway } from '../../../server/tools/simulator/sms.ts'
import { eventually, startReceiver, type Receiver } from '../../support/webhook-receiver.ts'
import { HARD_TO_READ, UNSURE_FACE, visionInDoubt } from './adjudicators.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'
import { aPassport } from './scripted-vision.ts'

const CONSENTS = ['ID_DOCUMENT', 'PORTRAIT', 'MOBILE_OTP', 'EMAIL_OTP', 'LANDLINE', 'GIV', 'ID_CLAIM']
const UNKNOWN = '01890a5d-ac96-774b-bcce-0123456789ab'
const SLOW = 120_000

let gateway: SmsGateway
let provider: IdentityProvider
let receiver: Receiver
let app: ClockedApp
/** The stranger shares nothing with the owner; the reader may look, the partner may act, the service adjudicates. */
let stranger: NewKeys
let reader: NewKeys
let partner: NewKeys
let service: NewKeys

beforeAll(async () => {
  gateway = await startSmsGateway()
  receiver = await startReceiver()
  provider = await startIdentityProvider({
    clients: { counterproof: 'the secret' },
    account: { name: 'Anna Maria Eriksson' },
  })
  const bank = {
    id: 'bank',
    issuer: provider.issuer,
    clientId: 'counterproof',
    clientSecretFile: 'provider.secret',
    allowedPostAuthRedirects: ['https://service.example/done'],
  }
  app = await startClockedApp({
    config: {
      tenant: {
        id: 'default',
        name: 'Boundary',
        mode: 'test',
        policy: 'default',
        features: { pauseResume: true },
        adjudication: { service: { application: 'service' } },
        sharing: [
          { application: 'reader', of: ['test'], may: 'read' },
          { application: 'partner', of: ['test'], may: 'act' },
        ],
      },
      rateLimits: { otpPerMinute: 1000, relyingServicePerMinute: 100_000, userAgentPerMinute: 100_000 },
      otp: { perHour: 1000 },
      webhooks: { allowHttp: true, allowPrivateAddresses: true },
      connectors: {
        sms: { url: gateway.url, allowHttp: true, timeoutMs: 1000 },
        oidc: { allowHttp: true, providers: [bank] },
      },
    },
    files: { 'provider.secret': 'the secret\n' },
    vision: visionInDoubt(),
    started: ({ url }) => provider.serve(`${url}/oidc/callback`),
  })
  const { apiKeys } = app.app.appliance.store
  const pair = (name: string) => apiKeys.createPair('default', name, new Date())
  stranger = pair('stranger')
  reader = pair('reader')
  partner = pair('partner')
  service = pair('service')
}, SLOW)

afterAll(async () => {
  await app?.close()
  await receiver?.close()
  await gateway?.close()
  await provider?.goDown()
})

/** The owner's resources: one for every operation. */
interface Owned {
  readonly recipe: Recipe
  /** The owner's ids, which must not occur in another caller's answer. */
  readonly ids: readonly string[]
  readonly identities: readonly string[]
  /** Waits for a decision: a portrait compared with a document. */
  readonly portraitCase: { readonly id: string; readonly evidenceId: string; readonly documentId: string }
  /** Sealed already. */
  readonly sealed: string
}

let made = 0

async function ownEverything(): Promise<Owned> {
  const correlationId = `case ${made++} of the owner`
  const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
  const submit = async (id: string, path: string, body: FormData): Promise<string> => {
    const sent = await app.ask('SingleStatus', 'POST', at(id, path), { body })
    await app.app.runJobs()
    return sent.id
  }
  const created = await app.ask('GlobalStatus', 'POST', '/v1/identities', {
    payload: [],
    headers: { 'correlation-id': correlationId },
  })
  const main = created.id
  const payload = CONSENTS.map((type) => ({ type, approved: true }))
  await app.ask('ConsentList', 'POST', at(main, 'consents'), { payload })
  const documentId = await submit(main, 'id-documents/capture', documentForm(aPassport()))
  const portraitId = await submit(main, 'attributes/portrait/capture', portraitForm(UNSURE_FACE))
  const unread = await submit(main, 'id-documents/capture', documentForm(HARD_TO_READ))
  await app.ask('AdjudicationAnswer', 'POST', at(main, `adjudications/${unread}`))
  const form = new FormData()
  form.append('File', new Blob(['%PDF-1.7 letter']), 'letter.pdf')
  const file = await app.ask('AdditionalFileStatus', 'POST', at(main, 'additional-files'), { body: form })
  const addressed = await app.ask('AddressesAnswer', 'POST', at(main, 'addresses'), {
    payload: { city: 'Lyon' },
  })
  await app.ask('AttributesAnswer', 'POST', at(main, 'attributes'), {
    payload: { surname: { value: 'Eriksson' } },
  })
  const claim = { attributesData: { surname: { value: 'Eriksson' } } }
  await app.ask('SingleStatus', 'POST', at(main, 'claim'), { payload: claim })
  await app.ask('MobileSubmitAnswer', 'POST', at(main, 'contact-details/mobile'), {
    payload: { value: '+33639980001' },
  })
  await app.ask('SingleStatus', 'POST', at(main, 'contact-details/email'), {
    payload: { value: 'anna@mail.example' },
  })
  await app.ask('SingleStatus', 'POST', at(main, 'contact-details/landline'), {
    payload: { value: '+33139980001' },
  })
  const login = { idpIdentifier: 'bank' }
  await app.ask('TrustedClaimAnswer', 'POST', at(main, 'trusted-id-claim/oidc'), { payload: login })
  await app.ask('FraudCheckAnswer', 'POST', at(main, 'antifraud'), { payload: [{ type: 'VELOCITY' }] })
  await app.app.runJobs()

  const filming = await app.anIdentity(CONSENTS)
  const session = await app.ask(
    'PortraitSessionAnswer',
    'POST',
    at(filming, 'attributes/portrait/capture-session'),
  )
  const held = await app.anIdentity([])
  await app.app.call('PUT', at(held, 'legal-hold'), { payload: { reference: 'case' } })
  const erased = await app.anIdentity([])
  await app.app.call('DELETE', `/v1/identities/${erased}`)
  const sealed = await app.anIdentity([])
  expect((await app.app.call('GET', at(sealed, 'proof'))).status).toBe(200)

  const { adjudications } = await app.ask('DeskList', 'GET', '/v1/adjudications?limit=200')
  const caseOf = (evidenceId: string) =>
    adjudications.find((entry) => entry.evidenceId === evidenceId)?.adjudicationId ?? ''
  const { webhookId } = await app.ask('Webhook', 'POST', '/v1/webhooks', { payload: { url: receiver.url } })
  const { deliveryId } = await app.ask('WebhookDelivery', 'POST', `/v1/webhooks/${webhookId}/test`)
  await settle()
  const portraitCase = { id: main, evidenceId: portraitId, documentId }
  const { sessionId } = session
  const addressId = addressed.addresses[0]?.evidenceId ?? ''
  const identities = [main, filming, held, erased, sealed]
  const adjudicationId = caseOf(unread)
  expect([adjudicationId, caseOf(portraitId), addressId]).not.toContain('')
  return {
    portraitCase,
    sealed,
    identities,
    ids: [
      ...[...identities, documentId, portraitId, unread, file.id, addressId, sessionId],
      ...[adjudicationId, caseOf(portraitId), webhookId, deliveryId],
    ],
    recipe: {
      picture: aPassport(),
      ids: {
        ...{ id: main, evidenceId: documentId, fileId: file.id, sessionId, adjudicationId },
        ...{ webhookId, deliveryId, iso3: 'FRA' },
      },
      of: {
        getAddress: { evidenceId: addressId },
        getAdjudication: { evidenceId: unread },
        requestAdjudication: { evidenceId: unread },
        cancelPortraitSession: { id: filming },
        getLegalHold: { id: held },
        liftLegalHold: { id: held },
        getDeletionReceipt: { id: erased },
      },
      queries: { findIdentity: `?correlationID=${encodeURIComponent(correlationId)}` },
    },
  }
}

interface Reply {
  readonly status: number
  readonly text: string
  /** The code of a problem document. */
  readonly code: string | undefined
}

async function send(route: ListedRoute, recipe: Recipe, key: string): Promise<Reply> {
  const { method, path, body, headers } = prepare(route, recipe)
  const answer = await app.app.call(method, path, {
    key,
    ...(body === undefined ? {} : { body }),
    headers: { ...headers, 'user-agent': 'boundary/1.0 (en)' },
  })
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
  return { status: answer.status, text, code: /problem:(\w+)/.exec(text)?.[1] }
}

/** Operations that name nothing of another application: lists of one's own, creations, and what the whole world may know. */
const namesNothing = ({ path, parameters = [] }: ListedRoute): boolean =>
  !/\{(?!iso3)\w+\}/.test(path) && !parameters.some(({ required }) => required)

/** Waits for background work: jobs, webhooks, the first checkpoint of the audit log. */
async function settle(): Promise<void> {
  const { store } = app.app.appliance
  await app.app.runJobs()
  await eventually(
    () => [store.webhookDeliveries.count('PENDING'), store.checkpoints.latest() === null ? 1 : 0],
    ([pending, awaited]) => pending === 0 && awaited === 0,
  )
}

/** Every row of every table, and every file with its size, but for what counts time alone. */
function dump(): readonly string[] {
  const { dataDir } = app.app
  const rows = ['appliance.sqlite', 'keys/identity-keys.sqlite'].flatMap((name) => {
    const db = new Database(join(dataDir, name), { readonly: true })
    try {
      const tables = db
        .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
        .all()
      return tables.flatMap(({ name: table }) =>
        db
          .prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`)
          .all()
          // The cursor of a webhook advances independently of the writer.
          .map(({ cursor: _, ...row }) => `${table} ${JSON.stringify(row)}`),
      )
    } finally {
      db.close()
    }
  })
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.includes('.sqlite'))
    .flatMap((path) => {
      const stat = statSync(join(dataDir, path))
      return stat.isFile() ? [`${path} ${stat.size}`] : []
    })
  return [...rows, ...files].sort()
}

const mentioning = (ids: readonly string[]): readonly string[] =>
  dump().filter((row) => ids.some((id) => row.includes(id)))

const sameBut = (text: string, ids: readonly string[]): string =>
  ids
    .reduce((rest, id) => rest.replaceAll(id, '…'), text)
    .replaceAll(UNKNOWN, '…')
    .replaceAll(/"correlationId":"[^"]+"/g, '')

async function tokenFor(key: string, identityId: string): Promise<string> {
  const path = `/v1/identities/${identityId}/user-agent-token`
  return (await app.ask('UserAgentToken', 'POST', path, { key })).token
}

describe('an application that shares nothing with the owner', () => {
  let owned: Owned
  let holders: Readonly<Record<string, string>>
  beforeAll(async () => {
    owned = await ownEverything()
    const theirs = await app.ask('GlobalStatus', 'POST', '/v1/identities', {
      payload: [],
      key: stranger.relyingServiceKey,
    })
    const beside = await app.anIdentity([])
    holders = {
      'its back-end key': stranger.relyingServiceKey,
      'its user-agent key': stranger.userAgentKey,
      'a token of its own identity': await tokenFor(stranger.relyingServiceKey, theirs.id),
      'a token of another identity of the owner': await tokenFor(app.app.relyingServiceKey, beside),
    }
  }, SLOW)

  test.each([
    'its back-end key',
    'its user-agent key',
    'a token of its own identity',
    'a token of another identity of the owner',
  ])(
    'is refused by every operation on what the owner has made, with %s, and changes nothing',
    async (holder) => {
      const { recipe, identities } = owned
      const everywhere = [
        recipe,
        // Open, filmed, held, erased and sealed identities, too.
        ...identities.map((id) => ({ ...recipe, of: {}, ids: { ...recipe.ids, id } })),
      ]
      await settle()
      const before = dump()
      const answered: [Operation, number][] = []
      for (const route of KEYED_ROUTES.filter((each) => !namesNothing(each))) {
        for (const place of everywhere) {
          answered.push([route.operation, (await send(route, place, holders[holder] ?? '')).status])
        }
      }
      expect(answered.filter(([, status]) => status !== 404 && status !== 403)).toEqual([])
      expect(new Set(answered.map(([operation]) => operation)).size).toBeGreaterThan(50)
      expect(dump()).toEqual(before)
    },
    SLOW,
  )

  test(
    'learns nothing by the answer: an id of the owner and one that never was are answered alike',
    async () => {
      const { ids } = owned.recipe
      const unknownIds = Object.fromEntries(Object.keys(ids).map((name) => [name, UNKNOWN]))
      const nowhere = {
        ...owned.recipe,
        ids: unknownIds,
        of: {},
        queries: { findIdentity: '?correlationID=nobody' },
      }
      const differing: unknown[] = []
      for (const route of KEYED_ROUTES.filter((each) => !namesNothing(each))) {
        const there = await send(route, owned.recipe, stranger.relyingServiceKey)
        const not = await send(route, nowhere, stranger.relyingServiceKey)
        const [a, b] = [sameBut(there.text, owned.ids), sameBut(not.text, owned.ids)]
        if (there.status !== not.status || a !== b) differing.push([route.operation, there, not])
      }
      expect(differing).toEqual([])
    },
    SLOW,
  )

  test(
    'finds nothing of the owner in lists, and changes nothing of the owner',
    async () => {
      await settle()
      const before = mentioning(owned.ids)
      for (const route of KEYED_ROUTES.filter(namesNothing)) {
        for (const key of [stranger.relyingServiceKey, stranger.userAgentKey]) {
          const { text } = await send(route, owned.recipe, key)
          expect(owned.ids.filter((id) => text.includes(id))).toEqual([])
        }
      }
      expect(mentioning(owned.ids)).toEqual(before)
    },
    SLOW,
  )

  test('may use the correlation id and the repeat key of the owner for its own', async () => {
    const headers = { 'correlation-id': 'of both', 'idempotency-key': 'of-both' }
    const create = (key: string) =>
      app.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [], headers, key })
    const ours = await create(app.app.relyingServiceKey)
    const theirs = await create(stranger.relyingServiceKey)
    expect(theirs.id).not.toBe(ours.id)
    const found = (key: string) =>
      app.ask('Identity', 'GET', '/v1/identities?correlationID=of%20both', { key })
    expect((await found(app.app.relyingServiceKey)).globalStatus.id).toBe(ours.id)
    expect((await found(stranger.relyingServiceKey)).globalStatus.id).toBe(theirs.id)
    const again = { payload: [], headers: { 'correlation-id': 'of both' } }
    expect((await app.refusal('POST', '/v1/identities', again)).errors).toEqual([
      { code: 'not_unique', field: 'correlation-id' },
    ])
  })
})

describe('an application with which the owner’s identities are shared', () => {
  const isReading = ({ method, path, head }: ListedRoute): boolean =>
    method === 'get' && head !== false && !path.includes('webhooks')

  test(
    'for reading: looks, fetches pictures, and is told for everything else that it may only look',
    async () => {
      const owned = await ownEverything()
      await settle()
      const before = dump()
      const wrong: unknown[] = []
      for (const route of KEYED_ROUTES.filter((each) => !namesNothing(each))) {
        const reply = await send(route, owned.recipe, reader.relyingServiceKey)
        const expected = route.path.includes('webhooks')
          ? [404, 'not_found']
          : isReading(route)
            ? [200, undefined]
            : [403, 'shared_for_reading']
        const got = [reply.status, reply.status === 200 ? undefined : reply.code]
        if (String(got) !== String(expected)) wrong.push([route.operation, got, expected])
      }
      expect(wrong).toEqual([])
      expect(dump()).toEqual(before)
    },
    SLOW,
  )

  test('for reading: repeats a proof that was sealed, which is logged and starts no time of the owner', async () => {
    const { sealed } = await ownEverything()
    const other = await app.anIdentity([])
    const { store } = app.app.appliance
    const unread = await app.app.call('GET', `/v1/identities/${other}/proof`, {
      key: reader.relyingServiceKey,
    })
    expect(unread.status).toBe(403)
    await app.app.call('GET', `/v1/identities/${other}/proof`)
    const proof = store.proofs.find(sealed)
    const ofOwner = await app.app.call('GET', `/v1/identities/${sealed}/proof`)
    const ofReader = await app.app.call('GET', `/v1/identities/${sealed}/proof`, {
      key: reader.relyingServiceKey,
    })
    expect(Buffer.from(await ofReader.arrayBuffer())).toEqual(Buffer.from(await ofOwner.arrayBuffer()))
    const read = store.events
      .after(0, 100_000)
      .filter(({ type, identityId }) => type === 'proof.read' && identityId === sealed)
    expect(read).toMatchObject([
      { body: { proofId: proof?.id }, actor: `RELYING_SERVICE:${reader.applicationId}` },
    ])
  })

  test('for reading: does not count as the one who was to have the proof', async () => {
    const { sealed } = await ownEverything()
    const { store } = app.app.appliance
    // The state after a crash before the first byte went out.
    const db = new Database(join(app.app.dataDir, 'appliance.sqlite'))
    db.prepare('UPDATE proofs SET retrieved_at = NULL WHERE identity_id = ?').run(sealed)
    db.close()
    const retrievedAt = () => store.proofs.retrievedAt(store.proofs.find(sealed)?.id ?? '')
    const fetch = async (key: string) =>
      (await app.app.call('GET', `/v1/identities/${sealed}/proof`, { key })).arrayBuffer()
    await fetch(reader.relyingServiceKey)
    expect(retrievedAt()).toBeNull()
    await fetch(app.app.relyingServiceKey)
    expect(retrievedAt()).not.toBeNull()
  })

  test(
    'to act: does what the owner does, and its webhooks and user-agent key remain its own',
    async () => {
      const owned = await ownEverything()
      const wrong: unknown[] = []
      for (const route of inOrder(KEYED_ROUTES.filter((each) => !namesNothing(each)))) {
        const { status, code } = await send(route, owned.recipe, partner.relyingServiceKey)
        const isWebhook = route.path.includes('webhooks')
        if ((status === 404) !== isWebhook || code === 'shared_for_reading')
          wrong.push([route.operation, status, code])
      }
      expect(wrong).toEqual([])
    },
    SLOW,
  )

  test('never by a plain user-agent key, and by a token only where its back end may act', async () => {
    const id = await app.anIdentity([])
    const status = (key: string, of = id) =>
      app.app.call('GET', `/v1/identities/${of}/status`, { key }).then((answer) => answer.status)
    expect(await status(partner.userAgentKey)).toBe(404)
    expect(await status(reader.userAgentKey)).toBe(404)
    expect(await status(await tokenFor(partner.relyingServiceKey, id))).toBe(200)
    const path = `/v1/identities/${id}/user-agent-token`
    expect((await app.refusal('POST', path, { key: reader.relyingServiceKey })).code).toBe(
      'shared_for_reading',
    )
    const theirs = await app.ask('GlobalStatus', 'POST', '/v1/identities', {
      payload: [],
      key: partner.relyingServiceKey,
    })
    expect(await status(app.app.relyingServiceKey, theirs.id)).toBe(404)
  })

  test('finds an identity by a correlation id that it has not used itself, and is never given one of several', async () => {
    const create = (key: string, correlationId: string) =>
      app.ask('GlobalStatus', 'POST', '/v1/identities', {
        payload: [],
        key,
        headers: { 'correlation-id': correlationId },
      })
    const find = (correlationId: string) =>
      app.ask('Identity', 'GET', `/v1/identities?correlationID=${correlationId}`, {
        key: reader.relyingServiceKey,
      })
    const theirs = await create(app.app.relyingServiceKey, 'shared-1')
    expect((await find('shared-1')).globalStatus.id).toBe(theirs.id)
    const own = await create(reader.relyingServiceKey, 'shared-1')
    expect((await find('shared-1')).globalStatus.id).toBe(own.id)
  })
})

describe('the adjudication service', () => {
  /** Operations on shared identities that it may call. */
  const ITS_OWN: readonly Operation[] = [
    'getDesk',
    'claimAdjudication',
    'releaseAdjudication',
    'decideAdjudication',
  ]

  test(
    'has the cases of every application, and is refused by every other operation',
    async () => {
      const owned = await ownEverything()
      const { adjudications } = await app.ask('DeskList', 'GET', '/v1/adjudications?limit=200', {
        key: service.relyingServiceKey,
      })
      expect(adjudications.map(({ adjudicationId }) => adjudicationId)).toContain(
        owned.recipe.ids.adjudicationId,
      )
      // No case: the picture of a document that waits for no decision.
      const { id } = owned.portraitCase
      const other = await app.anIdentity(CONSENTS)
      const body = documentForm(aPassport())
      const { id: evidenceId } = await app.ask(
        'SingleStatus',
        'POST',
        `/v1/identities/${other}/id-documents/capture`,
        { body },
      )
      await app.app.runJobs()
      const recipe = {
        ...owned.recipe,
        of: {
          ...owned.recipe.of,
          getDocumentImage: { id: other, evidenceId },
          getPortraitImage: { id: other },
        },
      }
      await settle()
      const before = dump()
      const open = KEYED_ROUTES.filter((each) => !namesNothing(each) && !ITS_OWN.includes(each.operation))
      const answered: unknown[] = []
      for (const route of open) {
        const { status } = await send(route, recipe, service.relyingServiceKey)
        if (status !== 404 && status !== 403) answered.push([route.operation, status])
      }
      expect(answered).toEqual([])
      expect(dump()).toEqual(before)
      expect(id).not.toBe(other)
    },
    SLOW,
  )

  test(
    'sees the pictures of a case while it awaits a decision, decides, and sees them no more',
    async () => {
      const { portraitCase } = await ownEverything()
      const { id, evidenceId, documentId } = portraitCase
      const key = service.relyingServiceKey
      const { adjudications } = await app.ask('DeskList', 'GET', '/v1/adjudications?limit=200', { key })
      const entry = adjudications.find((one) => one.evidenceId === evidenceId)
      const adjudicationId = entry?.adjudicationId ?? ''
      const { images } = await app.ask('DeskCase', 'GET', `/v1/adjudications/${adjudicationId}`, { key })
      expect(images.map((image) => image.href)).toEqual([
        `/v1/identities/${id}/attributes/portrait/capture`,
        `/v1/identities/${id}/id-documents/${documentId}/capture`,
      ])
      const statuses = async () =>
        Promise.all(images.map(async ({ href }) => (await app.app.call('GET', href, { key })).status))
      expect(await statuses()).toEqual([200, 200])
      const adjudicator = { adjudicator: 'expert.7' }
      await app.ask('DeskCase', 'POST', `/v1/adjudications/${adjudicationId}/claim`, {
        key,
        payload: adjudicator,
      })
      const decision = { ...adjudicator, decision: 'ACCEPTED', reason: 'SAME_PERSON' }
      const decided = await app.ask(
        'DecisionAnswer',
        'POST',
        `/v1/adjudications/${adjudicationId}/decision`,
        {
          key,
          payload: decision,
        },
      )
      expect(decided.status).toBe('ACCEPTED')
      expect(await statuses()).toEqual([404, 404])
      expect((await app.app.call('GET', `/v1/identities/${id}`, { key })).status).toBe(404)
      const agent = service.userAgentKey
      expect((await app.app.call('GET', '/v1/adjudications', { key: agent })).status).toBe(403)
    },
    SLOW,
  )
})

describe('the owner', () => {
  test(
    'reaches every operation with the same requests: what others are refused is not refused for a wrong recipe',
    async () => {
      const owned = await ownEverything()
      const missed: unknown[] = []
      for (const route of inOrder(KEYED_ROUTES)) {
        const { status, code } = await send(route, owned.recipe, app.app.relyingServiceKey)
        if (status === 404 || status >= 500) missed.push([route.operation, status, code])
      }
      expect(missed).toEqual([])
    },
    SLOW,
  )
})

/** Sorts deletions after reads. */
function inOrder(routes: readonly ListedRoute[]): readonly ListedRoute[] {
  const LAST: readonly Operation[] = ['deletePortrait', 'resumeIdentity', 'sealProof', 'eraseIdentity']
  const rank = ({ operation, method }: ListedRoute): number => {
    const last = LAST.indexOf(operation)
    if (last >= 0) return 10 + last
    return ['get', 'post', 'put', 'delete'].indexOf(method)
  }
  return routes.toSorted((a, b) => rank(a) - rank(b))
}
