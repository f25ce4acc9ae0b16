/** Asks the connected sources of attributes about a claim (ID_CLAIM_SOURCE). */
import { judgeClaim } from '../../proofing/claim-source.ts'
import type { SourceReason } from '../../proofing/source-reply.ts'
import type { Step, StepReport } from '../subject.ts'

export const claimSource: Step = {
  name: 'claim-source',
  // The pipeline reports the check as not performed if no source is asked.
  appliesTo: (subject) => subject.family === 'DATA' && subject.content.claim !== undefined,
  run: async (subject, tools) => {
    const claim = subject.family === 'DATA' ? subject.content.claim : undefined
    const bureaus = claim ? await tools.askBureaus(claim) : { unasked: 'VALUES' as const }
    if ('unasked' in bureaus) return leaveOpen(bureaus.unasked)
    const outcomes = bureaus.map(({ outcome }) => outcome)
    const answers = outcomes.flatMap((outcome) => (outcome.kind === 'answered' ? [outcome.answer] : []))
    const troubles = outcomes.flatMap((outcome) => (outcome.kind === 'unavailable' ? [outcome.reason] : []))
    const { finding, confirmed } = judgeClaim(answers, troubles)
    return { findings: [finding], models: [], confirmed, bureaus, calls: bureaus.map(({ call }) => call) }
  },
}

const leaveOpen = (reason: SourceReason): StepReport => ({
  findings: [{ check: 'ID_CLAIM_SOURCE', outcome: 'inconclusive', reason }],
  models: [],
})
