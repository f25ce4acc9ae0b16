/**
 * What somebody wrote about the person against the elected document. To correct a misread document is what attributes
 * are for, so a difference (1131, one for each field) is a warning and no more.
 */
import { compareAttributes } from '../../proofing/consistency.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { IdDocumentData } from '../../proofing/evidence.ts'
import type { Finding } from '../../proofing/judge.ts'
import { parseMrz } from '../../proofing/mrz/parse.ts'
import { dataStep } from '../subject.ts'

export const attributesMatch = dataStep('attributes-match', ({ content, reference }, { now }) => {
  const stated = content.attributes ?? content.claim?.attributesData
  if (!stated) return { findings: [], models: [] }
  const document = reference?.document
  if (!document) return { findings: [{ check: 'ATTRIBUTES_MATCH', outcome: 'inconclusive' }], models: [] }
  const compared = compareAttributes(stated, {
    attributes: document.personalAttributes,
    namesMayBeCut: namesMayBeCut(document, now),
  })
  const different = [...compared].filter(([, comparison]) => comparison === 'different')
  const same = [...compared].filter(([, comparison]) => comparison === 'same')
  const agreed = same.length > 0 && same.length === compared.size
  const finding: Finding = {
    check: 'ATTRIBUTES_MATCH',
    outcome: different.length > 0 ? 'failed' : agreed ? 'passed' : 'inconclusive',
    measured: { compared: compared.size, same: same.length, different: different.length },
    errors: different.map(([field]) => resultError('1131', { field })),
  }
  return { findings: [finding], models: [] }
})

function namesMayBeCut({ mrz }: IdDocumentData, now: Date): boolean {
  return mrz !== undefined && parseMrz(mrz, now).nameMayBeTruncated
}
