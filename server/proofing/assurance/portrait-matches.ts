/** Which documents a portrait was found to show the holder of, by the record of its verification. The same from an archive. */
import type { VerificationRecord } from '../verification-record.ts'

type Record = Pick<VerificationRecord, 'measurements'>

/** @param referenceId the elected document that it was held against; null where it was held against none */
export function portraitMatches(records: readonly Record[], referenceId: string | null): readonly string[] {
  const measured = records.flatMap(({ measurements }) => measurements)
  const matched = measured.some(
    ({ check, outcome }) => check === 'BIOMETRIC_MATCHING_CHECK' && outcome === 'passed',
  )
  if (!matched || referenceId === null) return []
  const further = measured.find(({ check }) => check === 'BIOMETRIC_MATCHING_FURTHER')?.measured.matching
  const ids = typeof further === 'string' ? further.split(' ').filter((id) => id !== '') : []
  return [referenceId, ...ids]
}
