import { CLAIM_FIELDS } from '../../proofing/claim-source.ts'
import type { ConnectorManifest } from '../manifest.ts'

export const bureau: ConnectorManifest = {
  id: 'bureau',
  section: 'connectors.bureaus',
  purpose: 'compares a claim with records of a bureau or register',
  evidenceTypes: ['ID_CLAIM'],
  jurisdictions: 'CONFIGURED',
  consents: ['ID_CLAIM'],
  checks: ['ID_CLAIM_SOURCE'],
  codes: [],
  discloses: ['country', ...CLAIM_FIELDS],
}
