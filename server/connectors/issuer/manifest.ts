import { DOCUMENT_NAMES } from '../../proofing/disclosure.ts'
import { ISSUER_FIELDS } from '../../proofing/issuer-answer.ts'
import { DOCUMENT_TYPES } from '../../proofing/types.ts'
import type { ConnectorManifest } from '../manifest.ts'

/** Checks that the answers of every issuing source decide. */
export const ISSUER_CHECKS = [
  'GIV_ELIGIBILITY',
  'GIV_VERIFICATION',
  'SURNAME_COMPARE',
  'SURNAME_FUZZY_COMPARE',
  'FIRSTNAME_COMPARE',
  'FIRSTNAME_FUZZY_COMPARE',
  'MIDDLENAME_COMPARE',
  'MIDDLENAME_FUZZY_COMPARE',
] as const

export const issuer: ConnectorManifest = {
  id: 'issuer',
  section: 'connectors.issuers',
  purpose: "compares a document with its issuer's records",
  evidenceTypes: [...DOCUMENT_TYPES, 'VISA', 'MEDICARE'],
  jurisdictions: 'CONFIGURED',
  consents: ['GIV'],
  checks: ISSUER_CHECKS,
  codes: ['1599'],
  discloses: [...DOCUMENT_NAMES, ...ISSUER_FIELDS],
}
