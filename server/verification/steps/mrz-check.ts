/** Check digits and plausibility of what the zone says, and the facts it yields. */
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
  // Without a zone there is nothing to check: whether one was expected, mrz-read has said.
  if (!mrz) return { findings: [], models: [] }
  const checks = checkPrinted(mrz)
  const failed = checks.filter((check) => check.outcome === 'failed')
  // A digit that only fits after a repair, or a zone that has none, proves nothing.
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
                ...fieldOf(failed),
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

/** The one whose own digit does not fit; the digit over several fields names none. */
function fieldOf(failed: readonly MrzCheck[]): { readonly field?: string } {
  const [field] = failed.flatMap(({ check }) => fieldOfCheck(check) ?? [])
  return field ? { field } : {}
}

/** Tolerated, but somebody may want to look: the names of the notes, never what the zone says. */
function deviation({ notes }: MrzFacts): Finding {
  const deviations = notes.filter((note) => MRZ_DEVIATIONS.includes(note))
  return {
    check: 'MRZ_DEVIATION',
    outcome: deviations.length > 0 ? 'failed' : 'passed',
    ...(deviations.length > 0 && { measured: { deviations: deviations.join(' ') } }),
  }
}

/** A holder has a name and was born on a day that exists (or is marked unknown); an expiry date is a real day. */
function isPlausible(facts: MrzFacts): boolean {
  const { year, month, day } = facts.birthDate
  const birthKnown = year !== undefined && month !== undefined && day !== undefined
  const birth = !birthKnown || toIsoDate(facts.birthDate) !== null
  const expiry = facts.expiryDate === null || toIsoDate(facts.expiryDate) !== null
  return facts.surname !== '' && birth && expiry && facts.documentClass !== null
}
