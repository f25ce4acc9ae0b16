/** The access log for a log collector: every act of a head-office system, in pages and in lines. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runAction } from '../../../server/central/admin/actions.ts'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { main } from '../../../server/cli.ts'
import { startUpkeep } from '../../../server/central/upkeep.ts'
import { collectOutput } from '../../support/output.ts'
import { addKey, addKiosk, addProof, addTenant, startOffice, type TestOffice } from './support.ts'

const BEGIN = Date.parse('2026-11-30T10:00:00Z')

interface Row {
  readonly id: string
  readonly operation: string
  readonly tenantId: string | null
  readonly reason: string | null
}

let office: TestOffice
let now = BEGIN
beforeAll(async () => {
  office = await startOffice({
    clock: { now: () => new Date(now) },
    config: { retention: { accessLogMonths: 12, deliveryDays: 30 } },
  })
  for (const tenant of ['a', 'b']) {
    await addTenant(office, tenant)
    const kiosk = await addKiosk(office, tenant)
    await addProof(office, tenant, kiosk, 1, { correlationId: 'order-1' })
    const key = await addKey(office, tenant, ['proofs:search', 'fleet:write'])
    await office.call(key, 'POST', '/head-office/v1/proofs/search', { correlationId: 'order-1' })
    const reason = 'Ada Example lost the key'
    await office.call(key, 'POST', `/head-office/v1/kiosks/${kiosk}/revocation`, { reason })
  }
})
afterAll(() => office.stop())

const list = async (input: object) =>
  ((await runAction(office.context, 'listAccess', input)) as { rows: readonly Row[] }).rows

test('a row waits a minute, because an open transaction may still add an earlier one', async () => {
  expect(await list({})).toEqual([])
  now = BEGIN + 61_000
  expect(await list({})).toHaveLength(4)
})

test('pages continue after the last row, and a tenant can be chosen', async () => {
  const all = await list({})
  const first = await list({ limit: 3 })
  expect(first).toEqual(all.slice(0, 3))
  expect(await list({ after: first[2].id })).toEqual(all.slice(3))
  expect((await list({ tenantId: 'b' })).map(({ tenantId }) => tenantId)).toEqual(['b', 'b'])
})

test('the command prints a line for each act, without the words of a reason and without what was searched for', async () => {
  const output = collectOutput()
  const code = await main(['central', 'access-log', '--tenant', 'a', '--data', office.dataDir])
  const json = output.text
  vi.restoreAllMocks()
  expect(code).toBe(0)
  const lines = json.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      program: 'counterproof-central',
      kind: 'searchProofs',
      tenantId: 'a',
      subject: null,
      reasonGiven: false,
    },
    { program: 'counterproof-central', kind: 'revokeKiosk', tenantId: 'a', reasonGiven: true },
  ])
  for (const secret of ['Ada', 'lost the key', 'order-1']) expect(json).not.toContain(secret)
})

test('an administrator reads the reason in the lines and the table of the command, and in the list and the table of the API', async () => {
  const reason = 'Ada Example lost the key'
  for (const form of ['--reasons', '--csv']) {
    const output = collectOutput()
    await main(['central', 'access-log', form, '--data', office.dataDir])
    const { text } = output
    vi.restoreAllMocks()
    expect(text.split(reason)).toHaveLength(3)
  }
  const auditor = await addKey(office, 'a', ['access:read'], 'audit')
  const { body } = await office.call(auditor, 'GET', '/head-office/v1/access')
  expect(body.accesses).toMatchObject([
    { operation: 'revokeKiosk', reason },
    { operation: 'searchProofs', reason: null },
  ])
  const table = await office.call(auditor, 'GET', '/head-office/v1/access.csv')
  expect(table.text).toContain(reason)
})

test('the command prints lines of syslog if asked, without the words of a reason', async () => {
  const output = collectOutput()
  await main(['central', 'access-log', '--syslog', '--data', office.dataDir])
  const lines = output.text.trimEnd().split('\n')
  expect(output.text).not.toContain('lost the key')
  vi.restoreAllMocks()
  expect(lines).toHaveLength(4)
  for (const line of lines)
    expect(line).toMatch(
      /^<110>1 2026-11-30T10:00:00\.000Z \S+ counterproof-central - \w+ \[event@32473 .*\]$/,
    )
})

test('the command prints a table if asked, between two times, in which a spreadsheet executes nothing', async () => {
  await office.context.db.query(
    SYSTEM,
    `INSERT INTO access_log (id, tenant_id, at, person, person_name, operation, result)
     VALUES ('01a22bae-b680-7000-8000-000000000001', 'a', $1, 'sub-1', '=cmd()', 'listKiosks', 'OK')`,
    [new Date(BEGIN - 3_600_000)],
  )
  const output = collectOutput()
  const [from, to] = [BEGIN - 7_200_000, BEGIN].map((at) => new Date(at).toISOString())
  const args = ['--csv', '--from', from, '--to', to, '--data', office.dataDir]
  await main(['central', 'access-log', ...args])
  const text = output.text
  vi.restoreAllMocks()
  expect(text.split('\r\n')).toEqual([
    '"at","tenantId","person","personName","consumer","keyId","operator","operation","subject","result","reason","id"',
    `"${new Date(BEGIN - 3_600_000).toISOString()}","a","sub-1","'=cmd()",,,,"listKiosks",,"OK",,"01a22bae-b680-7000-8000-000000000001"`,
    '',
  ])
})

test('rows whose months are over are removed by the upkeep, which leaves a row of its own', async () => {
  await office.context.db.query(
    SYSTEM,
    `INSERT INTO access_log (id, tenant_id, at, operation)
     SELECT first_id(at), 'a', at, operation
     FROM (VALUES ('2025-10-31T23:59:59Z'::timestamptz, 'over'), ('2025-11-01', 'kept')) AS row (at, operation)`,
  )
  const upkeep = startUpkeep(office.context)
  await upkeep.run()
  await upkeep.stop()
  now += 3_600_000
  const rows = await list({})
  expect(rows.map(({ operation }) => operation)).toEqual([
    'kept',
    'listKiosks',
    'searchProofs',
    'revokeKiosk',
    'searchProofs',
    'revokeKiosk',
    'deleteRows',
  ])
  expect(rows.at(-1)).toMatchObject({ tenantId: null, operator: 'retention', subject: 'access_log: 1' })
})
