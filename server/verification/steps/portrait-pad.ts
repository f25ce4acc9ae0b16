/**
 * Presentation-attack score of a still picture. It can warn; it can never prove that a live person was there, so
 * BIOMETRIC_LIVENESS stays unverified for an uploaded file (see notPerformed in resources/pipelines).
 */
import { portraitStep } from '../subject.ts'

export const portraitPad = portraitStep('portrait-pad', async (_subject, tools) => {
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
})
