/** Asks a connected issuing source whether its records agree with the document (GIV_VERIFICATION). */
import { judgeIssuerAnswer, listComparedFields } from '../../proofing/issuer-answer.ts'
import { withStated } from '../../proofing/issuer-question.ts'
import type { Measured } from '../../proofing/measures.ts'
import { getDocumentData } from './issuer-eligibility.ts'
import type { Step, StepReport } from '../subject.ts'

export const issuerVerification: Step = {
  name: 'issuer-verification',
  // The pipeline reports the check as not performed if the feature is off.
  appliesTo: (subject) =>
    subject.family !== 'PORTRAIT' && (subject.issuerAccess ?? 'FEATURE_OFF') !== 'FEATURE_OFF',
  run: async (subject, tools) => {
    if (subject.family === 'PORTRAIT') return inconclusive({})
    if (subject.issuerAccess === 'NO_CONSENT') return inconclusive({ issuerUnasked: 'NO_CONSENT' })
    const document = await getDocumentData(subject, tools)
    const stated = subject.family === 'IDDOCUMENT' ? subject.stated : undefined
    const asked = document && (await tools.askIssuer(withStated(document, stated)))
    if (!asked) return inconclusive({})
    if ('unasked' in asked) {
      const { unasked, missing } = asked
      return inconclusive({
        issuerUnasked: unasked,
        ...(missing.length > 0 && { issuerMissing: missing.join(' ') }),
      })
    }
    const { source, outcome, call } = asked
    const reported = { issuer: asked, calls: [call] }
    if (outcome.kind === 'unavailable')
      return { ...inconclusive({ issuer: source, issuerTrouble: outcome.reason }), ...reported }
    const { agreed, differed, notCompared } = listComparedFields(outcome.answer, call.values)
    const measured = {
      issuer: source,
      issuerRecord: outcome.answer.record,
      ...(agreed && { issuerAgreed: agreed }),
      ...(differed && { issuerDiffered: differed }),
      ...(notCompared && { issuerNotCompared: notCompared }),
    }
    const [verification, ...names] = judgeIssuerAnswer(outcome.answer)
    return { findings: [{ ...verification, measured }, ...names], models: [], ...reported }
  },
}

const inconclusive = (measured: Measured): StepReport => ({
  findings: [{ check: 'GIV_VERIFICATION', outcome: 'inconclusive', measured }],
  models: [],
})
