/** The root updater with real dpkg on a small machine in bubblewrap. Skipped without root, dpkg or bubblewrap. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../../server/store/open.ts'
import { hasUpdateMachine, makeUpdateMachine, type UpdateMachine } from '../../support/update-machine.ts'

const vendor = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')

let machine: UpdateMachine
beforeEach(() => {
  if (!hasUpdateMachine) return
  machine = makeUpdateMachine(vendor, (dataDir) =>
    openStore(dataDir, randomBytes(32), { anyKeys: true }).close(),
  )
  // The first package comes by apt: the updater has kept none.
  const { deb } = machine.makePackage('0.1.0')
  machine.installByDpkg(deb)
})
afterEach(() => machine?.close())

/** The versions whose server has changed the database that is in force. */
function listStarts(): unknown[] {
  const db = new DatabaseSync(join(machine.dataDir, 'appliance.sqlite'))
  try {
    return db
      .prepare('SELECT version FROM test_starts')
      .all()
      .map(({ version }) => version)
  } catch {
    return []
  } finally {
    db.close()
  }
}
const leftovers = () => [
  ...readdirSync(machine.folder).filter((name) => /under-way|new|tree/.test(name)),
  ...(existsSync(join(machine.dataDir, 'updates/before')) ? ['before'] : []),
  ...(existsSync(join(machine.dataDir, 'updates/request.json')) ? ['request.json'] : []),
]

describe.skipIf(!hasUpdateMachine)('an update', () => {
  test('that the server asked for is installed, and the version before is kept for a return by hand', () => {
    machine.download(machine.makePackage('0.2.0'))
    expect(machine.update(['run']).result).toMatchObject({
      id: 'wish-1',
      state: 'INSTALLED',
      reason: null,
      from: '0.1.0',
      to: '0.2.0',
    })
    expect(machine.installedVersion()).toBe('0.2.0 ii')
    expect([listStarts(), leftovers()]).toEqual([['0.2.0'], []])
    expect(machine.update(['rollback']).result).toMatchObject({
      state: 'INSTALLED',
      from: '0.2.0',
      to: '0.1.0',
    })
    expect(machine.installedVersion()).toBe('0.1.0 ii')
  })

  // @clause NIST-63A-4/4.10-baseline
  test('whose server does not start is rolled back, with the database that it had changed', () => {
    const { deb } = machine.makePackage('0.2.0', { isBroken: true })
    expect(machine.update(['install', deb])).toMatchObject({
      status: 1,
      result: { state: 'ROLLED_BACK', reason: 'START_FAILED', from: '0.1.0', to: '0.2.0' },
    })
    expect(machine.installedVersion()).toBe('0.1.0 ii')
    expect([listStarts(), leftovers()]).toEqual([['0.1.0'], []])
  })

  test('that dpkg cannot install is rolled back', () => {
    const { deb } = machine.makePackage('0.2.0', { hasBrokenScript: true })
    expect(machine.update(['install', deb]).result).toMatchObject({
      state: 'ROLLED_BACK',
      reason: 'INSTALL_FAILED',
    })
    expect(machine.installedVersion()).toBe('0.1.0 ii')
    expect(leftovers()).toEqual([])
  })

  test('waits while another program uses dpkg', () => {
    machine.holdDpkg()
    const { deb } = machine.makePackage('0.2.0')
    expect(machine.update(['install', deb]).result).toMatchObject({ state: 'INSTALLED', to: '0.2.0' })
  })

  test('that a power cut interrupted is rolled back at the next start', () => {
    const { deb } = machine.makePackage('0.2.0', { isBroken: true })
    machine.update(['install', deb])
    // The state between the installation and the verdict on the new version.
    machine.installByDpkg(deb)
    machine.copyDatabases()
    const underWay = { id: 'wish-2', from: '0.1.0', to: '0.2.0', phase: 'CHANGING' }
    writeFileSync(join(machine.folder, 'under-way.json'), JSON.stringify(underWay))
    expect(machine.update(['run']).result).toMatchObject({
      id: 'wish-2',
      state: 'ROLLED_BACK',
      reason: 'INTERRUPTED',
    })
    expect(machine.installedVersion()).toBe('0.1.0 ii')
    expect(leftovers()).toEqual([])
  })

  test('does not cut off a visit', () => {
    const db = new DatabaseSync(join(machine.dataDir, 'appliance.sqlite'))
    const columns = db.prepare('PRAGMA table_info(visits)').all() as {
      name: string
      type: string
      notnull: number
    }[]
    const needed = columns.filter(({ name, notnull }) => notnull || name === 'id')
    db.exec('PRAGMA ignore_check_constraints = ON')
    db.prepare(
      `INSERT INTO visits (${needed.map(({ name }) => name).join()}) VALUES (${needed.map(({ type }) => (type === 'INTEGER' ? '1' : "'x'")).join()})`,
    ).run()
    db.close()
    const { deb } = machine.makePackage('0.2.0')
    expect(machine.update(['install', deb]).result).toMatchObject({
      state: 'FAILED',
      reason: 'VISIT_UNDER_WAY',
    })
    expect([machine.installedVersion(), leftovers().filter((name) => name !== 'new.deb')]).toEqual([
      '0.1.0 ii',
      [],
    ])
  })

  // @clause NIST-63A-4/4.10-baseline
  test('is refused if it is older, forged, changed, a link, or if others may write the keys', () => {
    const reasons: unknown[] = []
    const refuse = (...args: string[]) => {
      const { status, result } = machine.update(args)
      reasons.push(status === 0 && args[0] === 'install' ? 'installed' : result?.reason)
    }
    refuse('install', machine.makePackage('0.1.0~rc1').deb)
    refuse('install', machine.makePackage('0.3.0', { key: stranger }).deb)
    const good = machine.makePackage('0.2.0')
    const other = machine.makePackage('0.4.0')
    machine.download({ ...good, deb: other.deb })
    refuse('run')
    machine.download(good)
    const downloaded = join(machine.dataDir, 'updates', `${good.sha256}.deb`)
    renameSync(downloaded, `${downloaded}.real`)
    symlinkSync(`${downloaded}.real`, downloaded)
    refuse('run')
    writeFileSync(
      join(machine.dataDir, 'updates/request.json'),
      '{"id":"x","sha256":"../../../etc/shadow","action":"install"}',
    )
    refuse('run')
    copyFileSync(other.release, good.release)
    refuse('install', good.deb)
    chmodSync(machine.keysFolder, 0o777)
    refuse('install', other.deb)
    expect(reasons).toEqual([
      'NOT_NEWER',
      'KEY_UNKNOWN',
      'PACKAGE_DIFFERS',
      'PACKAGE_DIFFERS',
      'REQUEST_MALFORMED',
      'PACKAGE_DIFFERS',
      'KEYS_UNSAFE',
    ])
    expect(machine.installedVersion()).toBe('0.1.0 ii')
    expect(JSON.parse(readFileSync(join(machine.folder, 'result.json'), 'utf8'))).toMatchObject({
      reason: 'KEYS_UNSAFE',
    })
  })
})
