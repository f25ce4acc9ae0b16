/** Backups made by the appliance itself, so many hours apart; the oldest generations are removed. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { describeError, type Log } from '../log.ts'
import { lastBackup, noteBackup, type BackupState } from '../store/last-backup.ts'
import type { Store } from '../store/open.ts'
import { backUpData, backUpKeys, backupName } from './create.ts'
import { verifyBackup } from './restore.ts'

export interface BackupPlan {
  readonly folder: string
  readonly keysFolder: string
  readonly everyHours: number
  /** Generations of the data that are kept. */
  readonly keep: number
}

export interface Scheduler {
  /** Makes one if its time has come. */
  tick(): Promise<void>
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
const LOOK_MS = 60_000

export function scheduleBackups(
  plan: BackupPlan,
  source: { readonly store: Store; readonly dataDir: string; readonly kek: Uint8Array },
  clock: Clock,
  log: Log,
): Scheduler {
  const { store } = source
  let running: Promise<void> | null = null

  const isDue = (): boolean => {
    const last = lastBackup(store.meta)
    return last === null || clock.now().getTime() - last.at >= plan.everyHours * HOUR_MS
  }
  const make = async (): Promise<void> => {
    const at = clock.now()
    const outcome = await backUp(plan, source, at, log)
    store.transaction(() => {
      noteBackup(store.meta, { at: at.getTime(), outcome })
      store.events.append('backup.made', null, { checked: outcome === 'whole' }, at)
    })
    removeOldest(plan, store.applianceId)
  }
  const tick = async (): Promise<void> => {
    if (running) return running
    if (!isDue()) return
    running = make()
      .catch((error: unknown) => {
        log.error(describeError(error), 'a backup could not be recorded')
      })
      .finally(() => {
        running = null
      })
    return running
  }
  const timer = setInterval(() => void tick(), LOOK_MS)
  timer.unref()
  return {
    tick,
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

async function backUp(
  plan: BackupPlan,
  source: { readonly store: Store; readonly dataDir: string; readonly kek: Uint8Array },
  at: Date,
  log: Log,
): Promise<BackupState['outcome']> {
  try {
    const data = await backUpData(source, plan.folder, at)
    const keys = await backUpKeys(source, plan.keysFolder, at)
    const near = join(source.dataDir, 'checks')
    const { problems } = await verifyBackup({ backup: data.path, keys: keys.path, kek: source.kek, near })
    log.info({ bytes: data.bytes, files: data.files, problems: problems.length }, 'backup made')
    if (problems.length === 0) return 'whole'
    log.error({ problems: problems.length }, 'the backup is not whole: run npm run backup -- verify on it')
  } catch (error) {
    log.error(describeError(error), 'no backup could be made')
  }
  return 'failed'
}

function removeOldest({ folder, keep }: BackupPlan, applianceId: string): void {
  if (!existsSync(folder)) return
  // Names carry the time: in the order of names the oldest come first.
  const shape = new RegExp(`^${backupName(applianceId, new Date(0)).replace(/\d{8}T\d+/, '\\d{8}T\\d{9}')}$`)
  const own = readdirSync(folder)
    .filter((name) => shape.test(name))
    .sort()
  for (const name of own.slice(0, Math.max(0, own.length - keep))) rmSync(join(folder, name))
}
