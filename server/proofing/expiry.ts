import type { Finding } from './judge.ts'
import { specDate } from './time.ts'

/** Whether a document is in force; the last day itself still is. Null: nobody said when it ends. */
export function expiryFinding(lastDay: string | null, now: Date): Finding {
  const inForce = lastDay !== null && lastDay >= specDate(now)
  return {
    check: 'DOCUMENT_EXPIRY',
    outcome: lastDay === null ? 'inconclusive' : inForce ? 'passed' : 'failed',
  }
}
