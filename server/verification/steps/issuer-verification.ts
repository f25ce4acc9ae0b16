/** Asks a connected issuing source whether its records agree with the document (GIV_VERIFICATION). */
import { judgeIssuerAnswer, listComparedFields } from '../../proofing/issuer-answer.ts'
import { withStated } from '../../proofing/issuer-question.ts'
import type { Measured } from '../../proofing/measures.ts'
import type { SourceAccess, SourceReason } from '../../proofing/source-reply.ts'
import { getDocumentData } from './issuer-eligibility.ts'
import type { Step, StepReport, Subject } from '../subject.ts'

export const issuerVerification: Step = {
  name: 'issuer-verification',
  // The pipeline reports the check as not performed if the feature is off.
  appliesTo: (subject) => findAccess(subject) !== 'CONFIGURATION',
  run: async (subject, tools) => {
    const access = findAccess(subject)
    if (access !== 'ALLOWED') return leaveOpen(access)
    const document = await getDocumentData(subject, tools)
    const stated = subject.family === 'IDDOCUMENT' ? subject.stated : undefined
    const asked = document && (await tools.askIssuer(withStated(document, stated)))
    if (!asked) return leaveOpen('VALUES')
    if ('unasked' in asked) {
      const { unasked, missing } = asked
      return leaveOpen(unasked, missing.length > 0 ? { issuerMissing: missing.join(' ') } : {})
    }
    const { source, outcome, call } = asked
    const reported = { issuer: asked, calls: [call] }
    if (outcome.kind === 'unavailable')
      return { ...leaveOpen('ANSWER', { issuer: source, sourceTrouble: outcome.reason }), ...reported }
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

const findAccess = (subject: Subject): SourceAccess =>
  subject.family === 'PORTRAIT' ? 'CONFIGURATION' : (subject.issuerAccess ?? 'CONFIGURATION')

const leaveOpen = (reason: SourceReason, measured: Measured = {}): StepReport => ({
  findings: [{ check: 'GIV_VERIFICATION', outcome: 'inconclusive', reason, measured }],
  models: [],
})
