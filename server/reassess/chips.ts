/**
 * Repeats passive authentication of the chips in a proof, with the certificates that are kept with it. Revocation and defect lists are
 * not kept, so only a chip that the proof calls genuine is judged again.
 */
import { ChipFault } from '../chip/outcome.ts'
import { parseChipCertificate } from '../chip/passive/certificate.ts'
import { trustCertificates } from '../chip/passive/chip-trust.ts'
import { readChipFiles } from '../proofing/chip-files.ts'
import { namePassed } from '../proofing/indicator-names.ts'
import { authenticateChip } from '../verification/authenticate-chip.ts'
import { AppError } from '../errors.ts'
import type { ArchivedEvidence, ArchivedParts } from './archive-facts.ts'
import type { Difference } from './difference.ts'

const GENUINE = namePassed('NFC_PASSIVE_AUTHENTICATION')

/** @param files path inside the archive → bytes */
export function findWrongChips(
  { details }: ArchivedParts,
  evidences: readonly ArchivedEvidence[],
  files: ReadonlyMap<string, Uint8Array>,
): readonly Difference[] {
  const chips = new Map(
    details.flatMap(({ evidenceDetails, counterproof }) =>
      evidenceDetails && counterproof?.chip ? [[evidenceDetails.id, counterproof.chip] as const] : [],
    ),
  )
  return evidences
    .filter(({ positiveIndicators }) => positiveIndicators.includes(GENUINE))
    .flatMap(({ id }) => {
      const chip = chips.get(id)
      const file = chip && files.get(`additionalFiles/${chip.fileId}.json`)
      const derived = chip?.authenticity && file ? repeat(file, chip.readAt, chip.authenticity) : 'absent'
      return derived === 'successful'
        ? []
        : [{ what: 'chip', evidenceId: id, claimed: 'successful', derived }]
    })
}

function repeat(
  file: Uint8Array,
  readAt: string,
  { certificates }: { readonly certificates: readonly string[] },
): string {
  try {
    const [, ...issuers] = certificates.map((text) => parseChipCertificate(Buffer.from(text, 'base64')))
    const { verdict } = authenticateChip(readChipFiles(file), new Date(readAt), () =>
      trustCertificates(issuers),
    )
    return verdict
  } catch (error) {
    if (error instanceof ChipFault) return error.reason
    if (error instanceof AppError) return 'malformed'
    throw error
  }
}
