/** Detects the layout of lines by their number and width, then by the document code. */
import { MRZ_SHAPES, type MrzFormat } from './format.ts'
import { isMrzText } from './check-digit.ts'

/** Returns null for an unknown shape or foreign characters. */
export function detectFormat(lines: readonly string[]): MrzFormat | null {
  if (!lines.every(isMrzText)) return null
  const first = lines[0] ?? ''
  const fits = (format: MrzFormat) =>
    lines.length === MRZ_SHAPES[format].length &&
    lines.every((line, l) => line.length === MRZ_SHAPES[format][l])
  if (fits('FRA_DL')) return first.startsWith('D1FRA') ? 'FRA_DL' : null
  if (fits('CHE_DL')) return /^FA(CHE|LIE)/.test(lines[1] ?? '') ? 'CHE_DL' : null
  if (fits('TD1')) return 'TD1'
  if (fits('TD3')) return first.startsWith('V') ? 'MRVA' : 'TD3'
  if (!fits('TD2')) return null
  if (first.startsWith('V')) return 'MRVB'
  return looksFrench(first, lines[1] ?? '') ? 'FRA' : 'TD2'
}

/** The French card has its sex letter in the last but one column, and letters where TD2 has the birth date. */
function looksFrench(first: string, second: string): boolean {
  return (
    first.startsWith('IDFRA') && /^[MF<]$/.test(second.charAt(34)) && /^[A-Z<]{6}/.test(second.slice(13, 19))
  )
}
