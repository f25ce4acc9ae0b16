/**
 * Compares an address that claims to derive from other evidence with the address which that evidence states
 * (1131).
 */
import { addressOutcome, compareAddresses } from '../../proofing/address-agreement.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { dataStep } from '../subject.ts'

export const addressMatch = dataStep('address-match', ({ content: { address }, reference }, tools) => {
  const stated = reference?.address
  if (!address || !stated)
    return { findings: [{ check: 'ADDRESS_MATCH', outcome: 'inconclusive' }], models: [] }
  const compared = compareAddresses(address, stated, tools.addressFormats)
  const different = [...compared].flatMap(([part, found]) => (found === 'different' ? [part] : []))
  const finding: Finding = {
    check: 'ADDRESS_MATCH',
    outcome: addressOutcome(compared),
    measured: { compared: compared.size, different: different.length },
    errors: different.map((field) => resultError('1131', { field })),
  }
  return { findings: [finding], models: [] }
})
