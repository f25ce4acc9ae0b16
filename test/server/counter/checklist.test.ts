/** The first-run checklist: each row says no more than a test or a report has shown. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  ChecklistName,
  ChecklistRow,
  ChecklistView,
} from '../../../server/counter/contract/checklist.ts'
import { readTenantName } from '../../../server/config/tenant-name.ts'
import { organisationName } from '../../../server/counter/organisation.ts'
import { openAccounts } from '../../../server/counter/staff/accounts.ts'
import { noteBackup } from '../../../server/store/last-backup.ts'
import { picture } from '../app/scripted-vision.ts'
import { ADA, openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole()
})
afterEach(() => its.close())

const administrator = () => its.as(['administrator'], ADA)
const view = async () => (await administrator().call<ChecklistView>('GET', 'checklist')).body
const row = async (name: ChecklistName) => (await view()).rows.find((one) => one.name === name)
const words = async () => Object.fromEntries((await view()).rows.map(({ name, word }) => [name, word]))

test('a fresh appliance says of nothing that it works, but for a policy without faults', async () => {
  expect(await words()).toEqual({
    organisation: 'NOT_SET_UP',
    'face-camera': 'NOT_KNOWN',
    'document-camera': 'NOT_SET_UP',
    voice: 'NOT_KNOWN',
    printer: 'NOT_KNOWN',
    'face-networks': 'NOT_SET_UP',
    backup: 'NOT_SET_UP',
    'master-key': 'NOT_SET_UP',
    'head-office': 'NOT_SET_UP',
    erasure: 'NOT_SET_UP',
    staff: 'NOT_SET_UP',
    policy: 'WORKS',
  })
})

describe('the camera for faces', () => {
  const send = (scene: Parameters<typeof picture>[0]) =>
    administrator().send<ChecklistRow>(
      'checklist/tests/face-camera',
      Buffer.from(picture(scene)),
      'image/jpeg',
    )
  const scene = { shows: 'document', lines: null, face: null } as const

  test('works once a picture of it was good, and says when', async () => {
    const { body } = await send(scene)
    expect(body).toMatchObject({
      word: 'WORKS',
      lastTest: { at: its.now().toISOString(), passed: true, found: null },
    })
    expect(await row('face-camera')).toMatchObject({ word: 'WORKS' })
    expect(its.events('device.tested')).toEqual([
      { type: 'device.tested', body: { part: 'face-camera', passed: true }, actor: `STAFF:${ADA}` },
    ])
  })

  test('has a problem with a picture in which nothing is to be seen, however bright it is', async () => {
    expect((await send({ ...scene, quality: { edgeWidthPx: null } })).body).toMatchObject({
      word: 'PROBLEM',
      lastTest: { passed: false, found: 'EMPTY' },
    })
  })

  test('has a problem with a dark picture, or with one that cannot be read', async () => {
    expect((await send({ ...scene, quality: { luminanceMean: 3 } })).body).toMatchObject({
      word: 'PROBLEM',
      lastTest: { passed: false, found: 'BLACK' },
    })
    expect((await send({ shows: 'garbage' })).body).toMatchObject({ lastTest: { found: 'NOT_MEASURED' } })
  })
})

test('a camera that gives no picture is kept as failed', async () => {
  await administrator().call('POST', 'checklist/tests/face-camera/missing')
  expect(await row('face-camera')).toMatchObject({
    word: 'PROBLEM',
    lastTest: { passed: false, found: 'NO_PICTURE' },
  })
})

test.each(['voice', 'printer'])(
  'a %s that was told to work on another computer is not known here',
  async (name) => {
    const { body } = await administrator().call<ChecklistRow>(
      'POST',
      `checklist/tests/${name}`,
      { passed: true },
      { 'x-forwarded-for': '10.0.0.7' },
    )
    expect(body).toMatchObject({ word: 'NOT_KNOWN', lastTest: { passed: true, here: false } })
  },
)

test('voice and printer are as the person at the screen told', async () => {
  const tell = (name: string, body: object) =>
    administrator().call<ChecklistRow>('POST', `checklist/tests/${name}`, body)
  expect((await tell('voice', { passed: false, lacks: ['ar'] })).body).toMatchObject({
    word: 'PROBLEM',
    lacks: ['ar'],
  })
  expect((await tell('voice', { passed: true })).body).toMatchObject({ word: 'WORKS', lacks: [] })
  expect((await tell('printer', { passed: false })).body).toMatchObject({ word: 'PROBLEM' })
  expect((await tell('printer', { passed: false, lacks: ['Anna Maria'] })).status).toBe(400)
})

test('staff are set up once every role has an account that is set up', async () => {
  const accounts = openAccounts({ store: its.ctx.store, clock: its.ctx.clock, newId: its.deps.newId })
  for (const role of ['officer', 'supervisor', 'auditor', 'administrator'] as const)
    accounts.create(
      { login: role, name: role, roles: [role], language: 'en' },
      { author: { actor: 'operator' }, staffId: null },
    )
  // An account with only a set-up code cannot sign in.
  expect(await row('staff')).toMatchObject({
    word: 'NOT_SET_UP',
    lacks: ['officer', 'supervisor', 'auditor', 'administrator'],
  })
})

describe('the backup', () => {
  test('is refused where none is configured', async () => {
    expect((await administrator().call('POST', 'checklist/backup')).status).toBe(403)
  })

  test('is known only after one was made, and has a problem when that was not whole', async () => {
    its.close()
    its = await openConsole({
      config: { backup: { folder: '/mnt/stick', keysFolder: '/mnt/safe' } },
    })
    expect(await row('backup')).toMatchObject({ word: 'NOT_KNOWN' })
    noteBackup(its.ctx.store.meta, { at: its.now().getTime(), outcome: 'whole' })
    expect(await row('backup')).toMatchObject({ word: 'WORKS' })
    noteBackup(its.ctx.store.meta, { at: its.now().getTime(), outcome: 'failed', reason: 'check' })
    expect(await row('backup')).toMatchObject({ word: 'PROBLEM' })
  })
})

test('an erasure is planned once a service with a key may fetch what the kiosk seals', async () => {
  its.close()
  const { tenant } = its.ctx.config
  const sharing = [{ application: 'bank', of: ['kiosk'], may: 'read' }]
  its = await openConsole({ config: { tenant: { ...tenant, sharing } } })
  expect(await row('erasure')).toMatchObject({ word: 'NOT_SET_UP' })
  const { keyIds } = its.ctx.store.apiKeys.createPair(tenant.id, 'bank', its.now())
  expect(await row('erasure')).toMatchObject({ word: 'WORKS' })
  for (const keyId of keyIds) its.ctx.store.apiKeys.revoke(keyId, its.now())
  expect(await row('erasure')).toMatchObject({ word: 'NOT_SET_UP' })
})

test('the policy says the most that a proof can reach here', async () => {
  const { slots } = (await row('policy')) ?? {}
  const { title, levels } = its.ctx.policy(its.ctx.config.tenant.id)
  expect(slots).toMatchObject({ title, highest: levels.at(-1)?.levelOfAssurance })
  expect(levels.map(({ levelOfAssurance }) => levelOfAssurance)).toContain(slots?.now)
})

test('the copies of the master key are there once the log records that it was split', async () => {
  its.ctx.store.events.append('kek.split', null, { shares: 5, threshold: 3 }, its.now())
  expect(await row('master-key')).toMatchObject({ word: 'WORKS' })
})

test('the face networks work with the extended models, and have a problem if nothing answers', async () => {
  const { vision } = its.ctx
  const health = await vision.health({})
  Object.assign(vision, { health: () => Promise.resolve({ ...health, packs: ['core', 'extended'] }) })
  expect(await row('face-networks')).toMatchObject({ word: 'WORKS' })
  Object.assign(vision, { health: () => Promise.reject(new Error('no worker')) })
  expect(await row('face-networks')).toMatchObject({ word: 'PROBLEM' })
})

test('the organisation is the one of the visit’s settings, then of the brand, on every screen of the counter', () => {
  const { config } = its.deps
  const journey = { organisation: 'Riverside Bank' } as NonNullable<typeof its.deps.journey>
  const brand = { name: 'Riverside Group' } as NonNullable<typeof its.deps.brand>
  expect(organisationName({ journey, brand, config })).toBe('Riverside Bank')
  expect(organisationName({ brand, config })).toBe('Riverside Group')
  expect(organisationName({ config })).toBe(readTenantName(config.tenant))
})
