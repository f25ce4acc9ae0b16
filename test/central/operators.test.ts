/** People at the command line: each act is in the access log with its result, and a decision is made once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ACTIONS, runAction } from '../../server/central/admin/actions.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { main } from '../../server/cli.ts'
import { codeFor } from '../support/central.ts'
import { enrolmentRequest } from '../support/kiosk-client.ts'
import { collectOutput } from '../support/output.ts'
import { addKiosk, addProof, startOffice, type TestOffice } from './head-office/support.ts'

let office: TestOffice
let folder: string
beforeAll(async () => {
  office = await startOffice()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-operators-'))
})
afterAll(async () => {
  await office.stop()
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => vi.restoreAllMocks())

const act = (name: string, input: object, by = 'Ada') =>
  runAction(office.context, name, input, by) as Promise<Record<string, string>>
const accesses = async (operation?: string) =>
  (
    await office.db.query<{ line: string }>(
      SYSTEM,
      `SELECT concat_ws(' ', operation, coalesce(tenant_id, '-'), coalesce(subject, '-'), operator, result, reason) AS line
       FROM access_log WHERE operator IS NOT NULL AND ($1::text IS NULL OR operation = $1) ORDER BY id`,
      [operation ?? null],
    )
  ).map(({ line }) => line)
const alarm = async (kioskId: string, tenant = 'acme') => {
  const id = randomUUID()
  await office.db.query(
    SYSTEM,
    `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at)
     VALUES ($1, $2, $3, 'CHAIN_BROKEN', '', '{}', now(), now())`,
    [id, tenant, kioskId],
  )
  return id
}
const command = async (...argv: string[]) => {
  const output = collectOutput()
  const status = await main(['central', ...argv, '--data', office.dataDir])
  vi.restoreAllMocks()
  return { status, text: output.text }
}

test('each act is a row of the access log with person, tenant, subject and result, and no row has a secret', async () => {
  const secrets = [await codeFor(office)]
  const kiosk = await addKiosk(office, 'acme')
  const { proofId } = await addProof(office, 'acme', kiosk, 1)
  const alarmId = await alarm(kiosk)
  const file = join(folder, 'receipts')
  await act('init', {})
  await act('createTenant', { tenantId: 'beta' })
  await act('setTestProofs', { tenantId: 'beta', takesTestProofs: true })
  secrets.push((await act('createEnrolmentCode', { tenantId: 'beta', name: 'Branch 7' })).code)
  secrets.push(
    (await act('createConsumer', { tenantId: 'beta', name: 'archive', scopes: ['proofs:read'] })).key,
  )
  const { keyId } = await act('createConsumer', {
    tenantId: 'acme',
    name: 'archive',
    scopes: ['proofs:read'],
  })
  await act('revokeConsumerKey', { keyId })
  await act('rotateKey', { purpose: 'PACKET' })
  await act('resolveAlarm', { alarmId, reason: 'the disk was exchanged' })
  await act('setRetention', { tenantId: 'acme', days: 3000 })
  const { holdId } = await act('placeHold', { proofId, reference: 'case 1' })
  await act('releaseHold', { holdId, reference: 'closed' })
  const order = { proofId, reference: 'request 1' }
  const { confirmation } = await act('previewErasure', order)
  await act('eraseProofs', { ...order, confirmation })
  await act('setRings', { tenantId: 'acme', rings: [{ name: 'all', share: 100 }] })
  await act('exportReceipts', { file })
  await act('applyReceipts', { file })
  await act('listArchives', { file: join(folder, 'archives') })
  await act('createBackup', { folder })
  const request = await enrolmentRequest(await codeFor(office))
  await act('signEnrolment', { request })
  await act('revokeKiosk', { kioskId: kiosk, reason: 'stolen' })
  for (const [name, input] of [
    ['chooseLine', { kioskId: kiosk, firstProof: proofId, reason: 'visited' }],
    ['deliverLine', { kioskId: kiosk, firstProof: proofId, reason: 'visited' }],
    ['retryDeliveries', { webhookId: randomUUID() }],
    ['dropDeliveries', { webhookId: randomUUID() }],
    ['importPackets', { folder }],
    ['addRelease', { packageFile: file, releaseFile: file }],
    ['assignRing', { kioskId: randomUUID(), ring: null }],
    ['startRollout', { tenantId: 'acme', version: '1.0.0', reason: 'mended' }],
    ['pauseRollout', { rolloutId: randomUUID(), reason: 'mended' }],
    ['resumeRollout', { rolloutId: randomUUID(), reason: 'mended' }],
    ['stopRollout', { rolloutId: randomUUID(), reason: 'mended' }],
    [
      'publishTrustBundle',
      { tenantId: 'unknown', publishedBy: 'Ada', confirmedBy: 'Ben', files: [aTrustFile()] },
    ],
  ] as const)
    await expect(act(name, input)).rejects.toThrow()

  const all = await accesses()
  const acts = Object.entries(ACTIONS).flatMap(([name, { isAct }]) => (isAct ? [name] : []))
  expect([...new Set(all.map((line) => line.split(' ')[0]))].sort()).toEqual(acts.sort())
  for (const expected of [
    'createTenant beta - Ada OK',
    `createConsumer acme ${keyId} Ada OK`,
    `revokeConsumerKey acme ${keyId} Ada OK`,
    `resolveAlarm acme ${alarmId} Ada OK the disk was exchanged`,
    `placeHold acme ${holdId} Ada OK case 1`,
    `previewErasure acme ${proofId} Ada OK request 1`,
    `eraseProofs acme ${proofId} Ada OK request 1`,
    `signEnrolment acme ${request.kioskId} Ada OK`,
    `chooseLine acme ${kiosk} Ada not_found visited`,
  ])
    expect(all).toContain(expected)
  for (const secret of secrets) expect(all.join('\n')).not.toContain(secret)
})

const aTrustFile = () => ({
  path: join(folder, 'none'),
  sha256: 'a'.repeat(64),
  kind: 'MASTER_LIST',
  series: 'S',
  country: 'UT',
  signedAt: null,
})

test('an erasure under a legal hold is refused with a sentence and status 1, and the log tells preview, refusal and erasure apart', async () => {
  const { proofId } = await addProof(office, 'acme', await addKiosk(office, 'acme'), 1)
  const { holdId } = await act('placeHold', { proofId, reference: 'case 2' })
  const order = ['erase', '--proof', proofId, '--reference', 'request 2', '--by', 'Ben']
  const shown = await command(...order)
  expect(shown).toMatchObject({ status: 1, text: expect.stringContaining('A legal hold keeps') as string })
  const refused = await command(...order, '--confirm', 'anything')
  expect(refused).toMatchObject({
    status: 1,
    text: expect.stringContaining('A legal hold forbids') as string,
  })
  await act('releaseHold', { holdId, reference: 'closed' })
  const code = /confirmation: (\w+)/.exec((await command(...order)).text)?.[1] ?? ''
  expect((await command(...order, '--confirm', code)).status).toBe(0)
  expect((await accesses()).filter((line) => line.includes('request 2'))).toEqual([
    `previewErasure acme ${proofId} Ben legal_hold request 2`,
    `eraseProofs acme ${proofId} Ben legal_hold request 2`,
    `previewErasure acme ${proofId} Ben OK request 2`,
    `eraseProofs acme ${proofId} Ben OK request 2`,
  ])
})

test('an alarm is resolved and a hold released once: the second person learns who did it and when, and changes nothing', async () => {
  const kiosk = await addKiosk(office, 'acme')
  const alarmId = await alarm(kiosk)
  const { holdId } = await act('placeHold', { kioskId: kiosk, reference: 'case 3' })
  await act('resolveAlarm', { alarmId, reason: 'first' })
  await act('releaseHold', { holdId, reference: 'first' })
  for (const by of ['Ada', 'Ben'])
    for (const word of ['first', 'second']) {
      const refused = {
        code: 'transition_refused',
        details: { by: 'operator:Ada', at: expect.any(String) as string },
      }
      await expect(act('resolveAlarm', { alarmId, reason: word }, by)).rejects.toMatchObject(refused)
      await expect(act('releaseHold', { holdId, reference: word }, by)).rejects.toMatchObject(refused)
    }
  const { status, text } = await command('alarms', 'resolve', alarmId, '--reason', 'x')
  expect(status).toBe(1)
  expect(text).toMatch(/it was resolved before[^]*by: operator:Ada/)
  const listed = await command('alarms', 'list', '--all')
  expect(listed.text).toMatch(new RegExp(`${alarmId}.*resolvedBy=operator:Ada  reason=first`))
})

test('a kiosk is revoked once: of two people the second learns that it was revoked, by whom and when', async () => {
  const kiosk = await addKiosk(office, 'acme')
  const made = await Promise.allSettled(
    ['Ada', 'Ben'].map(async (by) => act('revokeKiosk', { kioskId: kiosk, reason: `seen by ${by}` }, by)),
  )
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const by = made[0]?.status === 'fulfilled' ? 'Ada' : 'Ben'
  for (const again of ['Ada', 'Ben']) {
    const { status, text } = await command('kiosks', 'revoke', kiosk, '--reason', 'x', '--by', again)
    expect(status).toBe(1)
    expect(text).toMatch(new RegExp(`it was revoked before[^]*at: 20[^]*by: operator:${by}`))
  }
  // An older version did not store the person.
  await office.db.query(SYSTEM, 'UPDATE kiosks SET revoked_by = NULL WHERE id = $1', [kiosk])
  const { text } = await command('kiosks', 'revoke', kiosk, '--reason', 'x')
  expect(text).toMatch(/it was revoked before/)
  expect(text).not.toContain('by:')
})

test('a tenant that was not created is refused by each command that names one', async () => {
  for (const argv of [
    ['kiosks', 'list'],
    ['holds', 'place', '--reference', 'case 4'],
    ['deliveries', 'retry'],
    ['consumers', 'create', '--name', 'x', '--scope', 'proofs:read'],
  ]) {
    const { status, text } = await command(...argv, '--tenant', 'acmee')
    expect({ status, text }).toEqual({
      status: 1,
      text: expect.stringMatching(/There is no entry[^]*tenant: acmee/) as string,
    })
  }
})

test.each([
  ['a name', ['enrol-code', '--tenant', 'acme', '--name', 'Branch\u001b[2J']],
  ['a reason', ['alarms', 'resolve', randomUUID(), '--reason', 'x\ny']],
  ['a reference', ['holds', 'place', '--tenant', 'acme', '--reference', 'case\u202e1']],
  ['the name of the person', ['holds', 'place', '--tenant', 'acme', '--reference', 'x', '--by', 'A\u0007']],
])('%s with a control character is refused', async (_, argv) => {
  const { status, text } = await command(...argv)
  expect(status).toBeGreaterThan(0)
  expect(text).toMatch(/(must not have|without) control characters/)
})
