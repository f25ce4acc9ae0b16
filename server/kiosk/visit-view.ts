/** GET visit: the one view that the page draws. Pure. */
import { MINUTE_MS } from '../proofing/time.ts'
import type { HelpView, VisitView } from './contract/index.ts'
import type { Visit } from '../store/visits.ts'
import type { Known } from './known.ts'
import type { VisitSteps } from './steps.ts'
import { chooseNotice, stepView } from './step-views.ts'

type Row = Pick<Visit, 'reference' | 'helpAskedAt' | 'helpAnswer' | 'held' | 'takenOverBy'>

export function visitView(known: Known, line: VisitSteps, row: Row): VisitView {
  return {
    reference: row.reference,
    language: known.language,
    position: { steps: line.steps, index: line.place, undone: line.undone },
    step: stepView(known, line),
    notice: chooseNotice(known, line),
    help: helpView(known, row),
    takenOver: row.takenOverBy !== null,
  }
}

function helpView({ isStaffed, now }: Known, { helpAskedAt, helpAnswer, held }: Row): HelpView {
  // The officer who answers holds the call from then on.
  const answeredAt = helpAnswer === null ? null : (held?.at ?? null)
  return {
    asked: helpAskedAt !== null,
    seen: isStaffed,
    answer: helpAnswer,
    minutes: answeredAt && Math.max(0, Math.floor((now.getTime() - answeredAt.getTime()) / MINUTE_MS)),
  }
}
