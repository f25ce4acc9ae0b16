/** Checks whether an issuing source could confirm this document (GIV_VERIFICATION): one that is connected, or that the spec names. */
import type { IdDocumentData } from '../../proofing/evidence.ts'
import { buildDocumentData } from '../data-of-document.ts'
import type { Step, StepTools, Subject } from '../subject.ts'

export const issuerEligible: Step = {
  name: 'issuer-eligibility',
  run: async (subject, tools) => {
    const document = await getDocumentData(subject, tools)
    const outcome = document ? tools.judgeEligibility(document) : 'inconclusive'
    return { findings: [{ check: 'GIV_ELIGIBILITY', outcome }], models: [] }
  },
}

/** The document's values, read or submitted; null if too little was read. */
export async function getDocumentData(subject: Subject, tools: StepTools): Promise<IdDocumentData | null> {
  if (subject.family === 'DATA') return subject.content.document ?? null
  return subject.family === 'IDDOCUMENT'
    ? buildDocumentData(await tools.document(), subject.declaredType)
    : null
}
