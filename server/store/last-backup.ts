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

/** What a backup that is being made is doing. */
export type BackupStep = 'DATA' | 'KEYS' | 'RESTORE_TEST'

export interface BackupProgress {
  readonly step: BackupStep
  readonly startedAt: Date
}

/** The part of the appliance that makes backups by itself. */
export interface BackupMaker {
  /** Makes one now and restores it as a test, unless one is being made. */
  makeNow(): void
  /** Null: none is being made. */
  progress(): BackupProgress | null
}
