/** Who resolved an alarm, and why. */
import type { Migration } from './migration.ts'

export const alarmResolutions: Migration = {
  version: 16,
  sql: `
    ALTER TABLE alarms
      -- consumer:ID, person:SUBJECT or operator:NAME; null: the service itself, or a version before.
      ADD COLUMN resolved_by text,
      ADD COLUMN resolution text;
  `,
}
