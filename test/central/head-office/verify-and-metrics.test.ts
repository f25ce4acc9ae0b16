/** POST /verify and GET /metrics over HTTP. */
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aSealedProof, pem, signer } from '../../server/proof/fixture.ts'
import { toJwks } from '../../support/jwks.ts'
import {
  addAlarm,
  addKey,
  addKiosk,
  addProof,
  addTenant,
  aStatus,
  collectLog,
  startOffice,
  type TestOffice,
} from './support.ts'

describe('the verification of an archive', () => {
  let office: TestOffice
  let log: ReturnType<typeof collectLog>
  let archive: Buffer
  beforeAll(async () => {
    log = collectLog()
    office = await startOffice({
      log: log.log,
      options: { verifyMaxBytes: 100_000, openCallsPerMinute: 1_000 },
    })
    await addTenant(office, 'a')
    await addTenant(office, 'b')
    await addKiosk(office, 'a', { proofKeys: (await toJwks([signer])).keys })
    archive = (await aSealedProof()).bytes
  })
  afterAll(() => office.stop())

  const verify = async (parts: Readonly<Record<string, string | Blob>>, key?: string) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts)) body.append(name, value)
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
    const answer = await fetch(`${office.url}/verify`, { method: 'POST', body, headers })
    return {
      status: answer.status,
      body: (await answer.json()) as { valid: boolean; problems: { code: string }[] },
    }
  }
  const zip = () => new Blob([new Uint8Array(archive)])

  test.each([
    ['a PEM file', () => pem],
    ['a JWKS', async () => JSON.stringify(await toJwks([signer]))],
  ])('with the keys of %s', async (_, keys) => {
    expect(await verify({ archive: zip(), keys: await keys() })).toMatchObject({
      status: 200,
      body: { valid: true, levelOfAssurance: 'LOA2', problems: [] },
    })
  })

  test("a consumer needs no keys for its own kiosks; for another tenant's they count as unknown", async () => {
    const [own, other] = [await addKey(office, 'a'), await addKey(office, 'b')]
    expect((await verify({ archive: zip() }, own)).body.valid).toBe(true)
    const refused = await verify({ archive: zip() }, other)
    expect(refused).toMatchObject({ status: 200, body: { valid: false } })
    expect((await verify({ archive: zip() }, await addKey(office, 'a', ['fleet:read']))).status).toBe(403)
    expect((await verify({ archive: zip() }, 'cph_wrong')).status).toBe(401)
  })

  test('the saved answer of GET proof is read as it is', async () => {
    const saved = Buffer.concat([
      Buffer.from('--b\r\nContent-Type: application/zip\r\n\r\n'),
      archive,
      Buffer.from('\r\n--b--\r\n'),
    ])
    expect((await verify({ archive: new Blob([saved]), keys: pem })).body.valid).toBe(true)
  })

  test.each<[string, () => Record<string, string | Blob>, number, string | null]>([
    ['no archive', () => ({ keys: pem }), 400, null],
    ['no zip', () => ({ archive: new Blob(['hello']), keys: pem }), 200, 'archive_unreadable'],
    ['no key', () => ({ archive: zip() }), 200, 'key_unusable'],
    ['a key that is none', () => ({ archive: zip(), keys: 'hello' }), 200, 'key_unusable'],
    ['JSON that is none', () => ({ archive: zip(), keys: '{' }), 400, null],
    ['more than is read', () => ({ archive: new Blob([new Uint8Array(200_000)]) }), 413, null],
  ])('%s: an answer in words, not a fault', async (_, parts, status, code) => {
    const answer = await verify(parts())
    expect(answer.status).toBe(status)
    if (code) expect(answer.body.problems.map((problem) => problem.code)).toContain(code)
  })

  test('a browser that opens the address of the service is redirected to the fleet', async () => {
    const answer = await fetch(office.url)
    expect([answer.status, answer.url]).toEqual([200, `${office.url}/fleet/`])
  })

  test('a body that is no form is no fault of ours', async () => {
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/zip',
    ]) {
      const answer = await fetch(`${office.url}/verify`, {
        method: 'POST',
        body: '--x\r\nrubbish',
        headers: { 'content-type': type },
      })
      expect(answer.status).toBeLessThan(500)
    }
  })

  test('nothing of an archive is logged', () => {
    expect(log.text()).toContain('"operation":"verify"')
    expect(log.text()).not.toContain('01990000-0000-7000-8000-000000000001')
    expect(log.text()).not.toContain('proof.json')
  })
})

describe('metrics', () => {
  const metricsToken = 'a-token-for-prometheus'

  test('tell how the fleet is in numbers, with no name and no id of a person', async () => {
    const office = await startOffice({ options: { metricsToken } })
    await addTenant(office, 'a')
    const kiosk = await addKiosk(office, 'a', {
      name: 'Harbour branch',
      status: aStatus({ backlog: 7 }),
      seenAt: new Date(Date.now() - 60_000),
    })
    const { identityId } = await addProof(office, 'a', kiosk, 1, { correlationId: 'order-1' })
    await addAlarm(office, 'a', kiosk, 'GAP')
    const answer = await fetch(`${office.url}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    })
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect(text).toContain(`counterproof_kiosk_backlog{kiosk="${kiosk}"} 7`)
    expect(text).toContain('counterproof_alarms_open{kind="GAP"} 1')
    expect(text).toContain('counterproof_proofs 1')
    const age = Number(/counterproof_kiosk_last_seen_seconds\{kiosk="[^"]+"\} (\S+)/.exec(text)?.[1])
    expect(age).toBeGreaterThan(59)
    expect(age).toBeLessThan(90)
    for (const secret of ['Harbour', identityId, 'order-1']) expect(text).not.toContain(secret)
    await office.stop()
  })

  test('are for callers that have the token; without a configured token the path does not exist', async () => {
    const open = await startOffice()
    expect((await fetch(`${open.url}/metrics`)).status).toBe(404)
    await open.stop()
    const guarded = await startOffice({ options: { metricsToken } })
    const status = (authorization?: string) =>
      new Promise<number | undefined>((resolve) => {
        const headers = authorization ? { authorization, 'x-forwarded-for': '1.2.3.4' } : {}
        request(`${guarded.url}/metrics`, { headers }, (res) => resolve(res.resume().statusCode)).end()
      })
    expect([await status(), await status('Bearer wrong'), await status(`Bearer ${metricsToken}`)]).toEqual([
      401, 401, 200,
    ])
    await guarded.stop()
  })
})
