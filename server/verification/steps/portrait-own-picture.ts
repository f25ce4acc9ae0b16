/**
 * Checks that the uploaded portrait is not a copy of the document's portrait. A copy matches perfectly but
 * says nothing about who is present. In a capture session the liveness methods answer this.
 */
import { resultError } from '../../proofing/error-codes.ts'
import type { CheckOutcome } from '../../proofing/judge.ts'
import { portraitStep } from '../subject.ts'

const CHECK = 'PORTRAIT_OWN_PICTURE'
const MESSAGE = 'the portrait is the picture of the document: take a picture of the person'

export const portraitOwnPicture = portraitStep(
  'portrait-own-picture',
  async (_subject, tools) => {
    const threshold = tools.thresholds.portraitMaximumDetailCorrelation
    const compared = [await tools.comparison(), ...(await tools.furtherComparisons())]
    const correlations = compared.map((comparison) => comparison?.detailCorrelation ?? null)
    const known = correlations.filter((correlation) => correlation !== null)
    const outcome = judgeCorrelations(known.length === correlations.length, known, threshold)
    return {
      models: [],
      findings: [
        {
          check: CHECK,
          outcome,
          measured: { threshold, ...(known.length > 0 ? { detailCorrelation: Math.max(...known) } : {}) },
          ...(outcome === 'failed'
            ? { errors: [resultError('1601', { message: MESSAGE, field: CHECK })] }
            : {}),
        },
      ],
    }
  },
  ({ image, liveness, reference }) => image !== null && liveness === null && reference !== null,
)

function judgeCorrelations(isWhole: boolean, known: readonly number[], threshold: number): CheckOutcome {
  if (known.some((correlation) => correlation >= threshold)) return 'failed'
  return isWhole ? 'passed' : 'inconclusive'
}
