import type { ConnectorManifest } from '../manifest.ts'

export const voice: ConnectorManifest = {
  id: 'voice',
  section: 'connectors.voice',
  purpose: 'tells a passcode in a call to a landline, through a voice gateway',
  evidenceTypes: ['LANDLINE_OTP'],
  jurisdictions: 'ANY',
  consents: ['LANDLINE'],
  checks: ['LANDLINE_OTP'],
  codes: ['1033', '1100', '1105'],
  discloses: ['phoneNumber', 'passcode'],
}
