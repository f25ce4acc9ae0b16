/** Result of the last automatic backup. */
import type { Meta } from './meta.ts'

export interface BackupState {
  /** Time of the last attempt, milliseconds since 1970. */
  readonly at: number
  readonly outcome: 'whole' | 'failed'
  /** For a failed one: the setting or step, and the error code. Absent in older versions. */
  readonly reason?: string
}

const NAME = 'last-backup'

/** Null if there was none. */
export function lastBackup(meta: Meta): BackupState | null {
  return meta.getJson(NAME) as BackupState | null
}

export function noteBackup(meta: Meta, state: BackupState): void {
  meta.setJson(NAME, state)
}

/** Current step of a running backup. */
export type BackupStep = 'DATA' | 'KEYS' | 'RESTORE_TEST'

export interface BackupProgress {
  readonly step: BackupStep
  readonly startedAt: Date
}

/** The part of the appliance that makes automatic backups. */
export interface BackupMaker {
  /** Starts a backup and a test restore, unless one is running. */
  makeNow(): void
  /** Null if none is running. */
  progress(): BackupProgress | null
}
