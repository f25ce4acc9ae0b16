import { DOCUMENT_NAMES } from '../../proofing/disclosure.ts'
import { AUSTRALIAN_TYPES, listAustralianFields } from '../../proofing/issuing-sources.ts'
import { ISSUER_CHECKS } from '../issuer/manifest.ts'
import type { ConnectorManifest } from '../manifest.ts'

export const issuerAu: ConnectorManifest = {
  id: 'issuer-au',
  section: 'connectors.issuerAu',
  purpose: 'compares an Australian document with the records of its issuer',
  evidenceTypes: AUSTRALIAN_TYPES,
  jurisdictions: ['AUS'],
  consents: ['GIV'],
  checks: ISSUER_CHECKS,
  codes: ['1599'],
  discloses: [...DOCUMENT_NAMES, ...listAustralianFields(AUSTRALIAN_TYPES)],
}
