import { CARD_FIELDS } from '../../proofing/payment-card.ts'
import type { ConnectorManifest } from '../manifest.ts'

export const cardOwnership: ConnectorManifest = {
  id: 'card-ownership',
  section: 'connectors.cardOwnership',
  purpose: 'asks a card scheme whether a payment card is in the claimed name',
  evidenceTypes: ['ID_CLAIM'],
  jurisdictions: 'ANY',
  consents: ['ID_CLAIM'],
  checks: ['PAYMENT_CARD_OWNER'],
  codes: [],
  discloses: CARD_FIELDS,
}
