/** The second letter of a passport's code. Information only: older passports use it freely. */

/**
 * Harmonised by Amendment 2 to Doc 9303 part 4 (20 February 2026) for documents issued from 2026 on; mandatory for new
 * passports from 2028. PU is the single sheet of part 8, in TD2 size.
 */
const KINDS = {
  PP: 'ORDINARY',
  PE: 'EMERGENCY',
  PD: 'DIPLOMATIC',
  PO: 'OFFICIAL',
  PR: 'REFUGEE',
  PT: 'ALIEN',
  PS: 'STATELESS',
  PL: 'LAISSEZ_PASSER',
  PM: 'MILITARY',
  PU: 'SINGLE_SHEET',
} as const
export type PassportKind = (typeof KINDS)[keyof typeof KINDS]

/** Returns null for `P<` and for state-specific letters. */
export function passportKind(code: string): PassportKind | null {
  return (KINDS as Readonly<Record<string, PassportKind>>)[code] ?? null
}
