/** Asks the connected sources of attributes about a claim (ID_CLAIM_SOURCE). */
import { judgeClaim } from '../../proofing/claim-source.ts'
import type { Step } from '../subject.ts'

export const claimSource: Step = {
  name: 'claim-source',
  // The pipeline reports the check as not performed if no source is asked.
  appliesTo: (subject) => subject.family === 'DATA' && subject.content.claim !== undefined,
  run: async (subject, tools) => {
    const claim = subject.family === 'DATA' ? subject.content.claim : undefined
    const asked = claim && (await tools.askBureaus(claim))
    if (!asked || asked.calls.length === 0) return { findings: [], models: [] }
    const { finding, confirmed } = judgeClaim(asked.answers)
    return { findings: [finding], models: [], confirmed, calls: asked.calls }
  },
}
