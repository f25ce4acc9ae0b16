import type { ConnectorManifest } from '../manifest.ts'

export const smtp: ConnectorManifest = {
  id: 'smtp',
  section: 'connectors.smtp',
  purpose: 'sends a passcode by e-mail through a mail server',
  evidenceTypes: ['EMAIL_OTP'],
  jurisdictions: 'ANY',
  consents: ['EMAIL_OTP'],
  checks: ['EMAIL_OTP'],
  codes: ['1033', '1100', '1105'],
  discloses: ['emailAddress', 'passcode'],
}
