/**
 * The part KNOWN_FRAUD of the check DOCUMENT_STATUS: tests whether a register of known fraud has the document or the person.
 * The register receives only hash prefixes; the comparison is made here. Pure.
 */
import type { Measured } from '../measures.ts'
import { spellName, standardSpelling } from '../name-spelling.ts'
import { nameReason, type SourceReason } from '../source-reply.ts'
import { joinIndicators, type Finding } from './finding.ts'
import { isFresh } from './register-date.ts'

/** The reasons that a register of known fraud may report. FALSE_IDENTITY, USED_IN_FRAUD and DECEASED speak against the presenter. */
export const FRAUD_REASONS = [
  'FALSE_IDENTITY',
  'USED_IN_FRAUD',
  /** Another person used these data: the holder may be the victim. */
  'IMPERSONATED',
  /** The data were stolen: a likely target. */
  'DATA_STOLEN',
  'DECEASED',
] as const
export type FraudReason = (typeof FRAUD_REASONS)[number]

const AGAINST: readonly FraudReason[] = ['FALSE_IDENTITY', 'USED_IN_FRAUD', 'DECEASED']

interface NamedPerson {
  readonly surname: string | null
  readonly givenNames: readonly string[]
  /** yyyy-MM-dd. */
  readonly dateOfBirth: string | null
}

/** Canonical names of a person: four lines in the standard spelling of Doc 9303. Personal data: only hashes of them may leave. */
interface RegisterNames {
  /** `PERSON`, surname, first given name, birth date: registers are asked by it, because they often have no other given name. */
  readonly name: string
  /** The same with all given names, by which the appliance knows a namesake. */
  readonly wholeName: string
}

/** Null if the person cannot be named. */
export function namePerson({ surname, givenNames, dateOfBirth }: NamedPerson): RegisterNames | null {
  if (dateOfBirth === null || !/^\d{4}-\d{2}-\d{2}$/.test(dateOfBirth)) return null
  const last = spell(surname ?? '')
  const given = spell(givenNames.join(' '))
  if (!last || !given) return null
  const nameAs = (names: string): string => `PERSON\n${last.join(' ')}\n${names}\n${dateOfBirth}`
  return { name: nameAs(given[0]), wholeName: nameAs(given.join(' ')) }
}

function spell(name: string): readonly string[] | null {
  const words = spellName(name)
    ?.map(standardSpelling)
    .filter((word) => word !== '')
  return words && words.length > 0 ? words : null
}

/** An entry about the document or the person that was asked about. */
export interface FraudEntry {
  readonly reason: FraudReason
  /** The entry has the same surname, birth date and first given name, and other given names or none: perhaps another person. */
  readonly isNamesake: boolean
}

/** The register's answer to all questions about one identity. */
export type FraudAnswer =
  | {
      readonly outcome: 'ANSWERED'
      /** Name that the register reports for itself. */
      readonly name: string
      /** Date of the register's data: yyyy-MM-dd. */
      readonly date: string
      readonly coversDeaths: boolean
      readonly found: readonly FraudEntry[]
    }
  | { readonly outcome: 'UNREACHABLE'; readonly reason: string }
  /** No document and no person could be asked about. */
  | { readonly outcome: 'NOT_ASKED' }

/** `electedWasAsked`: the document and the person of the name reference were both among the questions. */
interface FraudQuestion {
  readonly electedWasAsked: boolean
}

/**
 * An entry counts whatever the register's age; the absence of entries counts only in a register that is up to date. An entry about a
 * namesake leaves open whether it is about this person: an officer looks.
 * @param today latest possible current day: in doubt the register is too old
 */
export function judgeKnownFraud(
  { electedWasAsked }: FraudQuestion,
  answer: FraudAnswer,
  { registerDays }: { readonly registerDays: number },
  today: string,
): Finding {
  if (answer.outcome === 'NOT_ASKED') return unverified('REFERENCE')
  if (answer.outcome === 'UNREACHABLE') return unverified('ANSWER', { fraudTrouble: answer.reason })
  const { name, date, coversDeaths, found } = answer
  const measured = { fraudRegister: name, fraudDate: date }
  if (found.length > 0) {
    const own = listReasons(found.filter(({ isNamesake }) => !isNamesake))
    const namesakes = listReasons(found.filter(({ isNamesake }) => isNamesake))
    const isAgainst = own.some((reason) => AGAINST.includes(reason))
    return {
      status: isAgainst ? 'INVALID' : 'NOT_VERIFIED',
      indicators: [
        isAgainst ? 'KNOWN_FRAUD_FAILED' : 'KNOWN_FRAUD_WARNING',
        ...(own.includes('DECEASED')
          ? ['DEATH_RECORD_FAILED']
          : namesakes.includes('DECEASED')
            ? ['DEATH_RECORD_UNVERIFIED', nameReason('RECORD')]
            : []),
      ],
      measured: {
        ...measured,
        ...(own.length > 0 && { fraudReasons: own.join(' ') }),
        ...(namesakes.length > 0 && { namesakeReasons: namesakes.join(' ') }),
      },
    }
  }
  if (!electedWasAsked) return unverified('VALUES', measured)
  if (!isFresh(date, registerDays, today)) return unverified('AGE', measured)
  return {
    status: 'VERIFIED',
    indicators: ['KNOWN_FRAUD_OK', ...(coversDeaths ? ['DEATH_RECORD_OK'] : [])],
    measured,
  }
}

function listReasons(entries: readonly FraudEntry[]): readonly FraudReason[] {
  return [...new Set(entries.map(({ reason }) => reason))].sort()
}

function unverified(reason: SourceReason, measured: Measured = {}): Finding {
  return { status: 'NOT_VERIFIED', indicators: ['KNOWN_FRAUD_UNVERIFIED', nameReason(reason)], measured }
}

const WORST_FIRST = ['INVALID', 'NOT_VERIFIED', 'VERIFIED'] as const

/** The finding of one check that asked several registers: it is as good as its worst part. A death, also a possible one, counts against any absence of one. */
export function combineFindings(one: Finding, other: Finding): Finding {
  const indicators = joinIndicators(one.indicators, other.indicators)
  const mayBeDead = indicators.some((name) => /^DEATH_RECORD_(FAILED|UNVERIFIED)$/.test(name))
  return {
    status: WORST_FIRST.find((status) => one.status === status || other.status === status) ?? one.status,
    indicators: mayBeDead ? indicators.filter((name) => name !== 'DEATH_RECORD_OK') : indicators,
    measured: { ...one.measured, ...other.measured },
  }
}
