/** Asks a connected register whether an address exists and the verified person lives there (ADDRESS_EXISTENCE, ADDRESS_SOURCE). */
import { listStatedValues } from '../../proofing/address-form.ts'
import { judgeAddressAnswer } from '../../proofing/address-register.ts'
import type { Measured } from '../../proofing/measures.ts'
import type { SourceReason } from '../../proofing/source-reply.ts'
import type { Step, StepReport } from '../subject.ts'

export const addressRegister: Step = {
  name: 'address-register',
  run: async (subject, tools) => {
    const address = subject.family === 'DATA' ? subject.content.address : undefined
    if (subject.family !== 'DATA' || !address) return leaveOpen('VALUES')
    const obstacle = tools.findAddressObstacle(address)
    if (obstacle) return leaveOpen(obstacle)
    const { addressAccess = 'CONFIGURATION', resident = null } = subject
    if (addressAccess !== 'ALLOWED') return leaveOpen(addressAccess)
    const asked = await tools.askAddressRegister(address, resident)
    if ('unasked' in asked) return leaveOpen(asked.unasked)
    const { outcome, call } = asked
    const reported = { addressRegister: asked, calls: [call] }
    if (outcome.kind === 'unavailable')
      return { ...leaveOpen('ANSWER', { sourceTrouble: outcome.reason }), ...reported }
    const stated = listStatedValues(address, tools.addressFormats)
    const findings = judgeAddressAnswer(outcome.answer, { stated, sent: call.values, resident })
    return { findings, models: [], ...reported }
  },
}

const leaveOpen = (reason: SourceReason, measured: Measured = {}): StepReport => ({
  findings: [{ check: 'ADDRESS_SOURCE', outcome: 'inconclusive', reason, measured }],
  models: [],
})
