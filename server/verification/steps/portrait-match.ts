/**
 * Compares the live portrait with the portrait on the elected document, at the operating points of the
 * manifest. A score in the review zone goes to an adjudicator if the tenant has adjudicators; otherwise it is
 * no match.
 */
import { resultError } from '../../proofing/error-codes.ts'
import type { CheckOutcome, Finding } from '../../proofing/judge.ts'
import type { Measured } from '../../proofing/measures.ts'
import { matchZone, type MatchZone } from '../../proofing/match-zone.ts'
import type { FaceComparison } from '../../vision/protocol.ts'
import { describeFailure, nameEngine } from '../engine-words.ts'
import { portraitStep } from '../subject.ts'

const CHECK = 'BIOMETRIC_MATCHING_CHECK'
/** Inconclusive while there is no document: the comparison runs when one arrives. */
const REFERENCE_CHECK = 'PORTRAIT_REFERENCE'
/** The reference is the portrait of a chip that confirms its document. */
const CHIP_CHECK = 'NFC_PORTRAIT_MATCH'
const FURTHER_CHECK = 'BIOMETRIC_MATCHING_FURTHER'
type Comparison = NonNullable<FaceComparison['comparison']>

export const portraitMatch = portraitStep(
  'portrait-match',
  async ({ personMayDecide = false, reference }, tools) => {
    const compared = await tools.comparison()
    const result = compared?.comparison
    // There is no reference, its face could not be used, or the engine gave no answer: the result stays open and
    // does not count as a mismatch.
    if (!result) {
      const pending: readonly Finding[] = compared
        ? []
        : [{ check: REFERENCE_CHECK, outcome: 'inconclusive' }]
      const measured = compared?.failure && describeFailure(compared.failure)
      return {
        findings: [...pending, { check: CHECK, outcome: 'inconclusive', ...(measured && { measured }) }],
        models: compared?.failure ? [compared.failure.engine] : [],
      }
    }
    const zone = chooseMatchZone(result)
    const measured = describeComparison(result, zone, compared.probesUsed)
    const judged = OUTCOMES[zone === 'review' && !personMayDecide ? 'no-match' : zone]
    return {
      models: result.scores.map(({ model }) => model),
      findings: [
        { check: CHECK, ...judged, measured },
        ...(reference?.isOfChip === true ? [{ check: CHIP_CHECK, outcome: judged.outcome }] : []),
      ],
    }
  },
)

/** The portrait of the chip beside the printed one; the review zone decides nothing. */
export function judgeComparison(
  comparison: Comparison,
  pictures: number,
): { readonly outcome: CheckOutcome; readonly measured: Measured } {
  const zone = chooseMatchZone(comparison)
  return { outcome: OUTCOMES[zone].outcome, measured: describeComparison(comparison, zone, pictures) }
}

/**
 * Compares the portrait with the applicant's other documents, because an identity based on several documents
 * needs this face on each. A mismatch is a warning against using that document, not against the match with
 * the elected one.
 */
export const portraitMatchFurther = portraitStep(
  'portrait-match-further',
  async ({ further = [] }, tools) => {
    const comparisons = await tools.furtherComparisons()
    const zones = comparisons.map(({ comparison }) => (comparison ? chooseMatchZone(comparison) : null))
    const idsIn = (wanted: MatchZone | null): string =>
      further.flatMap(({ evidenceId }, index) => (zones[index] === wanted ? [evidenceId] : [])).join(' ')
    const outcome = zones.every((zone) => zone === 'match')
      ? 'passed'
      : zones.includes('no-match')
        ? 'failed'
        : 'inconclusive'
    return {
      models: comparisons.flatMap(({ comparison }) => comparison?.scores.map(({ model }) => model) ?? []),
      findings: [
        {
          check: FURTHER_CHECK,
          outcome,
          measured: {
            documents: further.length,
            matching: idsIn('match'),
            different: idsIn('no-match'),
            undecided: idsIn('review'),
            ...Object.fromEntries(
              comparisons.flatMap(({ comparison }, index) =>
                comparison ? [[`score:${further[index].evidenceId}`, comparison.score]] : [],
              ),
            ),
          },
        },
      ],
    }
  },
  ({ image, reference, further = [] }) => image !== null && reference !== null && further.length > 0,
)

const OUTCOMES: Readonly<Record<MatchZone, Pick<Finding, 'outcome' | 'refers' | 'errors'>>> = {
  match: { outcome: 'passed' },
  review: { outcome: 'inconclusive', refers: true },
  'no-match': { outcome: 'failed', errors: [resultError('1600')] },
}

function chooseMatchZone({ score, operatingPoint, reviewPoint }: Comparison): MatchZone {
  return matchZone({
    score,
    measure: operatingPoint.measure,
    decision: operatingPoint.threshold,
    review: reviewPoint?.threshold ?? null,
  })
}

/** Numbers and data set names that an auditor needs to justify the verdict; no personal data. */
function describeComparison(
  { engine, score, scores, operatingPoint, reviewPoint }: Comparison,
  zone: MatchZone,
  pictures: number,
): NonNullable<Finding['measured']> {
  const { id, measure, threshold, fmr, fnmr, source, measured } = operatingPoint
  return {
    zone,
    score,
    measure,
    threshold,
    ...(reviewPoint ? { reviewThreshold: reviewPoint.threshold, reviewOperatingPoint: reviewPoint.id } : {}),
    fmr,
    fnmr,
    source,
    ...(measured
      ? {
          measuredFmr: measured.fmr,
          measuredFmrLow: measured.ci95.fmr[0],
          measuredFmrHigh: measured.ci95.fmr[1],
          measuredFnmr: measured.fnmr,
          measuredFnmrLow: measured.ci95.fnmr[0],
          measuredFnmrHigh: measured.ci95.fnmr[1],
          measuredOn: measured.source,
        }
      : {}),
    ...nameEngine(engine),
    operatingPoint: id,
    pictures,
    ...Object.fromEntries(scores.map(({ model, value }) => [`score:${model.id}`, value])),
  }
}
