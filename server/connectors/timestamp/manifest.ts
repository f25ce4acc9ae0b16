import type { ConnectorManifest } from '../manifest.ts'

export const timestamp: ConnectorManifest = {
  id: 'timestamp',
  section: 'signing.timestamp',
  purpose: 'has a time-stamping authority confirm when a proof was sealed',
  evidenceTypes: [],
  jurisdictions: 'ANY',
  consents: [],
  checks: [],
  codes: [],
  discloses: ['signatureHash'],
}
