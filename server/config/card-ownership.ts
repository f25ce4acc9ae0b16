/** Options of the service that tells in whose name a payment card is. */
import { serviceSchema, signedServiceOptions } from './service-options.ts'

/** The applicant waits for the answer: it cannot be asked later, because the number of the card is not stored. */
const TIMEOUT_MS = 5_000
const MAX_TIMEOUT_MS = 20_000

export const CardOwnershipConfig = serviceSchema(signedServiceOptions(TIMEOUT_MS, MAX_TIMEOUT_MS)).describe(
  'Service that tells in whose name a claimed payment card is (PAYMENT_CARD_OWNER)',
)
