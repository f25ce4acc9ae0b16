import type { ConnectorManifest } from '../manifest.ts'

export const engines: ConnectorManifest = {
  id: 'engines',
  section: 'engines',
  purpose: 'has an engine of your own compare faces or detect presentation attacks',
  evidenceTypes: ['PORTRAIT'],
  jurisdictions: 'ANY',
  consents: ['PORTRAIT'],
  checks: [
    'BIOMETRIC_MATCHING_CHECK',
    'BIOMETRIC_MATCHING_FURTHER',
    'PORTRAIT_OWN_PICTURE',
    'BIOMETRIC_PAD',
    'DUPLICATE_FACE',
  ],
  codes: ['1600'],
  discloses: ['facePicture', 'faceTemplate'],
}
