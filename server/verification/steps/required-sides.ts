/**
 * Checks that every required side of the document was shown. A side with an MRZ makes the other one
 * unnecessary.
 */
import { resultError } from '../../proofing/error-codes.ts'
import { documentStep } from '../subject.ts'

const CHECK = 'REQUIRED_SIDES_CHECK'

export const requiredSides = documentStep('required-sides', async (subject, tools) => {
  const { declaredType, back, sidesEnsured } = subject
  // The kind of document is unknown, so no side can be required.
  if (declaredType === null && !sidesEnsured) return { findings: [], models: [] }
  const sides = await tools.sides()
  const hasMrz = sides.some((side) => side.mrz !== null || side.mrzBand !== null)
  if (sidesEnsured || back || hasMrz || declaredType === 'PASSPORT') {
    return { findings: [{ check: CHECK, outcome: 'passed' }], models: [] }
  }
  return { findings: [{ check: CHECK, outcome: 'failed', errors: [resultError('1508')] }], models: [] }
})
