/**
 * Compares the check digits of an MRZ before and after its repair, and reports how confidently the repaired
 * characters were read.
 */
import type { UnrepairedReading } from '../proofing/authenticity.ts'
import { checkMrz } from '../proofing/mrz/checks.ts'
import type { MrzReading } from '../vision/protocol.ts'

export function unrepairedReading(reading: MrzReading): UnrepairedReading {
  const { format, lines, rawLines, repaired, recogniserReadings } = reading
  const countFailures = (text: readonly string[]) =>
    checkMrz(text, format).filter(({ outcome }) => outcome === 'failed').length
  const first = repaired.map(({ line, column }) => recogniserReadings[0]?.confidence[line]?.[column] ?? 0)
  return {
    rawFailures: countFailures(rawLines),
    failures: countFailures(lines),
    checks: checkMrz(lines, format).length,
    surestRepaired: first.length === 0 ? null : Math.max(...first),
  }
}
