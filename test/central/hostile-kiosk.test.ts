/** Whatever an enrolled kiosk, a former one or a stranger sends: no 500, and no acknowledgement of what was not stored. */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { CompactSign, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AUTHORIZATION_SCHEME, KIOSK_API, OFFSET_HEADER } from '../../server/protocol/wire.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import { createKeySigner } from '../../server/proof/sign.ts'
import {
  codeFor,
  joinedKiosk,
  openAlarms,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import { CENTRAL_DATABASES } from '../support/central-databases.ts'
import {
  enrolmentRequest,
  postEnrolment,
  type PreparedProof,
  type TestKiosk,
} from '../support/kiosk-client.ts'
import type { TestPostgres } from '../support/postgres.ts'

/** 20,000 and more by hand: `HOSTILE_REQUESTS=20000 vitest run test/central/hostile-kiosk.test.ts`. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 1_500)
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

describe.each(CENTRAL_DATABASES)('on $name', ({ reason, start }) => {
  let central: TestCentralService
  let postgres: TestPostgres | null = null
  let kiosk: TestKiosk
  let other: TestKiosk
  let stored: PreparedProof

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    const databaseUrl = postgres?.createDatabase()
    central = await startCentralService(databaseUrl ? { databaseUrl } : {})
    kiosk = await joinedKiosk(central)
    other = await joinedKiosk(central, 'globex')
    stored = await kiosk.makeProof()
    await kiosk.deliver(stored)
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
  })

  /** Larger than any clock of the tests counts. */
  let counter = 1
  const aStatus = (changes: object = {}) => ({
    counter: counter++,
    productVersion: '0.0.0',
    at: Date.now(),
    nonce: 'n'.repeat(16),
    backlog: 0,
    oldestPendingAt: null,
    lastSequence: 0,
    audit: { seq: 1, hash: '0'.repeat(64) },
    bundleVersion: 0,
    bundleProblems: [],
    frozen: [],
    health: {},
    freeDiskBytes: 1,
    clock: { source: 'CENTRE', uncertaintyMs: 1, steps: 0 },
    proofKeys: { keys: [] },
    restoredAt: null,
    ...changes,
  })
  const statusText = (member: string, text: string) =>
    Buffer.from(JSON.stringify(aStatus({ [member]: '@' })).replace('"@"', text))

  describe.skipIf(reason !== null)(`a request${reason === null ? '' : ` (${reason})`}`, () => {
    test.each<readonly [string, () => Buffer]>([
      ['U+0000 in a text', () => json(aStatus({ productVersion: 'a\0' }))],
      ['U+0000 in the name of a member', () => json(aStatus({ health: { 'a\0': 'UP' } }))],
      ['half a surrogate pair', () => json(aStatus({ bundleProblems: ['\ud800'] }))],
      ['bytes that are no UTF-8', () => Buffer.concat([json(aStatus()), Buffer.from([0xff])])],
      ['20,000 levels of arrays', () => statusText('proofKeys', '['.repeat(20_000) + ']'.repeat(20_000))],
      [
        '20,000 levels in a key',
        () =>
          statusText(
            'proofKeys',
            `{"keys":[{"kty":"RSA","x":${'[1,'.repeat(20_000)}1${']'.repeat(20_000)}}]}`,
          ),
      ],
      ['a number that is none', () => statusText('backlog', '1e999')],
      ['a negative number', () => statusText('freeDiskBytes', '-1')],
      ['a moment after the year 9999', () => json(aStatus({ at: Number.MAX_SAFE_INTEGER }))],
      [
        'a key revoked after the year 9999',
        () => json(aStatus({ revokedKeys: [{ kid: 'k'.repeat(43), since: 8.64e15 }] })),
      ],
    ])('with %s is refused as malformed', async (_name, body) => {
      expect((await kiosk.call('POST', '/status', body())).status).toBe(400)
    })

    test.each<readonly [string, unknown]>([
      ['an object', { toString: 1 }],
      ['a list that reads as its id', ['KIOSK']],
      ['a number', 5],
      ['the id in capitals', 'KIOSK-IN-CAPITALS'],
    ])('whose key id is %s is refused as unauthenticated', async (_name, kid) => {
      const given = JSON.parse(
        JSON.stringify(kid)
          .replace('KIOSK-IN-CAPITALS', kiosk.kioskId.toUpperCase())
          .replace('KIOSK', kiosk.kioskId),
      ) as unknown
      const header = json({ alg: 'ES256', kid: given }).toString('base64url')
      const authorization = `${AUTHORIZATION_SCHEME} ${header}.e30.AAAA`
      expect((await kiosk.call('POST', '/status', json(aStatus()), { authorization })).status).toBe(401)
    })

    test("that the kiosk's own key has not signed exactly as it is sent is refused as unauthenticated", async () => {
      const body = json(aStatus())
      const path = `${KIOSK_API}/status`
      const { centreId } = kiosk.trust
      // Fresh, so that the forgery alone is what is wrong.
      const nonce = await kiosk.nonce()
      const request = { method: 'POST', path, body, centreId, nonce }
      const own = { kioskId: kiosk.kioskId, privateJwk: kiosk.privateJwk }
      const claims = {
        method: 'POST',
        path,
        sha256: createHash('sha256').update(body).digest('hex'),
        aud: centreId,
        at: Date.now(),
        nonce,
      }
      const payload = json(claims)
      const publicJwk: JWK = { ...kiosk.privateJwk, d: undefined }
      const byHand = async (header: object, key: Uint8Array | CryptoKey) =>
        `${AUTHORIZATION_SCHEME} ${await new CompactSign(payload).setProtectedHeader(header as { alg: string }).sign(key)}`
      const plain = (header: object) =>
        `${AUTHORIZATION_SCHEME} ${json(header).toString('base64url')}.${payload.toString('base64url')}.`
      const es384 = await generateKeyPair('ES384', { extractable: true })
      const ownKey = (await importJWK(kiosk.privateJwk, 'ES256')) as CryptoKey
      const kid = kiosk.kioskId
      const forged: Record<string, string> = {
        'alg none': plain({ alg: 'none', kid }),
        'HS256 by the public key': await byHand({ alg: 'HS256', kid }, json(publicJwk)),
        ES384: await byHand({ alg: 'ES384', kid }, es384.privateKey),
        'the key in its header': await byHand(
          { alg: 'ES384', kid, jwk: await exportJWK(es384.publicKey) },
          es384.privateKey,
        ),
        'an unknown critical member': `${(await byHand({ alg: 'ES256', kid }, ownKey)).slice(0, -4)}AAAA`,
        'another path': await signRequest({ ...request, path: `${path}/` }, own, new Date()),
        'another query': await signRequest({ ...request, path: `${path}?a` }, own, new Date()),
        'another method': await signRequest({ ...request, method: 'PUT' }, own, new Date()),
        'another body': await signRequest({ ...request, body: json(aStatus()) }, own, new Date()),
        'another central service': await signRequest({ ...request, centreId: randomUUID() }, own, new Date()),
        'the key of another kiosk': await signRequest(
          request,
          { ...own, privateJwk: other.privateJwk },
          new Date(),
        ),
        'the id of another kiosk': await signRequest(request, { ...own, kioskId: other.kioskId }, new Date()),
        'another scheme': (await signRequest(request, own, new Date())).replace(
          AUTHORIZATION_SCHEME,
          'Bearer',
        ),
        'two signatures': `${await signRequest(request, own, new Date())} x`,
        nothing: '',
      }
      for (const [name, authorization] of Object.entries(forged)) {
        const { status } = await kiosk.call('POST', '/status', body, { authorization })
        expect([name, status]).toEqual([name, 401])
      }
      expect((await kiosk.call('POST', '/status', body)).status).toBe(200)
    })

    test('about the proof of another kiosk says nothing of it and changes nothing', async () => {
      const { announcement, packet } = stored
      const route = `/proofs/${announcement.proofId}`
      expect((await other.call('PATCH', route, packet, { [OFFSET_HEADER]: '0' })).status).toBe(404)
      expect((await other.call('POST', `${route}/completion`)).status).toBe(404)
      expect((await other.call('PUT', route, json(announcement))).status).toBe(409)
      expect(await openAlarms(central, other.kioskId)).toEqual([`CONFLICT ${announcement.proofId}`])
      expect(await openAlarms(central, kiosk.kioskId)).not.toContain(`CONFLICT ${announcement.proofId}`)
    })

    test('with unusable keys leaves the other keys and the central service in working order', async () => {
      const own = await joinedKiosk(central)
      const odd = (bytes: number, last: number, e: string) => {
        const n = Buffer.concat([Buffer.from([255]), randomBytes(bytes - 2), Buffer.from([last])])
        return { kty: 'RSA', n: n.toString('base64url'), e }
      }
      const tell = async (key: object) =>
        (await own.call('POST', '/status', json(aStatus({ proofKeys: { keys: [key] } })))).status
      expect(await tell(odd(100_000, 1, 'AQAB'))).toBe(400)
      const useless = [
        odd(256, 0, 'AQAB'),
        odd(256, 1, 'AA'),
        odd(256, 1, 'Ag'),
        odd(2048, 1, '_'.repeat(2000)),
      ]
      for (const key of useless) expect([200, 400]).toContain(await tell(key))
      expect((await own.deliver(await own.makeProof())).state).toBe('STORED')
    })

    test('with a proof whose own texts cannot be kept is refused, and no failure of ours', async () => {
      const own = await joinedKiosk(central)
      const state = await own.deliver(await own.makeProof({ input: { tenantId: 'a\0b' } }))
      expect(state.state).toBe('REFUSED')
    })

    test('with two first proofs that name different tenants at once gets one of them stored', async () => {
      const own = await joinedKiosk(central)
      const proofs = [
        await own.makeProof({ input: { tenantId: 'one-name' } }),
        await own.makeProof({ input: { tenantId: 'another-name' } }),
      ]
      const states = await Promise.all(proofs.map((proof) => own.deliver(proof)))
      const again = await Promise.all(proofs.map((proof) => own.complete(proof.announcement.proofId)))
      expect(states.filter(({ state }) => state === 'STORED')).toHaveLength(1)
      expect(again.map(({ state }) => state).sort()).toEqual(['REFUSED', 'STORED'])
    })

    test('from a stranger who signs archives with another key ends in a refusal and an alarm', async () => {
      const own = await joinedKiosk(central)
      const stranger = createKeySigner(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
      const proof = await own.makeProof({ signer: stranger })
      expect(await own.deliver(proof)).toMatchObject({ state: 'REFUSED', problems: ['signature_invalid'] })
      expect(await openAlarms(central, own.kioskId)).toContain(`REFUSED ${proof.announcement.proofId}`)
    })

    test('of any form is answered, never with a failure of ours or a receipt for what was not stored', async () => {
      const ids = [stored.announcement.proofId, ...Array.from({ length: 4 }, () => randomUUID())]
      const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })
      const text = fc.string({ unit: 'binary', maxLength: 30 })
      const any = fc.oneof(fc.jsonValue(), fc.integer(), fc.double(), text)
      const mostly = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
        fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: any })
      const announcement = fc.record({
        proofId: fc.constantFrom(...ids),
        identityId: mostly(fc.constantFrom(...ids)),
        sequence: mostly(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.maxSafeInteger())),
        previousHash: mostly(hex),
        hash: mostly(hex),
        sha256: mostly(hex),
        sealedAt: mostly(fc.nat()),
        packet: mostly(
          fc.option(fc.record({ sha256: hex, bytes: mostly(fc.integer({ min: 1, max: 6e8 })) }), { freq: 9 }),
        ),
      })
      const status = fc.record({
        counter: fc.constant(0).map(() => counter++),
        productVersion: mostly(fc.string({ maxLength: 40 })),
        at: mostly(fc.nat()),
        nonce: mostly(fc.string({ minLength: 16, maxLength: 30 })),
        backlog: mostly(fc.nat()),
        oldestPendingAt: mostly(fc.option(fc.nat())),
        lastSequence: mostly(fc.nat()),
        audit: mostly(fc.record({ seq: fc.nat(), hash: hex })),
        bundleVersion: mostly(fc.nat()),
        bundleProblems: mostly(fc.array(fc.string())),
        frozen: mostly(fc.array(fc.string())),
        health: mostly(fc.dictionary(fc.string({ maxLength: 40 }), fc.constantFrom('UP', 'DOWN'))),
        freeDiskBytes: mostly(fc.option(fc.nat())),
        clock: mostly(fc.record({ source: text, uncertaintyMs: fc.option(fc.nat()), steps: fc.nat() })),
        proofKeys: mostly(
          fc.record({
            keys: fc.array(fc.record({ kty: mostly(fc.constantFrom('EC', 'RSA')), n: text, e: text })),
          }),
        ),
        revokedKeys: mostly(
          fc.array(fc.record({ kid: mostly(hex.map((id) => id.slice(0, 43))), since: mostly(fc.nat()) }), {
            maxLength: 2,
          }),
        ),
        restoredAt: mostly(fc.option(fc.nat())),
      })
      const call = fc.oneof(
        announcement.map((body) => ['PUT', `/proofs/${body.proofId}`, json(body), {}] as const),
        status.map((body) => ['POST', '/status', json(body), {}] as const),
        fc
          .tuple(
            fc.constantFrom(...ids),
            fc.oneof(fc.nat({ max: 9 }).map(String), fc.base64String()),
            fc.uint8Array({ maxLength: 300 }),
          )
          .map(
            ([id, offset, body]) =>
              ['PATCH', `/proofs/${id}`, Buffer.from(body), { [OFFSET_HEADER]: offset }] as const,
          ),
        fc
          .constantFrom(...ids)
          .map((id) => ['POST', `/proofs/${id}/completion`, Buffer.alloc(0), {}] as const),
        fc.uint8Array({ maxLength: 99 }).map((body) => ['POST', '/status', Buffer.from(body), {}] as const),
      )
      await fc.assert(
        fc.asyncProperty(call, async ([method, route, body, headers]) => {
          const answer = await kiosk.call(method, route, body, headers)
          expect(answer.status).toBeLessThan(500)
          const { state } = answer.body as { state?: string }
          if (state === 'STORED') expect(route).toContain(stored.announcement.proofId)
        }),
        { numRuns: REQUESTS },
      )
    }, 600_000)

    test('to join with one code from two kiosks at once lets one of them in', async () => {
      const code = await codeFor(central)
      const requests = await Promise.all([enrolmentRequest(code), enrolmentRequest(code)])
      const answers = await Promise.all(requests.map((request) => postEnrolment(central.url, request)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    })

    test('to join with guessed codes is slowed down', async () => {
      const request = await enrolmentRequest(`${'0000-'.repeat(7)}0000`)
      const statuses: number[] = []
      for (let guess = 0; guess < 25; guess++)
        statuses.push((await postEnrolment(central.url, request)).status)
      expect(new Set(statuses.slice(0, 5))).toEqual(new Set([403]))
      expect(statuses.at(-1)).toBe(429)
    })
  })
})
