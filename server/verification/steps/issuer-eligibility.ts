/** Is there any issuing source that could confirm this document? None is connected in this release (GIV_VERIFICATION). */
import { issuerEligibility } from '../../proofing/issuing-sources.ts'
import { dataStep } from '../subject.ts'

export const issuerEligible = dataStep('issuer-eligibility', ({ content: { document } }) => ({
  findings: [{ check: 'GIV_ELIGIBILITY', outcome: document ? issuerEligibility(document) : 'inconclusive' }],
  models: [],
}))
