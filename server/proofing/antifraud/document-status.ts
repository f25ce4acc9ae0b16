/**
 * Check DOCUMENT_STATUS: tests whether a register lists a document as lost, stolen, revoked or expired early, or its
 * holder as deceased. Registers receive only a hash prefix; the comparison is made here.
 */
import type { IdDocumentData } from '../evidence.ts'
import { createOkFinding, createUnverifiedFinding, type Finding } from './finding.ts'
import type { SourceReason } from '../source-reply.ts'
import { isFresh } from './register-date.ts'

export const REGISTER_REASONS = ['LOST', 'STOLEN', 'REVOKED', 'EXPIRED_BY_ISSUER', 'HOLDER_DECEASED'] as const
export type RegisterReason = (typeof REGISTER_REASONS)[number]

/**
 * Canonical name of a document for all registers; null if it cannot be named. Personal data: only its hash may leave this
 * function's callers.
 */
export function documentName({
  idDocumentType,
  issuingCountry,
  issuingState,
  idDocumentNumber,
}: Pick<IdDocumentData, 'idDocumentType' | 'issuingCountry' | 'issuingState' | 'idDocumentNumber'>):
  | string
  | null {
  const issuer = bare((issuingCountry ?? '') + (issuingState ?? ''))
  const number = bare(idDocumentNumber ?? '')
  return issuer === '' || number === '' ? null : `${idDocumentType}\n${issuer}\n${number}`
}

/** Upper-case letters and digits only, so that hyphens in the VIZ and fillers in the MRZ do not matter. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Answer of one register for all documents. */
export type RegisterAnswer =
  | {
      readonly source: RegisterSource
      readonly outcome: 'ANSWERED'
      /** Name that the register reports for itself. */
      readonly name: string
      /** Date of the register's data: yyyy-MM-dd. */
      readonly date: string
      /** Hash of an imported list. */
      readonly sha256?: string
      /** True if the register is the issuer's own or authorised by it. */
      readonly authoritative: boolean
      readonly coversDeaths: boolean
      readonly found: readonly RegisterReason[]
    }
  | {
      readonly source: RegisterSource
      readonly outcome: 'UNREACHABLE'
      /** Reason code of the connector. */
      readonly reason: string
    }
type RegisterSource = 'LOCAL' | 'REMOTE'

interface Facts {
  /** Documents that were asked about. */
  readonly asked: number
  /** The name reference was among them. */
  readonly electedWasAsked: boolean
}

interface DocumentStatusLimits {
  /** Maximum age of a register in days: an older one misses recent losses. */
  readonly registerDays: number
}

/**
 * An entry in any register counts against the document, however old the register. The absence of entries counts only if
 * every online register answered and at least one register is up to date.
 * @param today latest possible current day: in doubt a register is too old
 */
export function judgeDocumentStatus(
  facts: Facts,
  answers: readonly RegisterAnswer[],
  { registerDays }: DocumentStatusLimits,
  today: string,
): Finding {
  const measured = {
    documents: facts.asked,
    registerDays,
    ...Object.fromEntries(answers.flatMap((answer) => Object.entries(describeAnswer(answer)))),
  }
  const answered = answers.filter((answer) => answer.outcome === 'ANSWERED')
  const found = answered.flatMap((answer) => answer.found)
  if (found.length > 0) {
    const isDead = found.includes('HOLDER_DECEASED')
    const indicators = ['DOCUMENT_STATUS_FAILED', ...(isDead ? ['DEATH_RECORD_FAILED'] : [])]
    return {
      status: 'INVALID',
      indicators,
      measured: { ...measured, reasons: [...new Set(found)].sort().join(' ') },
    }
  }
  const fresh = answered.filter(({ date }) => isFresh(date, registerDays, today))
  const isComplete = answers.every(
    (answer) => answer.source !== 'REMOTE' || fresh.some(({ source }) => source === 'REMOTE'),
  )
  const reason = findReason(facts, answers)
  if (reason) return createUnverifiedFinding('DOCUMENT_STATUS', measured, reason)
  if (fresh.length === 0 || !isComplete) return createUnverifiedFinding('DOCUMENT_STATUS', measured, 'AGE')
  const clear = createOkFinding('DOCUMENT_STATUS', measured)
  return {
    ...clear,
    indicators: [
      ...clear.indicators,
      ...(fresh.some(({ authoritative }) => authoritative) ? ['DOCUMENT_STATUS_ISSUER_OK'] : []),
      ...(fresh.some(({ coversDeaths }) => coversDeaths) ? ['DEATH_RECORD_OK'] : []),
    ],
  }
}

/** Null: every register that is asked answered. */
function findReason(
  { asked, electedWasAsked }: Facts,
  answers: readonly RegisterAnswer[],
): SourceReason | null {
  if (asked === 0) return 'REFERENCE'
  if (!electedWasAsked) return 'VALUES'
  if (answers.length === 0) return 'CONFIGURATION'
  return answers.some(({ outcome }) => outcome === 'UNREACHABLE') ? 'ANSWER' : null
}

function describeAnswer(answer: RegisterAnswer): Record<string, string | number> {
  const named = (member: string): string => `${answer.source.toLowerCase()}${member}`
  if (answer.outcome === 'UNREACHABLE') return { [named('Trouble')]: answer.reason }
  return {
    [named('Register')]: answer.name,
    [named('Date')]: answer.date,
    ...(answer.sha256 === undefined ? {} : { [named('Sha256')]: answer.sha256 }),
  }
}
