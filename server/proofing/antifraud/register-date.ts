/** The age of a register's data. */
import { DAY_MS } from '../time.ts'

/**
 * True if a register of this date is at most `days` old. An unreadable or future date does not count as fresh.
 * @param date yyyy-MM-dd
 */
export function isFresh(date: string, days: number, today: string): boolean {
  const age = (Date.parse(today) - Date.parse(date)) / DAY_MS
  return age >= -1 && age <= days
}
