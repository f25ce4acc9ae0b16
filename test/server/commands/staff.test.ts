import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { normaliseCode } from '../../../server/counter/staff/codes.ts'
import { notePort } from '../../../server/store/last-port.ts'
import { openStore, type Store } from '../../../server/store/open.ts'
import { collectOutput } from '../../support/output.ts'

let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'staff-'))
  openStore(folder, loadKek(loadConfig({ dataDir: folder }))).close()
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const staff = (...argv: string[]) => main(['staff', ...argv, '--data', folder])
const ADA = ['create', '--login', 'ada', '--name', 'Ada Example', '--role', 'administrator'] as const
const within = <T>(work: (store: Store) => T): T => {
  const config = loadConfig({ dataDir: folder })
  const store = openStore(config.dataDir, loadKek(config))
  try {
    return work(store)
  } finally {
    store.close()
  }
}

test('the address it prints has the port on which the appliance listens', async () => {
  await staff(...ADA)
  expect(output.text).toContain('http://localhost:8717/counter/')
  notePort(folder, 43_210)
  await staff('reset', 'ada')
  expect(output.text).toContain('http://localhost:43210/counter/')
})

test('roles are taken one by one, or as a list, whichever option the reader remembers', async () => {
  expect(await staff(...ADA.slice(0, 5), '--roles', 'officer,supervisor', '--json')).toBe(0)
  expect(JSON.parse(output.text)).toMatchObject({ roles: ['officer', 'supervisor'] })
  expect(await staff('roles', 'ada', '--roles', 'officer,king')).toBe(2)
})

test('an account is made with a code that is shown once', async () => {
  expect(await staff(...ADA, '--json')).toBe(0)
  const made = JSON.parse(output.text) as { staffId: string; setUpCode: string; state: string }
  expect(made).toMatchObject({ login: 'ada', roles: ['administrator'], state: 'invited' })
  within((store) => {
    expect(store.staff.setUpCodeFits(made.staffId, normaliseCode(made.setUpCode))).toBe(true)
    const events = store.events.after(0, 100).filter(({ type }) => type.startsWith('staff.'))
    expect(events).toMatchObject([
      { type: 'staff.created', actor: 'operator', body: { staffId: made.staffId } },
    ])
    const written = JSON.stringify(events)
    // As a word, because three such letters may occur in a hash.
    expect(written).not.toMatch(/\bada\b/i)
    expect(written).not.toContain(made.setUpCode)
  })
  output.text = ''
  expect(await staff('list')).toBe(0)
  expect(output.text).toContain('Ada Example')
  expect(output.text).not.toContain(made.setUpCode)
})

test('the last administrator is neither disabled nor demoted; with a second one, each may be', async () => {
  await staff(...ADA)
  for (const argv of [
    ['disable', 'ada'],
    ['remove', 'ada'],
    ['roles', 'ada', '--role', 'officer'],
  ]) {
    expect([argv, await staff(...argv)]).toEqual([argv, 2])
  }
  await staff('create', '--login', 'bo', '--name', 'Bo', '--role', 'administrator')
  expect(await staff('disable', 'ADA')).toBe(0)
  expect(await staff('disable', 'bo')).toBe(2)
  expect(await staff('enable', 'ada')).toBe(0)
  expect(await staff('roles', 'bo', '--role', 'officer', '--role', 'auditor')).toBe(0)
  within((store) => {
    expect(store.staff.findByLogin('bo')?.roles).toEqual(['officer', 'auditor'])
  })
})

test('a reset takes every credential away and makes another code; a removal forgets the name', async () => {
  await staff(...ADA)
  await staff('create', '--login', 'bo', '--name', 'Bo Gone', '--role', 'officer')
  const id = within((store) => {
    const { id: boId = '' } = store.staff.findByLogin('bo') ?? {}
    store.staff.setPassword(boId, 'scrypt$x')
    store.staff.endSetUp(boId)
    return boId
  })
  output.text = ''
  expect(await staff('reset', 'bo', '--json')).toBe(0)
  const { setUpCode } = JSON.parse(output.text) as { setUpCode: string }
  within((store) => {
    expect(store.staff.find(id)).toMatchObject({ hasPassword: false, epoch: 2 })
    expect(store.staff.setUpCodeFits(id, normaliseCode(setUpCode))).toBe(true)
  })
  expect(await staff('remove', 'bo')).toBe(0)
  within((store) => {
    expect(store.staff.find(id)).toBeNull()
    expect(store.auditEvents()).toEqual([])
  })
})

test.each([
  ['create', '--login', 'ada', '--role', 'officer'],
  ['create', '--login', 'A da', '--name', 'Ada', '--role', 'officer'],
  ['create', '--login', 'ada', '--name', 'Ada', '--role', 'root'],
  ['create', '--login', 'ada', '--name', 'Ada', '--role', 'officer', '--language', 'x'],
  ['disable'],
  ['promote', 'ada'],
])('%s %s %s %s is wrong use', async (...argv) => {
  expect(await staff(...argv)).toBeGreaterThan(0)
  expect(output.text).not.toContain(' at ')
})
