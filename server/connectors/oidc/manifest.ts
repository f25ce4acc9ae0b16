import type { ConnectorManifest } from '../manifest.ts'

export const oidc: ConnectorManifest = {
  id: 'oidc',
  section: 'connectors.oidc.providers',
  purpose: 'has the applicant sign in at an identity provider and takes the attributes that it shares',
  evidenceTypes: ['TRUSTED_ID_CLAIM'],
  jurisdictions: 'ANY',
  consents: [],
  checks: ['OIDC_AUTHENTICATION', 'OIDC_ATTRIBUTE_SHARING'],
  codes: ['1033', '2301', '2302', '2303'],
  discloses: ['userIdentifier'],
}
