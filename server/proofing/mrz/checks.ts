/**
 * Check digits of a reading, one finding each. They prove little: the 7-3-1 rule does not detect substitutions within the
 * groups <0AKU 1BLV 2CMW 3DNX 4EOY 5FPZ 6GQ 7HR 8IS 9JT, and states have issued documents with wrong digits (Doc 9303
 * part 3, deviations). A failure on a clean reading is a warning; a pass does not prove a correct reading.
 */
import { checkDigit } from './check-digit.ts'
import { detectFormat } from './detect.ts'
import { MRZ_LAYOUTS, fieldText, type CheckName, type MrzCheckRule, type Span } from './fields.ts'
import type { MrzFormat } from './format.ts'
import { continuedNumber } from './document-number.ts'

export type CheckOutcome = 'passed' | 'failed' | 'inconclusive'
export interface MrzCheck {
  readonly check: CheckName
  readonly outcome: CheckOutcome
}

/** All check digits of the layout; empty if the lines have no known layout. */
export function checkMrz(lines: readonly string[], format = detectFormat(lines)): MrzCheck[] {
  if (format === null) return []
  return MRZ_LAYOUTS[format].checks.map((rule) => ({
    check: rule.check,
    outcome: checkRule(rule, lines, format),
  }))
}

/** True if the layout is known and all its check digits pass. */
export function doAllChecksPass(lines: readonly string[], format = detectFormat(lines)): boolean {
  const checks = checkMrz(lines, format)
  return checks.length > 0 && checks.every((c) => c.outcome === 'passed')
}

/** A reading with the lines before any repair. */
export interface UnrepairedReading {
  readonly format: MrzFormat
  readonly lines: readonly string[]
  readonly rawLines: readonly string[]
}

/**
 * Check digits as printed. A character repaired to make a digit fit proves nothing about the document: where repaired and
 * unrepaired results differ, the print is unknown.
 */
export function checkPrinted({ format, lines, rawLines }: UnrepairedReading): MrzCheck[] {
  const unrepaired = checkMrz(rawLines, format)
  return checkMrz(lines, format).map(({ check, outcome }, i) => ({
    check,
    outcome: unrepaired[i].outcome === outcome ? outcome : 'inconclusive',
  }))
}

/** A single rule, for the search for the best reading, which calls it thousands of times. */
function checkRule(rule: MrzCheckRule, lines: readonly string[], format: MrzFormat): CheckOutcome {
  const text = rule.over.map((part) => readSpan(part, lines)).join('')
  const digit = (lines[rule.digit.line] ?? '').charAt(rule.digit.column)
  if (digit !== '<') return checkDigit(text) === digit ? 'passed' : 'failed'
  const isEmpty = /^<*$/.test(text)
  switch (rule.filler) {
    case 'never':
      return 'failed'
    case 'empty':
      // The digit is a filler. The standard allows that for optional data; a number or a date is unchecked then.
      if (!isEmpty) return 'failed'
      return rule.check === 'optionalData' ? 'passed' : 'inconclusive'
    case 'overflow': {
      if (isEmpty) return 'inconclusive'
      return continuedNumber(text, fieldText(format, lines, 'optionalData') ?? '').check
    }
  }
}

function readSpan(part: Span, lines: readonly string[]): string {
  return (lines[part.line] ?? '').slice(part.from, part.to)
}
