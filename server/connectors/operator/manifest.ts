import type { ConnectorManifest } from '../manifest.ts'

export const operator: ConnectorManifest = {
  id: 'operator',
  section: 'connectors.operator',
  purpose: 'asks a mobile operator whose phone number it is',
  evidenceTypes: ['MOBILE_OTP'],
  jurisdictions: 'ANY',
  consents: ['MOBILE'],
  checks: ['MOBILE_OWNERSHIP', 'MOBILE_SIM_SWAP'],
  codes: [],
  discloses: ['phoneNumber', 'documentNumber', 'givenName', 'middleNames', 'surname', 'dateOfBirth'],
}
