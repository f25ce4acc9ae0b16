/** Asks a connected register whether an address exists and the verified person lives there (ADDRESS_EXISTENCE, ADDRESS_SOURCE). */
import { listStatedValues } from '../../proofing/address-form.ts'
import { judgeAddressAnswer, type Unasked } from '../../proofing/address-register.ts'
import type { Finding } from '../../proofing/judge.ts'
import type { Measured } from '../../proofing/measures.ts'
import type { Step } from '../subject.ts'

export const addressRegister: Step = {
  name: 'address-register',
  run: async (subject, tools) => {
    const address = subject.family === 'DATA' ? subject.content.address : undefined
    if (subject.family !== 'DATA' || !address || !tools.coversAddress(address))
      return leaveOpen('SOURCE_COVERAGE')
    if (subject.addressAccess === 'LIMIT') return leaveOpen('SOURCE_LIMIT')
    if (subject.addressAccess !== 'ALLOWED') return leaveOpen('SOURCE_CONSENT')
    const asked = await tools.askAddressRegister(address, subject.resident ?? null)
    if (!asked) return leaveOpen('SOURCE_COVERAGE')
    const { outcome, call } = asked
    const reported = { addressRegister: asked, calls: [call] }
    if (outcome.kind === 'unavailable')
      return { ...leaveOpen('SOURCE_ANSWER', { addressTrouble: outcome.reason }), ...reported }
    const stated = listStatedValues(address, tools.addressFormats)
    return { findings: judgeAddressAnswer(outcome.answer, stated), models: [], ...reported }
  },
}

function leaveOpen(why: Unasked, measured: Measured = {}) {
  const findings: readonly Finding[] = [
    { check: 'ADDRESS_SOURCE', outcome: 'inconclusive', measured },
    { check: why, outcome: 'inconclusive' },
  ]
  return { findings, models: [] }
}
