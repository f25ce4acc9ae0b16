/** The check digit of a claimed payment card. Whether the card exists and whose it is, nobody is asked. */
import { isPaymentCardNumber } from '../../proofing/payment-card.ts'
import { dataStep } from '../subject.ts'

export const claimedPaymentCard = dataStep('claimed-payment-card', ({ content }) => {
  const card = content.claim?.creditCardDetails
  if (!card) return { findings: [], models: [] }
  const outcome = isPaymentCardNumber(card.cardNumber) ? 'passed' : 'failed'
  return { findings: [{ check: 'PAYMENT_CARD_NUMBER', outcome }], models: [] }
})
