import type { ConnectorManifest } from '../manifest.ts'

export const camera: ConnectorManifest = {
  id: 'camera',
  section: 'cameras',
  purpose: 'takes pictures of documents with the fixed camera of this machine',
  evidenceTypes: [],
  jurisdictions: 'ANY',
  consents: [],
  checks: [],
  codes: [],
  discloses: [],
}
