import { REGISTER_FIELDS } from '../../proofing/address-register.ts'
import type { ConnectorManifest } from '../manifest.ts'

export const addressRegister: ConnectorManifest = {
  id: 'address-register',
  section: 'connectors.addressRegisters',
  purpose: 'asks a register whether an address exists and the applicant lives there',
  evidenceTypes: ['ADDRESS'],
  jurisdictions: 'CONFIGURED',
  consents: ['ADDRESS'],
  checks: ['ADDRESS_EXISTENCE', 'ADDRESS_SOURCE'],
  codes: [],
  discloses: ['country', ...REGISTER_FIELDS],
}
