import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SafeStorage } from 'electron'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CustodyFiles, createKeyCustody } from '../../main/key-custody.ts'
import { StartRefusal } from '../../main/start-refusal.ts'
import { FakeSafeStorage } from './fake-electron.ts'

let folder: string
let files: CustodyFiles
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'custody-'))
  files = { wrappedKey: join(folder, 'keys', 'kek.wrapped'), database: join(folder, 'appliance.sqlite') }
})
afterEach(() => rm(folder, { recursive: true }))

function custodyOf(storage: Partial<FakeSafeStorage> = {}, platform: NodeJS.Platform = 'linux') {
  return createKeyCustody(
    Object.assign(new FakeSafeStorage(), storage) as unknown as SafeStorage,
    platform,
    files,
  )
}

describe('the custody of the master key', () => {
  test('makes one key on the first run, keeps it wrapped and private, and gives the same again', () => {
    const custody = custodyOf()
    const key = custody.unwrap()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(custodyOf().unwrap()).toBe(key)
    expect(readFileSync(files.wrappedKey, 'utf8')).not.toContain(key)
    expect(statSync(files.wrappedKey).mode & 0o777).toBe(0o600)
  })

  test.each(['basic_text', 'unknown'])(
    'is refused, with the way out, where Linux offers %s only',
    (backend) => {
      const custody = custodyOf({ backend })
      expect(custody.refusal).toMatch(/key-file/)
      expect(() => custody.unwrap()).toThrow(StartRefusal)
      expect(existsSync(files.wrappedKey)).toBe(false)
    },
  )

  test('is refused where the system cannot encrypt', () => {
    expect(custodyOf({ available: false }, 'win32').refusal).not.toBeNull()
    expect(custodyOf({}, 'darwin').refusal).toBeNull()
  })

  test('never makes a new key beside data whose key is missing', () => {
    writeFileSync(files.database, '')
    expect(() => custodyOf().unwrap()).toThrow(StartRefusal)
    expect(existsSync(files.wrappedKey)).toBe(false)
  })

  test('says so when the keystore no longer opens the key, and leaves it as it is', () => {
    custodyOf().unwrap()
    writeFileSync(files.wrappedKey, 'damaged')
    expect(() => custodyOf().unwrap()).toThrow(StartRefusal)
    expect(readFileSync(files.wrappedKey, 'utf8')).toBe('damaged')
  })

  test('accepts nothing that is no key', () => {
    custodyOf().unwrap()
    writeFileSync(files.wrappedKey, new FakeSafeStorage().encryptString('short'))
    expect(() => custodyOf().unwrap()).toThrow(StartRefusal)
  })
})
