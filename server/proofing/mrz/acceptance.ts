/** Decides when a reading may be used without a review. */
import { doAllChecksPass } from './checks.ts'
import { detectFormat } from './detect.ts'
import { ALPHABETS, alphabetGrid } from './fields.ts'
import { MRZ_SHAPES } from './format.ts'

interface ReadingToAccept {
  readonly lines: readonly string[]
  readonly repaired: readonly unknown[]
  readonly recognisersAgree: boolean
  /** False if the lines may be a part of longer ones; absent if no picture was examined. */
  readonly isWhole?: boolean
  /** Distance to the next best reading that passes all check digits; absent if none was searched. */
  readonly marginNats?: number
  /** 0–1, same shape as lines. Required for accepting an MRZ without check digits. */
  readonly characterConfidence?: readonly (readonly number[])[]
}

/**
 * Minimum distance to another reading that passes all check digits. One of 1273 accepted readings of augmented
 * photographs (seeds 1 and 2, 21 November 2026) had less; so had three of five wrong ones that passed all digits.
 */
const MIN_MARGIN_NATS = 1.3

/**
 * Accepts a reading if two recognisers read every character alike, nothing was repaired, and all check digits pass. Check
 * digits alone are not enough: on 109 photographs 4 to 18 passing readings were wrong, while all 70 readings on which two
 * recognisers agreed were right. Anything else needs another frame or an officer.
 */
export function isAcceptableReading(reading: ReadingToAccept): boolean {
  if (!reading.recognisersAgree || reading.repaired.length > 0 || reading.isWhole === false) return false
  if (isCutPassport(reading.lines)) return false
  const { lines, marginNats = Infinity } = reading
  return doAllChecksPass(lines) ? marginNats >= MIN_MARGIN_NATS : isSureWithoutDigits(reading)
}

/** The only 36-column document beginning with P is the single-sheet emergency travel document, PU (part 8). */
function isCutPassport([first = '']: readonly string[]): boolean {
  return first.length === MRZ_SHAPES.TD2[0] && first.startsWith('P') && !first.startsWith('PU')
}

/** Minimum confidence of both recognisers per character without check digits. Starting value. */
const SURE = 0.97

/** Swiss driving licences: the fixed parts of the layout must be present, and every character certain. */
function isSureWithoutDigits({ lines, characterConfidence }: ReadingToAccept): boolean {
  if (detectFormat(lines) !== 'CHE_DL' || characterConfidence === undefined) return false
  const alphabets = alphabetGrid('CHE_DL')
  return lines.every((line, l) =>
    [...line].every(
      (character, i) =>
        ALPHABETS[alphabets[l][i]].includes(character) && (characterConfidence[l]?.[i] ?? 0) >= SURE,
    ),
  )
}
