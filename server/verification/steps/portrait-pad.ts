/**
 * Presentation-attack score of an uploaded still. It can warn; it can never prove that a live person was there. In a
 * capture session the same score is taken on many frames, and portrait-liveness decides on them.
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
