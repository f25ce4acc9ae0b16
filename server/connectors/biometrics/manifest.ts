import type { ConnectorManifest } from '../manifest.ts'

/** The server captures the face with its own component. From here it receives only a random reference. */
export const biometrics: ConnectorManifest = {
  id: 'biometrics',
  section: 'connectors.biometrics',
  purpose: 'has an external server run the liveness session of a portrait',
  evidenceTypes: ['PORTRAIT'],
  jurisdictions: 'ANY',
  consents: ['PORTRAIT'],
  checks: [
    'BIOMETRIC_LIVENESS',
    'LIVENESS_STOPS_PRINTS',
    'LIVENESS_STOPS_REPLAYS',
    'LIVENESS_STOPS_OPERATORS',
  ],
  codes: ['1021', '1033', '1609', '1610', '1611'],
  discloses: [],
}
