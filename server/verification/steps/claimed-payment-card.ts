/** Checks the check digit of a claimed payment card. Does not check that the card exists or who owns it. */
import { dataStep } from '../subject.ts'

export const claimedPaymentCard = dataStep('claimed-payment-card', ({ content }) => {
  const card = content.claim?.creditCardDetails
  if (!card) return { findings: [], models: [] }
  const outcome = card.isWellFormed ? 'passed' : 'failed'
  return { findings: [{ check: 'PAYMENT_CARD_NUMBER', outcome }], models: [] }
})
