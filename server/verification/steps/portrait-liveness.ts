/**
 * Checks from the record of the capture session whether a live person was in front of the camera. Looks at no
 * picture. For an uploaded file BIOMETRIC_LIVENESS stays unverified, because a file cannot show liveness.
 */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { decideLiveness, type LivenessVerdict } from '../../proofing/liveness/decide.ts'
import { gradeSession } from '../../proofing/liveness/grade.ts'
import type { LivenessRecord } from '../../proofing/liveness/types.ts'
import { portraitStep, type PortraitSubject, type StepReport, type StepTools } from '../subject.ts'

export const portraitLiveness = portraitStep('portrait-liveness', judgeLiveness, () => true)

async function judgeLiveness({ liveness, image }: PortraitSubject, tools: StepTools): Promise<StepReport> {
  if (!liveness) return { findings: [{ check: 'BIOMETRIC_LIVENESS', outcome: 'inconclusive' }], models: [] }
  const verdict = decideLiveness(liveness, tools.liveness)
  return {
    findings: [
      toChallengeFinding(verdict),
      { check: 'BIOMETRIC_LIVENESS', outcome: verdict.outcome === 'passed' ? 'passed' : 'inconclusive' },
      ...(verdict.outcome === 'passed' ? gradeSession(liveness, tools.liveness) : []),
      ...(verdict.outcome === 'passed' && !image ? [WITHOUT_STILL] : []),
    ],
    models: listModels(liveness),
    ...(verdict.diagnostic === null ? {} : { livenessDiagnostic: verdict.diagnostic }),
  }
}

/** A failed challenge is an error and stops the pipeline, so no match is attempted. */
function toChallengeFinding({ outcome, code, reasons, measured }: LivenessVerdict): Finding {
  return {
    check: 'BIOMETRIC_LIVENESS_CHALLENGE',
    outcome,
    measured: { ...measured, ...(reasons.length > 0 ? { reasons: reasons.join(' ') } : {}) },
    ...(code === null
      ? {}
      : { errors: [resultError(code, isOurFault(reasons) ? { field: 'SESSION' } : {})] }),
    ...(outcome === 'inconclusive' ? { withholds: true } : {}),
  }
}

/** The appliance or the service failed, not the applicant: the screen may say so. */
const isOurFault = (reasons: LivenessVerdict['reasons']) =>
  reasons.includes('SESSION_TECHNICAL') || reasons.includes('SERVICE_TECHNICAL')

/** The liveness session passed, but no frame was straight and sharp enough for a portrait. */
const WITHOUT_STILL: Finding = {
  check: 'BIOMETRIC_QUALITY_CHECK',
  outcome: 'failed',
  errors: [resultError('1601', { message: 'no still of the session is good enough', field: 'FACE_MISSING' })],
}

function listModels(record: LivenessRecord): StepReport['models'] {
  return record.source === 'appliance' ? record.models : []
}
