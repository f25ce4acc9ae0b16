/** DEVICE_INTEGRITY: the current state of clock, cameras, inspections and tamper seals of this appliance. */
import type { Context } from '../../context.ts'
import { cameraStateHere, judgeDeviceIntegrity } from '../../proofing/antifraud/device-integrity.ts'
import { deviceState, inspectionState } from '../../proofing/antifraud/ledger.ts'
import type { FraudSubjects, FraudCheckResult } from './subjects.ts'

export async function checkDevice(ctx: Context, { verified }: FraudSubjects): Promise<FraudCheckResult> {
  const { inspection } = ctx.config.environment
  const { source: clock, latest } = ctx.time.statement()
  const device = deviceState(ctx.store.deviceLedger.list())
  const pictured = verified.filter(
    ({ family, content }) =>
      (family === 'IDDOCUMENT' || family === 'PORTRAIT') && content.submittedAsText === undefined,
  )
  const present = await ctx.documentCamera.list()
  const hasSoftwareCamera = present.some(({ captures, isSoftware }) => captures && isSoftware)
  return {
    subjects: pictured.map(({ id }) => id),
    finding: judgeDeviceIntegrity({
      clock,
      cameras: pictured.map(({ content }) =>
        hasSoftwareCamera ? 'SOFTWARE' : cameraStateHere(ctx.config, content.captureDetails?.camera),
      ),
      inspection: inspectionState(device, inspection?.everyDays, latest),
      tampered: device.open.length > 0,
    }),
  }
}
