import type { ConnectorManifest } from '../manifest.ts'

/** The service is told by a webhook, fetches the case with its own key, and calls back: nothing is sent to it from here. */
export const adjudication: ConnectorManifest = {
  id: 'adjudication',
  section: 'connectors.adjudication',
  purpose: 'takes the decisions of an adjudication service',
  evidenceTypes: [],
  jurisdictions: 'ANY',
  consents: [],
  checks: ['ADJUDICATION'],
  codes: ['1597', '1598'],
  discloses: [],
}
