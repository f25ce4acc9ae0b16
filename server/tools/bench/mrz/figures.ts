/** Scores one reading against its truth, and computes the figures of many. Keeps counts and times but no reading. */
import { distance } from 'fastest-levenshtein'
import { isAcceptableReading } from '../../../proofing/mrz/acceptance.ts'
import { doAllChecksPass } from '../../../proofing/mrz/checks.ts'
import type { DocumentMeasurement } from '../../../vision/protocol.ts'
import { measureWidth } from './picture.ts'

export interface Sample {
  readonly file: string
  /** Empty for a photograph without an MRZ. */
  readonly truth: readonly string[]
  /** Whether the document prints correct check digits. */
  readonly hasValidDigits: boolean
  /** Width of the MRZ in the photograph, if the manifest states it or the bench placed the MRZ. */
  readonly bandWidthPx: number | null
}

export interface Outcome {
  readonly isNegative: boolean
  /** A missing or damaged file. */
  readonly isUnreadable: boolean
  readonly isRead: boolean
  readonly isExact: boolean
  readonly isAccepted: boolean
  readonly checksPass: boolean
  readonly hasValidDigits: boolean
  /** Null if unknown; then counted as wide. */
  readonly bandWidthPx: number | null
  /** Edits, missing and superfluous characters, and the number of characters in the truth. */
  readonly errors: number
  readonly characters: number
  readonly ms: number | null
  readonly cpuMs: number | null
}

/** No recogniser reads an MRZ of 44 characters below this width; the same limit applies to all layouts. */
const GATED_WIDTH_PX = 500

interface Gated {
  readonly images: number
  readonly exact: number
  readonly exactRate: number
  readonly autoAccepted: number
  readonly autoAcceptedRate: number
}

export interface Figures {
  readonly images: number
  readonly exact: number
  readonly exactRate: number
  readonly autoAccepted: number
  readonly autoAcceptedWrong: number
  readonly checksValidButWrong: number
  readonly wrongDigitsReportedValid: number
  readonly cer: number
  readonly negatives: number
  readonly invented: number
  readonly unreadable: number
  readonly gated: Gated
  readonly msMedian: number
  readonly msP95: number
  readonly cpuMsMedian: number
  readonly cpuMsP95: number
}

export function judgeOutcome(
  { truth, hasValidDigits, bandWidthPx }: Sample,
  measured: DocumentMeasurement | null,
  times: { readonly ms: number | null; readonly cpuMs: number | null },
): Outcome {
  const reading = measured?.mrz ?? null
  const lines = reading?.lines ?? []
  const characters = truth.join('').length
  const isNegative = truth.length === 0
  return {
    isNegative,
    isUnreadable: measured === null,
    isRead: reading !== null,
    isExact: !isNegative && lines.join('|') === truth.join('|'),
    isAccepted: reading !== null && isAcceptableReading(reading),
    checksPass: reading !== null && doAllChecksPass(lines),
    hasValidDigits,
    bandWidthPx: bandWidthPx ?? (measured?.mrzBand ? measureWidth(measured.mrzBand.quad) : null),
    errors: isNegative ? 0 : reading === null ? characters : distance(truth.join('\n'), lines.join('\n')),
    characters,
    ...times,
  }
}

export function computeFigures(outcomes: readonly Outcome[]): Figures {
  const all = outcomes.filter(({ isNegative }) => !isNegative)
  const negatives = outcomes.filter(({ isNegative }) => isNegative)
  const count = (items: readonly Outcome[], is: (outcome: Outcome) => boolean) => items.filter(is).length
  const sortTimes = (time: 'ms' | 'cpuMs') =>
    outcomes.flatMap((outcome) => outcome[time] ?? []).sort((a, b) => a - b)
  const [ms, cpuMs] = [sortTimes('ms'), sortTimes('cpuMs')]
  const exact = count(all, ({ isExact }) => isExact)
  const sum = (key: 'errors' | 'characters') => all.reduce((total, outcome) => total + outcome[key], 0)
  return {
    images: all.length,
    exact,
    exactRate: computeShare(exact, all.length),
    autoAccepted: count(all, ({ isAccepted }) => isAccepted),
    autoAcceptedWrong: count(outcomes, ({ isAccepted, isExact }) => isAccepted && !isExact),
    checksValidButWrong: count(all, ({ isRead, isExact, checksPass }) => isRead && !isExact && checksPass),
    wrongDigitsReportedValid: count(all, ({ hasValidDigits, checksPass }) => !hasValidDigits && checksPass),
    cer: computeShare(sum('errors'), sum('characters')),
    negatives: negatives.length,
    invented: count(negatives, ({ isRead }) => isRead),
    unreadable: count(outcomes, ({ isUnreadable }) => isUnreadable),
    gated: computeGated(all),
    msMedian: Math.round(quantile(ms, 0.5)),
    msP95: Math.round(quantile(ms, 0.95)),
    cpuMsMedian: Math.round(quantile(cpuMs, 0.5)),
    cpuMsP95: Math.round(quantile(cpuMs, 0.95)),
  }
}

/**
 * The sample on which the product's acceptance is judged: MRZs wide enough to read, with correct printed check digits.
 */
function computeGated(outcomes: readonly Outcome[]): Gated {
  const gated = outcomes.filter(
    ({ hasValidDigits, bandWidthPx }) =>
      hasValidDigits && (bandWidthPx === null || bandWidthPx >= GATED_WIDTH_PX),
  )
  const exact = gated.filter(({ isExact }) => isExact).length
  const autoAccepted = gated.filter(({ isAccepted }) => isAccepted).length
  return {
    images: gated.length,
    exact,
    exactRate: computeShare(exact, gated.length),
    autoAccepted,
    autoAcceptedRate: computeShare(autoAccepted, gated.length),
  }
}

function computeShare(part: number, whole: number): number {
  return Number((part / Math.max(1, whole)).toFixed(4))
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
