/** Checks the check digit of a claimed payment card, and in whose name it is by the answer that came when the claim was submitted. */
import { judgeCard } from '../../proofing/payment-card.ts'
import { dataStep } from '../subject.ts'

export const claimedPaymentCard = dataStep('claimed-payment-card', ({ content }) => {
  const card = content.claim?.creditCardDetails
  if (!card) return { findings: [], models: [] }
  return {
    findings: judgeCard(card),
    models: [],
    calls: card.asked && 'call' in card.asked ? [card.asked.call] : [],
  }
})
