/**
 * Compares submitted attributes with the elected document. A difference (1131, one per field) is only a
 * warning. Separately submitted attributes exist to correct a misread document: a correction that a reading
 * error explains is no difference, and if all attributes equal the document, the document confirms them.
 */
import { namesMayBeCut } from '../../proofing/assurance/agreement.ts'
import {
  isPlausible,
  judgeCorrections,
  type AttributeName,
  type CorrectionResult,
} from '../../proofing/assurance/corrections.ts'
import { compareAttributes, type Reference } from '../../proofing/consistency.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { equalValues } from '../../proofing/verified-values.ts'
import { dataStep } from '../subject.ts'

export const attributesMatch = dataStep('attributes-match', ({ kind, content, reference }) => {
  const stated = content.attributes ?? content.claim?.attributesData
  if (!stated) return { findings: [], models: [] }
  const isCorrection = kind === 'ATTRIBUTES'
  const document = reference?.document
  if (!document) {
    const open = (check: string): Finding => ({ check, outcome: 'inconclusive' })
    const checks = ['ATTRIBUTES_MATCH', ...(isCorrection ? ['ATTRIBUTES_CORRECTION'] : [])]
    return { findings: checks.map(open), models: [] }
  }
  const read: Reference = {
    attributes: document.personalAttributes,
    namesMayBeCut: namesMayBeCut(document),
  }
  const compared = compareAttributes(stated, read)
  const judged = isCorrection ? judgeCorrections(stated, read) : new Map<AttributeName, CorrectionResult>()
  const isCorrected = (field: AttributeName) => judged.get(field)?.standing === 'corrected'
  const different = [...compared].filter(([field, found]) => found === 'different' && !isCorrected(field))
  const same = [...compared].filter(([field, found]) => found === 'same' || isCorrected(field))
  const agreed = same.length > 0 && same.length === compared.size
  const match: Finding = {
    check: 'ATTRIBUTES_MATCH',
    outcome: different.length > 0 ? 'failed' : agreed ? 'passed' : 'inconclusive',
    measured: { compared: compared.size, same: same.length, different: different.length },
    errors: different.map(([field]) => resultError('1131', { field })),
  }
  return {
    findings: [match, ...(isCorrection ? [correctionFinding(judged)] : [])],
    models: [],
    confirmed: equalValues(stated, document.personalAttributes),
  }
})

/** Passes if the document shows all attributes or if a reading error explains each difference. */
function correctionFinding(judged: ReadonlyMap<AttributeName, CorrectionResult>): Finding {
  const bases = [...judged].flatMap(([name, standing]) =>
    standing.standing === 'corrected' ? [[name, standing.basis] as const] : [],
  )
  return {
    check: 'ATTRIBUTES_CORRECTION',
    outcome: isPlausible(judged) ? 'passed' : 'inconclusive',
    measured: Object.fromEntries(bases),
  }
}
