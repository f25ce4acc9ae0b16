/** Determines from a verification record which documents' holder a portrait shows. Works on archives too. */
import type { CheckOutcome } from '../judge.ts'
import type { VerificationRecord } from '../verification-record.ts'

type Record = Pick<VerificationRecord, 'measurements'>

/** @param referenceId the elected document of the comparison; null if there was none */
export function portraitMatches(records: readonly Record[], referenceId: string | null): readonly string[] {
  const measured = records.flatMap(({ measurements }) => measurements)
  const ended = (name: string, as: CheckOutcome): boolean =>
    measured.some(({ check, outcome }) => check === name && outcome === as)
  const byMachine = ended('BIOMETRIC_MATCHING_CHECK', 'passed')
  // A person decides only what the comparison left open; a mismatch cannot be overruled.
  const byPerson = ended('ADJUDICATION', 'passed') && !ended('BIOMETRIC_MATCHING_CHECK', 'failed')
  if (!(byMachine || byPerson) || referenceId === null) return []
  const further = measured.find(({ check }) => check === 'BIOMETRIC_MATCHING_FURTHER')?.measured.matching
  const ids = typeof further === 'string' ? further.split(' ').filter((id) => id !== '') : []
  return [referenceId, ...ids]
}
