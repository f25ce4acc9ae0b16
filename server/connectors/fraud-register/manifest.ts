import type { ConnectorManifest } from '../manifest.ts'

export const fraudRegister: ConnectorManifest = {
  id: 'fraud-register',
  section: 'connectors.fraudRegister',
  purpose: 'asks a register of known fraud about a document and a person, without naming them',
  evidenceTypes: [],
  jurisdictions: 'ANY',
  consents: [],
  checks: ['KNOWN_FRAUD', 'DEATH_RECORD'],
  codes: [],
  discloses: ['documentHashRange', 'personHashRange'],
}
