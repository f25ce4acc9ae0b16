/** Automatic backups at a fixed interval; deletes the oldest generations. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { SafeDetails } from '../errors.ts'
import { describeError, type Log } from '../log.ts'
import { noteKeysCopy } from '../store/keys-copies.ts'
import {
  lastBackup,
  noteBackup,
  type BackupMaker,
  type BackupProgress,
  type BackupState,
  type BackupStep,
} from '../store/last-backup.ts'
import type { Store } from '../store/open.ts'
import { backUpData, backUpKeys, backupName, type MadeKeysBackup } from './create.ts'
import { verifyBackup } from './restore.ts'

interface BackupPlan {
  readonly folder: string
  readonly keysFolder: string
  readonly everyHours: number
  /** Number of data generations to keep. */
  readonly keep: number
}

export interface Scheduler extends BackupMaker {
  /** Makes a backup if it is due. */
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
  let progress: BackupProgress | null = null

  const isDue = (): boolean => {
    const last = lastBackup(store.meta)
    return last === null || clock.now().getTime() - last.at >= plan.everyHours * HOUR_MS
  }
  const make = async (): Promise<void> => {
    const at = clock.now()
    const onStep = (step: BackupStep): void => {
      progress = { step, startedAt: at }
    }
    const { keys, ...went } = await backUp(plan, source, at, log, onStep)
    store.transaction(() => {
      if (keys) noteKeysCopy(store.meta, keys)
      noteBackup(store.meta, { at: at.getTime(), ...went })
      store.events.append('backup.made', null, { checked: went.outcome === 'whole' }, at)
    })
    removeOldest(plan, store.applianceId)
  }
  const begin = (): Promise<void> =>
    (running ??= make()
      .catch((error: unknown) => {
        log.error(describeError(error), 'a backup could not be recorded')
      })
      .finally(() => {
        running = null
        progress = null
      }))
  const tick = async (): Promise<void> => {
    if (running || isDue()) await begin()
  }
  const timer = setInterval(() => void tick(), LOOK_MS)
  timer.unref()
  return {
    tick,
    makeNow: () => void begin(),
    progress: () => progress,
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
  onStep: (step: BackupStep) => void,
): Promise<Omit<BackupState, 'at'> & { readonly keys: MadeKeysBackup | null }> {
  let keys: MadeKeysBackup | null = null
  let step: Step = 'backup.folder'
  try {
    onStep('DATA')
    const data = await backUpData(source, plan.folder, at)
    step = 'backup.keysFolder'
    onStep('KEYS')
    keys = await backUpKeys(source, plan.keysFolder, at)
    step = 'check'
    onStep('RESTORE_TEST')
    const near = join(source.dataDir, 'checks')
    const { problems } = await verifyBackup({ backup: data.path, keys: keys.path, kek: source.kek, near })
    log.info({ bytes: data.bytes, files: data.files, problems: problems.length }, 'a backup was made')
    if (problems.length === 0) return { outcome: 'whole', keys }
    log.error(
      { problems: problems.length },
      'the backup is incomplete: check it with npm run backup -- verify',
    )
    return { outcome: 'failed', reason: 'it is not whole', keys }
  } catch (error) {
    const told = describeError(error)
    log.error({ ...describeFolder(plan, step), ...told }, 'no backup could be made')
    return { outcome: 'failed', reason: `${step}, ${String(told.errno ?? told.code)}`, keys }
  }
}

/** The setting whose folder is written to, or the verification. */
type Step = 'backup.folder' | 'backup.keysFolder' | 'check'

/** For the log: the folder that the operator configured. */
function describeFolder(plan: BackupPlan, step: Step): SafeDetails {
  if (step === 'check') return { step }
  return { setting: step, folder: step === 'backup.folder' ? plan.folder : plan.keysFolder }
}

function removeOldest({ folder, keep }: BackupPlan, applianceId: string): void {
  if (!existsSync(folder)) return
  // Names contain the time, so they sort oldest first.
  const shape = new RegExp(`^${backupName(applianceId, new Date(0)).replace(/\d{8}T\d+/, '\\d{8}T\\d{9}')}$`)
  const own = readdirSync(folder)
    .filter((name) => shape.test(name))
    .sort()
  for (const name of own.slice(0, Math.max(0, own.length - keep))) rmSync(join(folder, name))
}
