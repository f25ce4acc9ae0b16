import { DOCUMENT_NAMES } from '../../proofing/disclosure.ts'
import { UNITED_STATES_FIELDS } from '../../proofing/issuing-sources.ts'
import { ISSUER_CHECKS } from '../issuer/manifest.ts'
import type { ConnectorManifest } from '../manifest.ts'

export const issuerUs: ConnectorManifest = {
  id: 'issuer-us',
  section: 'connectors.issuerUs',
  purpose:
    'compares a driving licence or identity card of a US state with the records of its motor vehicle administration',
  evidenceTypes: ['DRIVING_LICENSE', 'IDENTITY_CARD'],
  jurisdictions: ['USA'],
  consents: ['GIV'],
  checks: ISSUER_CHECKS,
  codes: ['1599'],
  discloses: [...DOCUMENT_NAMES, ...UNITED_STATES_FIELDS],
}
