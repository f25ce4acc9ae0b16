/** A rolling upgrade: a real instance of the version before serves while this version migrates the database and takes over. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openAlarms, startCentralService } from '../support/central.ts'
import { enrolKiosk, sha256, type TestKiosk } from '../support/kiosk-client.ts'
import { postgresReason, startPostgres } from '../support/postgres.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { unpackVersionBefore, versionBeforeReason } from '../support/version-before.ts'

const reason = postgresReason ?? versionBeforeReason
if (reason !== null) process.stderr.write(`skipped: ${reason}\n`)

/** A kiosk tries again after these, as after a connection that breaks; any other failure ends the test. */
const PASSING = /answered 503|fetch failed/
const SCOPES = ['proofs:read', 'fleet:read', 'fleet:write', 'webhooks:manage'].flatMap((scope) => [
  '--scope',
  scope,
])

describe.skipIf(reason !== null)('a rolling upgrade', () => {
  const closers: (() => unknown)[] = []
  afterAll(async () => {
    for (const close of closers.toReversed()) await close()
  })

  test('loses no proof and delivers none twice, to the feed and to a webhook, while both versions serve the same kiosks', async () => {
    const postgres = await startPostgres()
    closers.push(() => postgres.close())
    const databaseUrl = postgres.createDatabase()
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-upgrade-'))
    // The sandbox would not show the packages of this checkout to the version before.
    const webhooks = { allowHttp: true, allowPrivateAddresses: true }
    const settings = { verificationSandbox: 'off', headOffice: { webhooks } }
    writeFileSync(join(dataDir, 'central.json'), JSON.stringify(settings), { mode: 0o600 })
    const before = unpackVersionBefore({ DATABASE_URL: databaseUrl, CENTRE_DATA: dataDir })
    closers.push(() => before.remove())
    before.run(['central', 'tenants', 'create', 'acme', '--test-proofs'])
    const created = before.run([
      'central',
      'consumers',
      'create',
      '--tenant',
      'acme',
      '--name',
      'archive',
      ...SCOPES,
      '--json',
    ])
    const { key } = JSON.parse(created) as { key: string }
    const old = await before.start()
    closers.push(() => old.stop())

    // A load balancer sends each request to the next instance.
    let instances = [old.url]
    let turn = 0
    const next = () => instances[turn++ % instances.length] ?? ''
    const call = async (url: string, path: string, body?: object) => {
      const answer = await fetch(`${url}/head-office/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`the central service answered ${answer.status}`)
      return answer
    }
    const receiver = await startReceiver()
    closers.push(() => receiver.close())
    await call(old.url, '/webhooks', { url: receiver.url, events: ['proof.stored'] })
    const orderCode = async (url: string) =>
      ((await (await call(url, '/enrolment-codes', { name: 'branch' })).json()) as { code: string }).code
    const enrol = async (code: string, url: string): Promise<TestKiosk> =>
      Object.defineProperty(await enrolKiosk(url, code), 'url', { get: next })

    const acknowledged: string[] = []
    const send = async (kiosk: TestKiosk) => {
      const proof = await kiosk.makeProof()
      const { state } = await repeatWhilePassing(() => kiosk.deliver(proof))
      expect(state).toBe('STORED')
      acknowledged.push(proof.announcement.proofId)
      return proof
    }
    const sendUntil = async (kiosks: readonly TestKiosk[], end: Promise<unknown>) => {
      let isEnded = false
      const noteEnd = end.finally(() => (isEnded = true))
      await Promise.all(
        kiosks.map(async (kiosk) => {
          do await send(kiosk)
          while (!isEnded)
        }),
      )
      await noteEnd
    }
    const fed: string[] = []
    let cursor = ''
    const readFeed = async () => {
      for (let more = true; more;) {
        const page = await repeatWhilePassing(async () => {
          const answer = await call(next(), `/proofs?limit=3${cursor === '' ? '' : `&after=${cursor}`}`)
          return (await answer.json()) as {
            proofs: { proofId: string }[]
            next: string | null
            more: boolean
          }
        })
        fed.push(...page.proofs.map(({ proofId }) => proofId))
        cursor = page.next ?? cursor
        more = page.more
      }
    }

    // The version before alone, then beside the start and the migration of this one.
    const kiosks = [
      await enrol(await orderCode(old.url), old.url),
      await enrol(await orderCode(old.url), old.url),
    ]
    await Promise.all(kiosks.map(send))
    await readFeed()
    const starting = startCentralService({ databaseUrl, dataDir })
    await sendUntil(kiosks, starting)
    const central = await starting
    closers.push(() => central.stop())

    // Both: the requests of one proof reach both versions in turn.
    instances = [old.url, central.url]
    kiosks.push(
      await enrol(await orderCode(old.url), central.url),
      await enrol(await orderCode(central.url), old.url),
    )
    for (let round = 0; round < 3; round++) {
      const proofs = await Promise.all(kiosks.map(send))
      await readFeed()
      for (const instance of instances) {
        const { announcement, archive } = proofs[round]
        const stored = await call(instance, `/proofs/${announcement.proofId}/archive`)
        expect(sha256(Buffer.from(await stored.arrayBuffer()))).toBe(sha256(archive))
      }
    }

    // The version before drains.
    const stopped = old.stop().finally(() => (instances = [central.url]))
    await sendUntil(kiosks, stopped)
    await Promise.all(kiosks.map(send))
    expect(await stopped).toBe(0)

    // PostgreSQL's own open transactions delay the feed.
    await expect
      .poll(async () => {
        await readFeed()
        return fed.length
      })
      .toBeGreaterThanOrEqual(acknowledged.length)
    expect(fed.toSorted()).toEqual(acknowledged.toSorted())
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(acknowledged.length)
    const told = receiver.received.map(
      ({ body }) => (JSON.parse(body) as { data: { proofId: string } }).data.proofId,
    )
    expect(told.toSorted()).toEqual(acknowledged.toSorted())
    for (const { kioskId } of kiosks) expect(await openAlarms(central, kioskId)).toEqual([])
    const errors = old
      .readLog()
      .split('\n')
      .filter((line) => line.includes('"level":50'))
    expect(errors).toEqual([])
  })
})

async function repeatWhilePassing<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Error && PASSING.test(error.message))) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
