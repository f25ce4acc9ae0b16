/** EF.ATR/INFO: the longest command and response with extended lengths (ICAO Doc 9303-10, 3.11.2; ISO/IEC 7816-4, 12.7.1). */
import { ASN1, toSmallNumber } from '../der.ts'
import { ChipFault } from '../outcome.ts'
import { findValue, readTlvs } from '../tlv.ts'

export interface AtrInfo {
  /** Bytes of the longest command and response; null if the chip does not state them. */
  readonly maxCommand: number | null
  readonly maxResponse: number | null
}

const EXTENDED_LENGTHS = 0x7f66
/** Historical bytes that the standard names: issuer, pre-issuing data, capabilities, application, lengths. */
const KNOWN_TAGS: readonly number[] = [0x42, 0x43, 0x45, 0x46, 0x47, 0x4f, 0xe0, EXTENDED_LENGTHS]

/** @throws ChipFault malformed_data, also for a file without any object of the standard */
export function parseAtrInfo(file: Uint8Array): AtrInfo {
  const objects = readTlvs(file)
  if (!objects.some(({ tag }) => KNOWN_TAGS.includes(tag))) throw new ChipFault('malformed_data')
  const lengths = findValue(objects, EXTENDED_LENGTHS)
  if (lengths === null) return { maxCommand: null, maxResponse: null }
  const [command, response, ...more] = readTlvs(lengths)
  const areNumbers = command?.tag === ASN1.integer && response?.tag === ASN1.integer
  if (!areNumbers || more.length > 0) throw new ChipFault('malformed_data')
  return { maxCommand: toSmallNumber(command), maxResponse: toSmallNumber(response) }
}
