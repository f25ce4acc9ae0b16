/** Backups that the appliance makes by itself. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scheduleBackups } from '../../../server/backup/schedule.ts'
import { createLog } from '../../../server/log.ts'
import { lastBackup } from '../../../server/store/last-backup.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
let folder: string
let hours = 0
beforeEach(() => {
  t = openTestStore()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-backups-'))
  hours = 0
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
    createLog(undefined, 'silent'),
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

test('one that cannot be made is told of and tried again at its next time, and the appliance goes on', async () => {
  writeFileSync(join(folder, 'data'), 'a file where the folder should be')
  const backups = scheduled()
  await backups.tick()
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'failed' })
  rmSync(join(folder, 'data'))
  hours = 24
  await backups.tick()
  expect(lastBackup(t.store.meta)).toMatchObject({ outcome: 'whole' })
  await backups.stop()
})
