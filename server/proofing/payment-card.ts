/**
 * Keeps facts about a claimed payment card, never its number: a stored number would have to be protected as PCI DSS demands,
 * and the checks need it only once. Judges in whose name the card is.
 */
import type { OutsideCall, ValueName } from './disclosure.ts'
import type { ClaimData } from './evidence.ts'
import type { FieldMatch } from './issuer-answer.ts'
import type { CheckOutcome, Finding } from './judge.ts'
import type { Unasked } from './source-reply.ts'

const SHOWN_DIGITS = 4

export interface ClaimedCard {
  /** Keyed hash of the number, by which the same card is recognised. */
  readonly numberHash: string
  readonly lastFour: string
  /** The number has the length of a card number, and its check digit is right. */
  readonly isWellFormed: boolean
  /** The card is in the claimed name, and its account is open. */
  readonly verified: boolean
  /** The question in whose name it is. Absent in claims of earlier versions that were not asked about. */
  readonly asked?: AskedCard | Unasked
}

export interface AskedCard {
  readonly call: OutsideCall
  /** Absent: the service did not answer. */
  readonly answer?: CardAnswer
}

export const CARD_NAMES = ['givenNames', 'surname'] as const
/** Values that the service receives. */
export const CARD_FIELDS = ['paymentCardNumber', ...CARD_NAMES] as const satisfies readonly ValueName[]
export type CardQuestion = Readonly<Record<(typeof CARD_FIELDS)[number], string>>

/** `NOT_SUPPORTED`: the issuer of the card compares no names. */
export const CARD_ACCOUNTS = ['OPEN', 'NOT_OPEN', 'NOT_SUPPORTED'] as const

export interface CardAnswer {
  readonly account: (typeof CARD_ACCOUNTS)[number]
  readonly matches: Readonly<Partial<Record<(typeof CARD_NAMES)[number], FieldMatch>>>
}

/** @param hash a keyed hash: a card number can be guessed from a plain one */
export function keepClaimedCard(
  cardNumber: string,
  hash: (digits: string) => string,
  asked: AskedCard | Unasked,
): ClaimedCard {
  const digits = toDigits(cardNumber)
  return {
    numberHash: hash(digits),
    lastFour: digits.slice(-SHOWN_DIGITS),
    isWellFormed: isPaymentCardNumber(digits),
    verified: 'call' in asked && asked.answer !== undefined && judgeOwner(asked.answer) === 'passed',
    asked,
  }
}

/** `NEED`: the number is not well formed, so that nothing is sent. `VALUES`: the claim has no full name. */
export function buildCardQuestion(
  cardNumber: string,
  names: Pick<NonNullable<ClaimData['attributesData']>, 'givenNames' | 'surname'>,
): CardQuestion | Unasked {
  const givenNames = (names.givenNames ?? []).map(({ value }) => value).join(' ')
  const surname = names.surname?.value ?? ''
  if (!isPaymentCardNumber(cardNumber)) return { unasked: 'NEED' }
  if (givenNames === '' || surname === '') return { unasked: 'VALUES' }
  return { paymentCardNumber: toDigits(cardNumber), givenNames, surname }
}

/** PAYMENT_CARD_NUMBER and PAYMENT_CARD_OWNER. */
export function judgeCard({
  isWellFormed,
  asked = { unasked: 'CONFIGURATION' },
}: ClaimedCard): readonly Finding[] {
  return [
    { check: 'PAYMENT_CARD_NUMBER', outcome: isWellFormed ? 'passed' : 'failed' },
    { check: 'PAYMENT_CARD_OWNER', ...judgeAsked(asked) },
  ]
}

function judgeAsked(asked: AskedCard | Unasked): Pick<Finding, 'outcome' | 'reason' | 'measured'> {
  if ('unasked' in asked) return { outcome: 'inconclusive', reason: asked.unasked }
  const { answer, call } = asked
  if (!answer)
    return {
      outcome: 'inconclusive',
      reason: 'ANSWER',
      ...(call.trouble === null ? {} : { measured: { sourceTrouble: call.trouble } }),
    }
  const outcome = judgeOwner(answer)
  if (outcome !== 'inconclusive') return { outcome }
  return { outcome, reason: answer.account === 'NOT_SUPPORTED' ? 'SUPPORT' : 'RECORD' }
}

/** A partial match of a first name is common on cards, one of a surname is not. */
function judgeOwner({ account, matches: { givenNames, surname } }: CardAnswer): CheckOutcome {
  if (account !== 'OPEN') return account === 'NOT_OPEN' ? 'failed' : 'inconclusive'
  if (surname === 'NO_MATCH' || givenNames === 'NO_MATCH') return 'failed'
  const isGiven = givenNames === 'MATCH' || givenNames === 'SIMILAR'
  return surname === 'MATCH' && isGiven ? 'passed' : 'inconclusive'
}

const toDigits = (cardNumber: string): string => cardNumber.replace(/[ -]/g, '')

/** 12 to 19 digits with optional spaces and hyphens; the last is the check digit of ISO/IEC 7812-1 annex B (Luhn). */
export function isPaymentCardNumber(text: string): boolean {
  const digits = toDigits(text)
  if (!/^[1-9]\d{11,18}$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
