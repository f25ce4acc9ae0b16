/** When a reading may be used without a person looking at it. */
import { allChecksPass } from './checks.ts'
import { detectFormat } from './detect.ts'
import { ALPHABETS, alphabetGrid } from './fields.ts'
import { MRZ_SHAPES } from './format.ts'

export interface ReadingToAccept {
  readonly lines: readonly string[]
  readonly repaired: readonly unknown[]
  readonly witnessesAgree: boolean
  /** False where the lines may be a part of longer ones; absent where nobody looked at a picture. */
  readonly isWhole?: boolean
  /** To the next best reading that passes all check digits too; absent where nobody searched for one. */
  readonly marginNats?: number
  /** 0–1, same shape as lines. Without it a zone that has no check digits is not accepted. */
  readonly characterConfidence?: readonly (readonly number[])[]
}

/**
 * Another reading that passes all check digits may not be nearly as likely. Of 1273 accepted readings of augmented
 * photographs (seeds 1 and 2, 21 November 2026) one had less; of five wrong ones that passed all digits, three.
 */
const MIN_MARGIN_NATS = 1.3

/**
 * Two engines read every character alike, nothing was repaired, and all check digits pass. Check digits alone are not
 * enough: on 109 photographs 4 to 18 readings that passed them were wrong, while 70 of 70 that two engines shared were
 * right. Everything else needs another frame or the operator.
 */
export function isAcceptableReading(reading: ReadingToAccept): boolean {
  if (!reading.witnessesAgree || reading.repaired.length > 0 || reading.isWhole === false) return false
  if (isCutPassport(reading.lines)) return false
  const { lines, marginNats = Infinity } = reading
  return allChecksPass(lines) ? marginNats >= MIN_MARGIN_NATS : isSureWithoutDigits(reading)
}

/** Of 36 columns there is one document with a P alone: the single-sheet emergency travel document, PU (part 8). */
function isCutPassport([first = '']: readonly string[]): boolean {
  return first.length === MRZ_SHAPES.TD2[0] && first.startsWith('P') && !first.startsWith('PU')
}

/** Where nothing guards the characters, both engines must be this sure of each of them. Starting value. */
const SURE = 0.97

/** Swiss driving licences: the fixed parts of the layout must be there, and no character in doubt. */
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
