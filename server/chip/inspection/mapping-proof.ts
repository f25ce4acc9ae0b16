/** Chip authentication mapping: finds the key in EF.CardSecurity that belongs to the proof (ICAO Doc 9303-11, 4.4.3.5). */
import { ChipFault } from '../outcome.ts'
import { verifyMappedKey, type MappedKeyProof } from '../pace.ts'
import { parseAgreementKey, type AgreementKey } from '../public-key.ts'
import type { SecurityInfos } from '../security-infos.ts'
import { StepFault, toFault } from './open-chip.ts'

/**
 * Tries each key with the domain parameters of the proof; issuers store several.
 * @throws ChipFault or StepFault unless one key is proved
 */
export async function proveMapping(proof: MappedKeyProof, infos: SecurityInfos): Promise<void> {
  const keys = infos.chipAuthenticationKeys.flatMap(({ spki }) => tryToParse(spki) ?? [])
  const fitting = keys.filter(({ group }) => Buffer.compare(group.generator, proof.group.generator) === 0)
  if (fitting.length === 0) throw new StepFault('failed', 'key_information_missing')
  for (const [i, key] of fitting.entries()) {
    const outcome = await verifyMappedKey(proof, key)
    if (outcome.verdict === 'successful') return
    if (i === fitting.length - 1) throw toFault(outcome)
  }
}

/** Null for a key that this program does not support: it must not hide another. */
function tryToParse(spki: Uint8Array): AgreementKey | null {
  try {
    return parseAgreementKey(spki)
  } catch (error) {
    if (error instanceof ChipFault) return null
    throw error
  }
}
