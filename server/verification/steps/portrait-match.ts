/** The live portrait against the one printed on the elected document, at the manifest's operating point. */
import { resultError } from '../../proofing/error-codes.ts'
import { portraitStep } from '../subject.ts'

export const portraitMatch = portraitStep('portrait-match', async (_subject, tools) => {
  const compared = await tools.comparison()
  const result = compared?.comparison
  if (!result) {
    // No reference yet, or its face could not be used: nothing is held against the applicant.
    return { findings: [{ check: 'BIOMETRIC_MATCHING_CHECK', outcome: 'inconclusive' }], models: [] }
  }
  const { operatingPoint } = result
  return {
    models: result.scores.map((score) => score.model),
    findings: [
      {
        check: 'BIOMETRIC_MATCHING_CHECK',
        outcome: result.atOrBeyondThreshold ? 'passed' : 'failed',
        measured: {
          score: result.score,
          measure: operatingPoint.measure,
          threshold: operatingPoint.threshold,
          fmr: operatingPoint.fmr,
          fnmr: operatingPoint.fnmr,
          operatingPoint: operatingPoint.id,
        },
        ...(result.atOrBeyondThreshold
          ? {}
          : {
              errors: [resultError('1600')],
            }),
      },
    ],
  }
})
