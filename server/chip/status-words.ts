/** The status words that chips of travel documents answer, by name (ISO/IEC 7816-4, 5.6; ICAO Doc 9303-10, 3.6). */
import { ChipFault, type FaultReason } from './outcome.ts'
import type { ResponseApdu } from './apdu.ts'

export const STATUS = {
  success: 0x9000,
  corrupted: 0x6281,
  end_of_file: 0x6282,
  file_deactivated: 0x6283,
  authentication_failed: 0x6300,
  memory_failure: 0x6581,
  wrong_length: 0x6700,
  chaining_not_supported: 0x6884,
  chaining_expected: 0x6883,
  secure_messaging_not_supported: 0x6882,
  file_incompatible: 0x6981,
  security_status_not_satisfied: 0x6982,
  authentication_blocked: 0x6983,
  reference_data_not_usable: 0x6984,
  conditions_not_satisfied: 0x6985,
  command_not_allowed: 0x6986,
  secure_messaging_object_missing: 0x6987,
  secure_messaging_object_wrong: 0x6988,
  data_wrong: 0x6a80,
  function_not_supported: 0x6a81,
  file_not_found: 0x6a82,
  record_not_found: 0x6a83,
  parameters_wrong: 0x6a86,
  length_inconsistent: 0x6a87,
  reference_not_found: 0x6a88,
  offset_outside: 0x6b00,
  instruction_unknown: 0x6d00,
  class_unknown: 0x6e00,
  no_diagnosis: 0x6f00,
} as const

export type StatusName =
  | keyof typeof STATUS
  | 'bytes_available'
  | 'tries_left'
  | 'exact_length_known'
  | 'unknown'

const NAMES: ReadonlyMap<number, StatusName> = new Map(
  Object.entries(STATUS).map(([name, code]) => [code, name as StatusName]),
)

export function nameStatus(statusWord: number): StatusName {
  const named = NAMES.get(statusWord)
  if (named !== undefined) return named
  if (statusWord >> 8 === 0x61) return 'bytes_available'
  if (statusWord >> 8 === 0x6c) return 'exact_length_known'
  if (statusWord >> 4 === 0x63c) return 'tries_left'
  return 'unknown'
}

/**
 * Returns the data of a response that reports success.
 * @param reason the fault for every other status word
 */
export function requireSuccess(response: ResponseApdu, reason: FaultReason = 'status_refused'): Uint8Array {
  const { data, statusWord } = response
  if (statusWord !== STATUS.success) throw new ChipFault(reason, { statusWord })
  return data
}
