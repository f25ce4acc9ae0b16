/** Asks the connected sources of attributes about a claim (ID_CLAIM_SOURCE). */
import { judgeClaim } from '../../proofing/claim-source.ts'
import type { Finding } from '../../proofing/judge.ts'
import type { Step } from '../subject.ts'

export const claimSource: Step = {
  name: 'claim-source',
  // The pipeline reports the check as not performed if no source is asked.
  appliesTo: (subject) => subject.family === 'DATA' && subject.content.claim !== undefined,
  run: async (subject, tools) => {
    const claim = subject.family === 'DATA' ? subject.content.claim : undefined
    const bureaus = claim ? await tools.askBureaus(claim) : []
    if (bureaus.length === 0)
      return { findings: [leaveOpen('ID_CLAIM_SOURCE'), leaveOpen('SOURCE_COVERAGE')], models: [] }
    const outcomes = bureaus.map(({ outcome }) => outcome)
    const answers = outcomes.flatMap((outcome) => (outcome.kind === 'answered' ? [outcome.answer] : []))
    const troubles = outcomes.flatMap((outcome) => (outcome.kind === 'unavailable' ? [outcome.reason] : []))
    const { finding, confirmed } = judgeClaim(answers, troubles)
    const isOpen = finding.outcome === 'inconclusive' && troubles.length > 0
    const findings = [finding, ...(isOpen ? [leaveOpen('SOURCE_ANSWER')] : [])]
    return { findings, models: [], confirmed, bureaus, calls: bureaus.map(({ call }) => call) }
  },
}

const leaveOpen = (check: string): Finding => ({ check, outcome: 'inconclusive' })
