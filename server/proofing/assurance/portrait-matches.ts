/** Which documents a portrait was found to show the holder of, by the record of its verification. The same from an archive. */
import type { CheckOutcome } from '../judge.ts'
import type { VerificationRecord } from '../verification-record.ts'

type Record = Pick<VerificationRecord, 'measurements'>

/** @param referenceId the elected document that it was compared with; null where it was compared with none */
export function portraitMatches(records: readonly Record[], referenceId: string | null): readonly string[] {
  const measured = records.flatMap(({ measurements }) => measurements)
  const ended = (name: string, as: CheckOutcome): boolean =>
    measured.some(({ check, outcome }) => check === name && outcome === as)
  const byMachine = ended('BIOMETRIC_MATCHING_CHECK', 'passed')
  // Where the machine left it open. What it found to be somebody else, no person makes the same.
  const byPerson = ended('ADJUDICATION', 'passed') && !ended('BIOMETRIC_MATCHING_CHECK', 'failed')
  if (!(byMachine || byPerson) || referenceId === null) return []
  const further = measured.find(({ check }) => check === 'BIOMETRIC_MATCHING_FURTHER')?.measured.matching
  const ids = typeof further === 'string' ? further.split(' ').filter((id) => id !== '') : []
  return [referenceId, ...ids]
}
