/**
 * The check DOCUMENT_STATUS: whether a register knows a document as lost, stolen, revoked, expired before its date, or its
 * holder as deceased. Registers are asked by the first digits of a hash; the comparison is made here.
 */
import type { IdDocumentData } from '../evidence.ts'
import { DAY_MS } from '../time.ts'
import { checked, notChecked, type Finding } from './finding.ts'

export const REGISTER_REASONS = ['LOST', 'STOLEN', 'REVOKED', 'EXPIRED_BY_ISSUER', 'HOLDER_DECEASED'] as const
export type RegisterReason = (typeof REGISTER_REASONS)[number]

/** What names a document to every register alike; null where it cannot be named. Personal: only ever hashed. */
export function documentName({
  idDocumentType,
  issuingCountry,
  issuingState,
  idDocumentNumber,
}: Pick<IdDocumentData, 'idDocumentType' | 'issuingCountry' | 'issuingState' | 'idDocumentNumber'>):
  string | null {
  const issuer = bare((issuingCountry ?? '') + (issuingState ?? ''))
  const number = bare(idDocumentNumber ?? '')
  return issuer === '' || number === '' ? null : `${idDocumentType}\n${issuer}\n${number}`
}

/** Capitals and digits alone: a hyphen in the print and a filler in the zone are one number. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** What one register said of all documents that it was asked about. */
export type RegisterAnswer =
  | {
      readonly source: RegisterSource
      readonly outcome: 'ANSWERED'
      /** As the register calls itself. */
      readonly name: string
      /** Day of what it knows: yyyy-MM-dd. */
      readonly date: string
      /** Of an imported list. */
      readonly sha256?: string
      /** The issuers themselves, or whom they have made their mouth. */
      readonly authoritative: boolean
      readonly coversDeaths: boolean
      readonly found: readonly RegisterReason[]
    }
  | {
      readonly source: RegisterSource
      readonly outcome: 'UNREACHABLE'
      /** A word of the connector. */
      readonly reason: string
    }
type RegisterSource = 'LOCAL' | 'REMOTE'

export interface DocumentStatusLimits {
  /** A register that is older says nothing about what was lost since. */
  readonly registerDays: number
}

/**
 * What stands in any register, however old, stands against the document. To have found nothing counts only where every
 * register that is asked over a line has answered and one of those asked is up to date.
 * @param asked documents that were asked about
 * @param today the last day that may be today: in doubt a register is too old
 */
export function judgeDocumentStatus(
  facts: { readonly asked: number; readonly electedWasAsked: boolean },
  answers: readonly RegisterAnswer[],
  { registerDays }: DocumentStatusLimits,
  today: string,
): Finding {
  const measured = {
    documents: facts.asked,
    registerDays,
    ...Object.fromEntries(answers.flatMap((answer) => Object.entries(measuredOf(answer)))),
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
  if (facts.asked === 0 || !facts.electedWasAsked || fresh.length === 0 || !isComplete) {
    return notChecked('DOCUMENT_STATUS', measured)
  }
  const clear = checked('DOCUMENT_STATUS', measured)
  return {
    ...clear,
    indicators: [
      ...clear.indicators,
      ...(fresh.some(({ authoritative }) => authoritative) ? ['DOCUMENT_STATUS_ISSUER_OK'] : []),
      ...(fresh.some(({ coversDeaths }) => coversDeaths) ? ['DEATH_RECORD_OK'] : []),
    ],
  }
}

/** A day that cannot be read, or that has not come yet, makes nothing fresh. */
function isFresh(date: string, days: number, today: string): boolean {
  const age = (Date.parse(today) - Date.parse(date)) / DAY_MS
  return age >= -1 && age <= days
}

function measuredOf(answer: RegisterAnswer): Record<string, string | number> {
  const named = (member: string): string => `${answer.source.toLowerCase()}${member}`
  if (answer.outcome === 'UNREACHABLE') return { [named('Trouble')]: answer.reason }
  return {
    [named('Register')]: answer.name,
    [named('Date')]: answer.date,
    ...(answer.sha256 === undefined ? {} : { [named('Sha256')]: answer.sha256 }),
  }
}
