import type { ConnectorManifest } from '../manifest.ts'

export const sms: ConnectorManifest = {
  id: 'sms',
  section: 'connectors.sms',
  purpose: 'sends a passcode to a phone through an SMS carrier',
  evidenceTypes: ['MOBILE_OTP'],
  jurisdictions: 'ANY',
  consents: ['MOBILE_OTP'],
  checks: ['MOBILE_OTP'],
  codes: ['1033', '1100', '1105'],
  discloses: ['phoneNumber', 'passcode'],
}
