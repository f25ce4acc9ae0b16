/** `npm run webhooks`, beside a server or without one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { openStore, type Store } from '../../../server/store/open.ts'
import { selectAllWebhooks } from '../../../server/workflows/webhooks/manage-webhooks.ts'
import { collectOutput } from '../../support/output.ts'

const URL = 'https://hooks.bank.example/counterproof'

let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
  output = collectOutput()
  await main(['keys', 'create', '--application', 'bank', '--data', folder, '--new'])
  output.text = ''
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const webhooks = async (...argv: string[]) => {
  output.text = ''
  return main(['webhooks', ...argv, '--data', folder])
}
const asJson = async <T>(...argv: string[]): Promise<T> => {
  expect(await webhooks(...argv, '--json')).toBe(0)
  return JSON.parse(output.text) as T
}
const within = <T>(work: (store: Store) => T): T => {
  const config = loadConfig({ dataDir: folder })
  const store = openStore(config.dataDir, loadKek(config))
  try {
    return work(store)
  } finally {
    store.close()
  }
}
const add = () =>
  asJson<{ webhookId: string; secret: string }>(
    ...['add', URL, '--application', 'bank', '--events', 'proof.sealed, identity.erased'],
  )

test('a webhook is added, listed without its secret, rotated and removed, each in the audit log', async () => {
  const { webhookId, secret } = await add()
  expect(secret).toMatch(/^whsec_/)
  const { webhooks: listed } = await asJson<{ webhooks: object[] }>('list')
  expect(listed).toMatchObject([
    { webhookId, application: 'bank', url: URL, events: ['proof.sealed', 'identity.erased'], pending: 0 },
  ])
  expect(output.text).not.toContain('whsec_')
  const rotated = await asJson<{ secret: string }>('rotate', webhookId, '--overlap', '1')
  within((store) => {
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    expect(store.webhookEndpoints.listSecrets(webhookId, at(59))).toEqual([rotated.secret, secret])
    expect(store.webhookEndpoints.listSecrets(webhookId, at(61))).toEqual([rotated.secret])
  })
  expect(await webhooks('remove', webhookId)).toBe(0)
  const types = within((store) => store.events.after(0, 100).map(({ type, actor }) => `${type} ${actor}`))
  expect(types.filter((type) => type.startsWith('webhook.'))).toEqual([
    'webhook.registered operator',
    'webhook.rotated operator',
    'webhook.removed operator',
  ])
})

test('a webhook is told of the identities of its application alone; one of an older version waits until it has one', async () => {
  const { webhookId } = await add()
  const db = new Database(join(folder, 'appliance.sqlite'))
  db.exec('UPDATE webhook_endpoints SET application_id = NULL')
  db.close()
  within((store) => expect(store.webhookEndpoints.inUse(new Date())).toEqual([]))
  expect(await webhooks('list')).toBe(0)
  expect(output.text).toContain('of no application')
  expect(await webhooks('assign', webhookId)).toBe(2)
  expect(output.text).toContain('there are: bank')
  expect(await webhooks('assign', webhookId, '--application', 'bank')).toBe(0)
  expect(await webhooks('assign', webhookId, '--application', 'bank')).toBe(2)
  within((store) => {
    const [bank] = store.apiKeys.applications('default')
    expect(store.webhookEndpoints.inUse(new Date())).toMatchObject([
      { id: webhookId, applicationId: bank?.id },
    ])
    const events = store.events.after(0, 100).filter(({ type }) => type === 'webhook.assigned')
    expect(events).toMatchObject([{ body: { webhookId, applicationId: bank?.id }, actor: 'operator' }])
  })
})

test('a test is queued, seen and queued again; what was parked is found by its state', async () => {
  const { webhookId } = await add()
  const { deliveryId } = await asJson<{ deliveryId: string }>('test', webhookId)
  within((store) => {
    const [due] = store.webhookDeliveries.due(webhookId, selectAllWebhooks('default').audience, new Date(), 1)
    if (!due) throw new Error('nothing is due')
    store.webhookDeliveries.park(store.webhookDeliveries.begin(due, new Date()), {
      status: 500,
      error: 'status',
    })
  })
  expect(await webhooks('deliveries', webhookId, '--state', 'PARKED')).toBe(0)
  expect(output.text).toMatch(new RegExp(`^${deliveryId}  PARKED +webhook.test +1 tries  last status 500`))
  expect(await webhooks('resend', deliveryId)).toBe(0)
  const { deliveries } = await asJson<{ deliveries: object[] }>('deliveries', webhookId)
  expect(deliveries).toMatchObject([{ deliveryId, state: 'PENDING', attempts: 1, lastStatus: 500 }])
})

test('a receiver in the same house is taken where the configuration allows it', async () => {
  expect(await webhooks('add', 'http://10.0.0.7/hook', '--application', 'bank')).toBe(2)
  const config = { webhooks: { allowHttp: true, allowPrivateAddresses: true } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  expect(await webhooks('add', 'http://10.0.0.7/hook', '--application', 'bank')).toBe(0)
  expect(output.text).toMatch(/secret: {2}whsec_/)
})

test.each([
  [['add']],
  [['add', URL]],
  [['add', URL, '--application', 'nobody']],
  [['add', URL, '--application', 'bank', '--events', 'nonsense']],
  [['add', 'https://127.0.0.1/', '--application', 'bank']],
  [['assign', '01890a5d-ac96-774b-bcce-b302099a8059', '--application', 'bank']],
  [['rotate']],
  [['rotate', '01890a5d-ac96-774b-bcce-b302099a8059']],
  [['rotate', '01890a5d-ac96-774b-bcce-b302099a8059', '--overlap', '1000']],
  [['deliveries', '01890a5d-ac96-774b-bcce-b302099a8059', '--state', 'LOST']],
  [['resend', '01890a5d-ac96-774b-bcce-b302099a8059']],
  [['list', 'more']],
  [['nonsense']],
])('%j is wrong use', async (argv) => {
  expect(await webhooks(...argv)).toBe(2)
})
