/** DG1: the MRZ (ICAO Doc 9303-10, 4.7.1). Its check digits are verified by the rules for printed MRZ, not here. */
import { isMrzText } from '../../proofing/mrz/check-digit.ts'
import { ChipFault } from '../outcome.ts'
import { readTlv } from '../tlv.ts'
import { toText } from './values.ts'

/** Number of characters → lines and their length. */
const FORMATS: Readonly<Record<number, { readonly format: MrzFormat; readonly width: number }>> = {
  90: { format: 'TD1', width: 30 },
  72: { format: 'TD2', width: 36 },
  88: { format: 'TD3', width: 44 },
}

type MrzFormat = 'TD1' | 'TD2' | 'TD3'

export interface Dg1 {
  readonly format: MrzFormat
  readonly lines: readonly string[]
}

/** @throws ChipFault malformed_data */
export function parseDg1(file: Uint8Array): Dg1 {
  const text = toText(readTlv(readTlv(file, 0x61).value, 0x5f1f).value)
  const layout = FORMATS[text.length]
  if (layout === undefined || !isMrzText(text)) throw new ChipFault('malformed_data')
  const { format, width } = layout
  const lines = Array.from({ length: text.length / width }, (_, i) => text.slice(i * width, (i + 1) * width))
  return { format, lines }
}
