/** How the last backup that the appliance made by itself went. */
import type { Meta } from './meta.ts'

export interface BackupState {
  /** Milliseconds since 1970 of the last try. */
  readonly at: number
  readonly outcome: 'whole' | 'failed'
  /** Of one that failed: the setting or the step, and the code of the error. Older versions kept none. */
  readonly reason?: string
}

const NAME = 'last-backup'

/** Null: none yet. */
export function lastBackup(meta: Meta): BackupState | null {
  return meta.getJson(NAME) as BackupState | null
}

export function noteBackup(meta: Meta, state: BackupState): void {
  meta.setJson(NAME, state)
}
