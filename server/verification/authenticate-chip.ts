/** Passive authentication of the files of a chip, in the terms of the evidence. */
import { parseSod } from '../chip/files/sod.ts'
import { ChipFault } from '../chip/outcome.ts'
import type { ChipTrust } from '../chip/passive/chip-trust.ts'
import {
  authenticateCardSecurity,
  authenticatePassively,
  listSignerCountries,
  type PassiveReport,
} from '../chip/passive/passive-authentication.ts'
import type { ChipAuthenticity } from '../proofing/chip-evidence.ts'
import type { ChipFiles } from '../proofing/chip-files.ts'

/** The authorities of these countries, and all lists in force. */
export type TrustOfChips = (countries: readonly string[]) => ChipTrust

/** Never throws for what the chip gave. */
export function authenticateChip(files: ChipFiles, readAt: Date, getTrust: TrustOfChips): ChipAuthenticity {
  const { sod, com, cardSecurity, dataGroups } = files
  const trust = getTrust(listCountries(sod))
  const passive = authenticatePassively({ sod, dataGroups, com, trust, at: readAt })
  const dg1 = dataGroups.get(1) ?? null
  const card = cardSecurity && authenticateCardSecurity({ cardSecurity, dg1, trust, at: readAt })
  // A forged file of the chip is a forgery; one that cannot be judged only leaves its own key without proof.
  const isCardForged = card?.verdict === 'failed'
  return {
    verdict: isCardForged ? 'failed' : passive.verdict,
    reasons: [
      ...listReasons(passive),
      ...(isCardForged ? listReasons(card).map((reason) => `card_security:${reason}`) : []),
    ],
    verifiedGroups: passive.verifiedGroups,
    indicators: passive.indicators,
    isRevocationKnown: passive.checks.some(
      ({ name, verdict }) => name === 'revocation' && verdict === 'successful',
    ),
    lists: [...new Set([...(passive.authority?.sources ?? []), ...passive.lists])],
    certificates: passive.certificates.map((der) => Buffer.from(der).toString('base64')),
    cardSecurity: card && card.verdict,
  }
}

/** A file that is none names no country; passive authentication says what is wrong with it. */
function listCountries(sod: Uint8Array): readonly string[] {
  try {
    return listSignerCountries(parseSod(sod))
  } catch (error) {
    if (error instanceof ChipFault) return []
    throw error
  }
}

function listReasons({ checks, reason }: PassiveReport): readonly string[] {
  const found = checks.flatMap((check) => (check.reason === null ? [] : [`${check.name}:${check.reason}`]))
  return reason === null ? found : [...found, `file:${reason}`]
}
