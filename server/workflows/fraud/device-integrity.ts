/** DEVICE_INTEGRITY: the current state of clock, camera, inspections and tamper seals of this appliance. */
import type { Context } from '../../context.ts'
import { cameraStateHere, judgeDeviceIntegrity } from '../../proofing/antifraud/device-integrity.ts'
import { deviceState, inspectionState } from '../../proofing/antifraud/ledger.ts'
import type { FraudSubjects, Looked } from './subjects.ts'

export function lookAtDevice(ctx: Context, { verified }: FraudSubjects): Looked {
  const { inspection } = ctx.config.environment
  const { source: clock, latest } = ctx.time.statement()
  const device = deviceState(ctx.store.deviceLedger.list())
  const pictured = verified.filter(
    ({ family, content }) =>
      (family === 'IDDOCUMENT' || family === 'PORTRAIT') && content.submittedAsText === undefined,
  )
  return {
    subjects: pictured.map(({ id }) => id),
    finding: judgeDeviceIntegrity({
      clock,
      cameras: pictured.map(({ content }) => cameraStateHere(ctx.config, content.captureDetails?.camera)),
      inspection: inspectionState(device, inspection?.everyDays, latest),
      tampered: device.open.length > 0,
    }),
  }
}
