import type { ConnectorManifest } from '../manifest.ts'

export const documentStatus: ConnectorManifest = {
  id: 'document-status',
  section: 'connectors.documentStatus',
  purpose: 'asks a register whether a document is lost, stolen or revoked, without naming the document',
  evidenceTypes: [],
  jurisdictions: 'ANY',
  consents: [],
  checks: ['DOCUMENT_STATUS', 'DOCUMENT_STATUS_ISSUER', 'DEATH_RECORD'],
  codes: [],
  discloses: ['documentHashRange'],
}
