/** Words for what the server names by code, the same on every page: steps, outcomes, flags, evidence, languages. */
import type { EvidenceCard, ProofingFlag, ProofingRow } from '../../server/counter/contract/today.ts'
import type { Texts } from './text.tsx'
import type { Tone } from './ui/badge.tsx'
import type { IconName } from './ui/icon.tsx'

/** A code as words of its own, where this console has none: "BARCODE_DATES" → "barcode dates". */
export function spelled(code: string): string {
  return code.toLowerCase().replaceAll(/[_.-]+/g, ' ')
}

export const stepWord = (step: string, { known }: Pick<Texts, 'known'>): string =>
  known(`step.${step}`, spelled(step))

type Outcome = NonNullable<ProofingRow['outcome']>

export const OUTCOME_TONE: Readonly<Record<Outcome, Tone>> = {
  CONFIRMED: 'done',
  PERSON: 'attention',
  LATER: 'waiting',
  REFUSED: 'quiet',
  STOPPED: 'quiet',
  WALKED_AWAY: 'quiet',
  TAKEN_OVER: 'note',
  INTERRUPTED: 'attention',
}

export const FLAG_LOOKS: Readonly<Record<ProofingFlag, { readonly tone: Tone; readonly icon: IconName }>> = {
  HELP: { tone: 'note', icon: 'help' },
  HARD_TO_READ: { tone: 'attention', icon: 'eye-off' },
  FOR_A_PERSON: { tone: 'attention', icon: 'desk' },
  FAULT: { tone: 'problem', icon: 'octagon' },
  MANY_TRIES: { tone: 'attention', icon: 'retry' },
  TAKEN_OVER: { tone: 'note', icon: 'assist' },
  CHECK_STOPPED: { tone: 'problem', icon: 'waiting' },
}

export const EVIDENCE_TONE: Readonly<Record<EvidenceCard['status'], Tone>> = {
  VERIFIED: 'done',
  INVALID: 'problem',
  NOT_VERIFIED: 'attention',
  PROCESSING: 'waiting',
  ADJUDICATION: 'attention',
}

export const FINDING_TONE = { passed: 'done', failed: 'problem', inconclusive: 'attention' } as const
