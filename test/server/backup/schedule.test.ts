/** Backups that the appliance makes by itself. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backUpData, backUpKeys, keysBackupName } from '../../../server/backup/create.ts'
import { scheduleBackups } from '../../../server/backup/schedule.ts'
import { createLog } from '../../../server/log.ts'
import { lastBackup } from '../../../server/store/last-backup.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
let folder: string
let hours = 0
let logged: string[] = []
beforeEach(() => {
  t = openTestStore()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-backups-'))
  for (const name of ['data', 'keys']) mkdirSync(join(folder, name))
  hours = 0
  logged = []
})
afterEach(() => {
  t.close()
  rmSync(folder, { recursive: true, force: true })
})

const clock = { now: () => new Date(AT.getTime() + hours * 3_600_000) }
const plan = () => ({
  folder: join(folder, 'data'),
  keysFolder: join(folder, 'keys'),
  everyHours: 24,
  keep: 3,
})
const scheduled = () =>
  scheduleBackups(
    plan(),
    { store: t.store, dataDir: t.dataDir, kek: t.kek },
    clock,
    createLog({ write: (line) => logged.push(line) }),
  )

test('one is made when its time has come and not before, and the oldest generations go', async () => {
  const backups = scheduled()
  await backups.tick()
  hours = 23
  await backups.tick()
  expect(readdirSync(plan().folder)).toHaveLength(1)
  for (hours = 24; hours <= 24 * 5; hours += 24) await backups.tick()
  writeFileSync(join(plan().folder, 'somebody-elses.cpbackup'), '')
  await backups.tick()
  expect(readdirSync(plan().folder)).toHaveLength(4)
  expect(readdirSync(plan().keysFolder)).toHaveLength(1)
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'whole' })
  await backups.stop()
})

test('one that cannot be made is told of and tried again at its next time, and the appliance continues', async () => {
  rmSync(join(folder, 'data'), { recursive: true })
  writeFileSync(join(folder, 'data'), 'a file where the folder should be')
  const backups = scheduled()
  await backups.tick()
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'failed' })
  rmSync(join(folder, 'data'))
  mkdirSync(join(folder, 'data'))
  hours = 24
  await backups.tick()
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'whole' })
  await backups.stop()
})

test('a folder at the name of the copy of the keys refuses the backup, and the appliance continues', async () => {
  // An unhandled error would end the process: vitest fails such a run.
  const inTheWay = join(folder, 'keys', keysBackupName(t.store.applianceId))
  mkdirSync(inTheWay, { recursive: true })
  const backups = scheduled()
  await backups.tick()
  await setTimeout(200)
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'failed' })
  expect(readdirSync(t.dataDir).filter((name) => name.startsWith('backup-'))).toEqual([])
  rmSync(inTheWay, { recursive: true })
  hours = 24
  await backups.tick()
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'whole' })
  await backups.stop()
})

test('a folder that is not there is never made: the stick is not plugged in, and the log and the health report say which', async () => {
  rmSync(plan().keysFolder, { recursive: true })
  const backups = scheduled()
  await backups.tick()
  expect(existsSync(plan().keysFolder)).toBe(false)
  expect(lastBackup(t.store.meta)).toMatchObject({
    outcome: 'failed',
    reason: 'backup.keysFolder, file_refused',
  })
  expect(logged.join('')).toContain(`"setting":"backup.keysFolder","folder":"${plan().keysFolder}"`)
  await backups.stop()
})

test('what the system says is in the log as its code, with the setting whose folder it is', async () => {
  rmSync(plan().folder, { recursive: true })
  writeFileSync(plan().folder, 'a file where the folder should be')
  const backups = scheduled()
  await backups.tick()
  expect(lastBackup(t.store.meta)).toMatchObject({ reason: 'backup.folder, ENOTDIR' })
  expect(logged.join('')).toContain('"errno":"ENOTDIR"')
  await backups.stop()
})

test('a folder inside the data folder is refused: the copy would be lost with what it is a copy of', async () => {
  const inside = join(t.dataDir, 'kept')
  for (const make of [backUpData, backUpKeys]) {
    const source = { store: t.store, dataDir: t.dataDir, kek: t.kek }
    await expect(make(source, inside, AT)).rejects.toMatchObject({ code: 'backup_refused' })
  }
  expect(existsSync(inside)).toBe(false)
})

test('one that is asked for is made at once, says which step it is at, and is not made twice', async () => {
  const backups = scheduled()
  await backups.tick()
  hours = 1
  backups.makeNow()
  backups.makeNow()
  const steps = new Set<string>()
  while (backups.progress()) {
    steps.add(backups.progress()?.step ?? '')
    expect(backups.progress()?.startedAt).toEqual(clock.now())
    await setTimeout(1)
  }
  expect([...steps]).toEqual(['DATA', 'KEYS', 'RESTORE_TEST'])
  expect(readdirSync(plan().folder)).toHaveLength(2)
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'whole', at: clock.now().getTime() })
  await backups.stop()
})
