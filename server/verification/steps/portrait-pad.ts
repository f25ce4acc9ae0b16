/**
 * PAD score of an uploaded still. It can warn but never proves that a live person was present. In a capture
 * session portrait-liveness decides on the PAD scores of many frames.
 */
import { portraitStep } from '../subject.ts'

export const portraitPad = portraitStep(
  'portrait-pad',
  async (_subject, tools) => {
    const { pad } = await tools.portrait()
    if (!pad) return { findings: [{ check: 'BIOMETRIC_PAD', outcome: 'inconclusive' }], models: [] }
    const threshold = tools.thresholds.padMinimumScore
    return {
      findings: [
        {
          check: 'BIOMETRIC_PAD',
          outcome: pad.score >= threshold ? 'passed' : 'failed',
          measured: { score: pad.score, threshold },
        },
      ],
      models: pad.models,
    }
  },
  ({ image, liveness }) => image !== null && liveness === null,
)
