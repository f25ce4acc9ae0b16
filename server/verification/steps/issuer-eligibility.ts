/**
 * Checks whether a connected issuing source could confirm this document. This release connects none
 * (GIV_VERIFICATION).
 */
import { issuerEligibility } from '../../proofing/issuing-sources.ts'
import { buildDocumentData } from '../data-of-document.ts'
import type { Step } from '../subject.ts'

export const issuerEligible: Step = {
  name: 'issuer-eligibility',
  run: async (subject, tools) => {
    const document =
      subject.family === 'DATA'
        ? subject.content.document
        : subject.family === 'IDDOCUMENT' && buildDocumentData(await tools.document(), subject.declaredType)
    const outcome = document ? issuerEligibility(document) : 'inconclusive'
    return { findings: [{ check: 'GIV_ELIGIBILITY', outcome }], models: [] }
  },
}
