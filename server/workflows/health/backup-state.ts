/** Returns the result of the last automatic backup, or null if there is none. */
import type { Context } from '../../context.ts'
import { lastBackup, type BackupState } from '../../store/last-backup.ts'

export function backupState({ store }: Pick<Context, 'store'>): BackupState | null {
  return lastBackup(store.meta)
}
