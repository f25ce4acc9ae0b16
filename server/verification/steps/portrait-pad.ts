/**
 * PAD score of an uploaded still. It can warn but never proves that a live person was present. In a capture
 * session portrait-liveness decides on the PAD scores of many frames; a mounted engine judges its still besides.
 */
import { describeFailure, nameEngine } from '../engine-words.ts'
import { portraitStep } from '../subject.ts'

export const portraitPad = portraitStep(
  'portrait-pad',
  async (_subject, tools) => {
    const { pad, padFailure } = await tools.portrait()
    if (!pad) {
      const measured = padFailure && describeFailure(padFailure)
      return {
        findings: [{ check: 'BIOMETRIC_PAD', outcome: 'inconclusive', ...(measured && { measured }) }],
        models: padFailure ? [padFailure.engine] : [],
      }
    }
    const { score, point, engine, models } = pad
    return {
      findings: [
        {
          check: 'BIOMETRIC_PAD',
          outcome: score >= point.threshold ? 'passed' : 'failed',
          measured: { score, threshold: point.threshold, operatingPoint: point.id, ...nameEngine(engine) },
        },
      ],
      models,
    }
  },
  ({ image, liveness, stillIsJudged = false }) => image !== null && (liveness === null || stillIsJudged),
)
