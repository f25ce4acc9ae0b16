/** GET visit: the one view that the page draws. Pure. */
import type { VisitView } from './contract/index.ts'
import type { Visit } from '../store/visits.ts'
import type { Known } from './known.ts'
import type { LineOfSteps } from './line-of-steps.ts'
import { noticeOf, stepView } from './step-views.ts'

type Row = Pick<Visit, 'reference' | 'helpAskedAt' | 'helpAnswer' | 'takenOverBy'>

export function visitView(known: Known, line: LineOfSteps, row: Row): VisitView {
  return {
    reference: row.reference,
    language: known.language,
    position: { steps: line.steps, index: line.steps.indexOf(line.present) },
    step: stepView(known, line),
    notice: noticeOf(known, line),
    help: { asked: row.helpAskedAt !== null, answer: row.helpAnswer },
    takenOver: row.takenOverBy !== null,
  }
}
