/** Checks the check digits and the plausibility of the MRZ and extracts its facts. */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { checkPrinted, type MrzCheck } from '../../proofing/mrz/checks.ts'
import { toIsoDate } from '../../proofing/mrz/dates.ts'
import { fieldOfCheck } from '../../proofing/mrz/doubted-field.ts'
import { MRZ_DEVIATIONS } from '../../proofing/mrz/notes.ts'
import { parseMrz, type MrzFacts } from '../../proofing/mrz/parse.ts'
import { documentStep, sideWithMrz } from '../subject.ts'

export const mrzCheck = documentStep('mrz-check', async (subject, tools) => {
  const mrz = sideWithMrz(await tools.sides())?.mrz
  // mrz-read has already reported a missing MRZ.
  if (!mrz) return { findings: [], models: [] }
  const checks = checkPrinted(mrz)
  const failed = checks.filter((check) => check.outcome === 'failed')
  // A check digit that fits only after a repair, or an MRZ without check digits, proves nothing.
  const allPassed = checks.length > 0 && checks.every((check) => check.outcome === 'passed')
  const facts = parseMrz(mrz.lines, tools.now)
  const findings: Finding[] = [
    {
      check: 'MRZ_CHECK_DIGITS',
      outcome: failed.length > 0 ? 'failed' : allPassed ? 'passed' : 'inconclusive',
      measured: { checks: checks.length, failed: failed.length },
      ...(failed.length === 0
        ? {}
        : {
            errors: [
              resultError('1543', {
                message: 'the check digits at the bottom of the document do not fit',
                ...findFailedField(failed),
              }),
            ],
          }),
    },
    {
      check: 'MRZ_FORMAT',
      outcome: isPlausible(facts) ? 'passed' : 'failed',
      measured: { format: facts.format },
    },
    deviation(facts),
  ]
  if (subject.declaredType) {
    const read = facts.documentClass
    findings.push({
      check: 'DOCUMENT_TYPE_MATCH',
      outcome: read === null ? 'inconclusive' : read === subject.declaredType ? 'passed' : 'failed',
    })
  }
  return { findings, models: [] }
})

/** Returns the field whose own check digit fails. The composite check digit names no field. */
function findFailedField(failed: readonly MrzCheck[]): { readonly field?: string } {
  const [field] = failed.flatMap(({ check }) => fieldOfCheck(check) ?? [])
  return field ? { field } : {}
}

/**
 * A tolerated deviation that an officer may want to inspect. Reports the names of the notes, never values of
 * the MRZ.
 */
function deviation({ notes }: MrzFacts): Finding {
  const deviations = notes.filter((note) => MRZ_DEVIATIONS.includes(note))
  return {
    check: 'MRZ_DEVIATION',
    outcome: deviations.length > 0 ? 'failed' : 'passed',
    ...(deviations.length > 0 && { measured: { deviations: deviations.join(' ') } }),
  }
}

/**
 * Requires a surname, a date of birth that exists or is marked unknown, an expiry date that exists, and a
 * known document class.
 */
function isPlausible(facts: MrzFacts): boolean {
  const { year, month, day } = facts.birthDate
  const birthKnown = year !== undefined && month !== undefined && day !== undefined
  const birth = !birthKnown || toIsoDate(facts.birthDate) !== null
  const expiry = facts.expiryDate === null || toIsoDate(facts.expiryDate) !== null
  return facts.surname !== '' && birth && expiry && facts.documentClass !== null
}
