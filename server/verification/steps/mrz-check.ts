/** Check digits and plausibility of what the zone says, and the facts it yields. */
import type { IdDocumentData } from '../../proofing/evidence.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { checkMrz } from '../../proofing/mrz/checks.ts'
import { toIsoDate } from '../../proofing/mrz/dates.ts'
import { parseMrz, type MrzFacts } from '../../proofing/mrz/parse.ts'
import { documentStep, sideWithMrz, type DocumentFacts } from '../subject.ts'

export const mrzCheck = documentStep('mrz-check', async (subject, tools) => {
  const mrz = sideWithMrz(await tools.sides())?.mrz
  if (!mrz) return { findings: [{ check: 'MRZ_CHECK_DIGITS', outcome: 'inconclusive' }], models: [] }
  const checks = checkMrz(mrz.lines, mrz.format)
  const failed = checks.filter((check) => check.outcome === 'failed')
  const facts = parseMrz(mrz.lines, tools.now)
  const findings: Finding[] = [
    {
      check: 'MRZ_CHECK_DIGITS',
      outcome: failed.length === 0 ? 'passed' : 'failed',
      measured: { checks: checks.length, failed: failed.length },
      ...(failed.length === 0
        ? {}
        : {
            errors: [
              resultError('1543', { message: 'the check digits at the bottom of the document do not fit' }),
            ],
          }),
    },
    {
      check: 'MRZ_FORMAT',
      outcome: isPlausible(facts) ? 'passed' : 'failed',
      measured: { format: facts.format },
    },
  ]
  if (subject.declaredType) {
    const read = facts.documentClass
    findings.push({
      check: 'DOCUMENT_TYPE_MATCH',
      outcome: read === null ? 'inconclusive' : read === subject.declaredType ? 'passed' : 'failed',
    })
  }
  const extracted = toDocumentFacts(facts, mrz.lines)
  return { findings, models: [], ...(extracted ? { facts: extracted } : {}) }
})

/** A holder has a name and was born on a day that exists (or is marked unknown); an expiry date is a real day. */
function isPlausible(facts: MrzFacts): boolean {
  const { year, month, day } = facts.birthDate
  const birthKnown = year !== undefined && month !== undefined && day !== undefined
  const birth = !birthKnown || toIsoDate(facts.birthDate) !== null
  const expiry = facts.expiryDate === null || toIsoDate(facts.expiryDate) !== null
  return facts.surname !== '' && birth && expiry && facts.documentClass !== null
}

function toDocumentFacts(facts: MrzFacts, lines: readonly string[]): DocumentFacts | null {
  const type = facts.documentClass
  if (type === null) return null
  // `verified` stays false: only an issuer or a chip can say that a value is true.
  const named = (value: string) => ({ value, verified: false })
  const birth = toIsoDate(facts.birthDate)
  const expiry = facts.expiryDate === null ? null : toIsoDate(facts.expiryDate)
  const data: IdDocumentData = {
    idDocumentType: type,
    idDocumentNumber: facts.documentNumber,
    issuingCountry: alpha3(facts.issuingState),
    ...(expiry ? { expiryDate: expiry } : {}),
    personalAttributes: {
      surname: named(facts.surname),
      givenNames: facts.givenNames.map(named),
      ...(birth ? { dateOfBirth: named(birth) } : {}),
      gender: named(facts.sex),
      nationality: named(alpha3(facts.nationality)),
    },
    mrz: lines,
  }
  return { type, data }
}

/** Germany is D in the zone and DEU everywhere else (ICAO Doc 9303-3 section 5). */
function alpha3(code: string): string {
  return code === 'D' ? 'DEU' : code
}
