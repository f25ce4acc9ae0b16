/**
 * A service that tells in whose name payment cards are, for tests and demonstrations: our protocol
 * (server/connectors/card-ownership) on a real socket, with accounts of fictitious persons.
 */
import { z } from 'zod'
import type { FieldMatch } from '../../proofing/issuer-answer.ts'
import { CARD_ACCOUNTS, CARD_FIELDS, CARD_NAMES, type CardAnswer } from '../../proofing/payment-card.ts'
import { readSpecimenRecords } from './issuer.ts'
import { foldText, type QuestionSimulator } from './question-simulator.ts'
import { startSignedSimulator, type SignedSimulatorOptions } from './signed-simulator.ts'

const Values = z.record(z.enum(CARD_FIELDS), z.string())
const Question = z.object({ requestId: z.string(), values: Values })
export const CardAccount = z.object({ account: z.enum(CARD_ACCOUNTS), values: Values })
export type CardAccount = z.infer<typeof CardAccount>

export function startCardOwnership(
  options: SignedSimulatorOptions & { readonly accounts: readonly CardAccount[] },
): Promise<QuestionSimulator> {
  return startSignedSimulator(options, {
    path: '/card-comparisons',
    type: 'card-request',
    read: (json) => Question.safeParse(json).data ?? null,
    answer: ({ values }) => compare(options.accounts, values),
    answerUnasked: () => ({ account: 'OPEN', matches: { dateOfBirth: 'MATCH' } }),
  })
}

function compare(accounts: readonly CardAccount[], asked: z.infer<typeof Values>): CardAnswer {
  const found = accounts.find(({ values }) => values.paymentCardNumber === asked.paymentCardNumber)
  if (found?.account !== 'OPEN') return { account: found?.account ?? 'NOT_OPEN', matches: {} }
  const matches = CARD_NAMES.map((name): [string, FieldMatch] => {
    const [known, other] = [foldText(found.values[name]), foldText(asked[name])]
    if (known === other) return [name, 'MATCH']
    return [name, known.startsWith(other) || other.startsWith(known) ? 'SIMILAR' : 'NO_MATCH']
  })
  return { account: 'OPEN', matches: Object.fromEntries(matches) }
}

/** A number that a card scheme publishes for tests. */
export const SPECIMEN_CARD = '4111111111111111'

/** One specimen person has a card. */
export function readSpecimenAccounts(): readonly CardAccount[] {
  const [{ values }] = readSpecimenRecords()
  const givenNames = [values.givenName, values.middleNames].filter(Boolean).join(' ')
  return [
    {
      account: 'OPEN',
      values: { paymentCardNumber: SPECIMEN_CARD, givenNames, surname: values.surname ?? '' },
    },
  ]
}
