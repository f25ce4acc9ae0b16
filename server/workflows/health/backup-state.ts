/** How the last backup that the appliance made by itself went; null: none yet, or none are configured. */
import type { Context } from '../../context.ts'
import { lastBackup, type BackupState } from '../../store/last-backup.ts'

export function backupState({ store }: Pick<Context, 'store'>): BackupState | null {
  return lastBackup(store.meta)
}
