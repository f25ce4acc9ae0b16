/**
 * All that a level of assurance rests on. Nothing else may move it: what stands here stands in the proof, too, so the
 * same level can be derived from an archive alone. Owns no rule.
 */
import type { EvidenceStatus, EvidenceType, FraudCheckType, Level } from '../types.ts'

/** Kinds of evidence as policies and upgrade paths name them. */
export const PIECE_KINDS = [
  'ID_DOCUMENT',
  'PORTRAIT',
  'ATTRIBUTES',
  'ADDRESS',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
] as const
export type PieceKind = (typeof PIECE_KINDS)[number]

/** One piece of evidence that was not deleted. */
export interface EvidenceFacts {
  readonly id: string
  readonly kind: PieceKind
  readonly type: EvidenceType
  readonly status: EvidenceStatus
  readonly strength: Level
  readonly score: Level
  /** Stems of the checks that passed: `MRZ_READING` for the indicator MRZ_READING_OK. */
  readonly passed: readonly string[]
  /** Every other indicator, in full: MRZ_READING_WARNING, CLOCK_UNVERIFIED. */
  readonly raised: readonly string[]
  /** Every consent that it stands on is in force. */
  readonly mayBeUsed: boolean
  /** Of a portrait: the documents whose portrait it was found to show. */
  readonly matches: readonly string[]
  /** Other evidence that says something else about the person. One side is enough to make the two disagree. */
  readonly disagreements: readonly Disagreement[]
  /** It says who the person is: a name at least. Only such evidence can be the name reference. */
  readonly statesName: boolean
  /** How well the portrait on a document can be compared (`portrait-coding`), 1 to 5; 0 where there is none. */
  readonly codingQuality: number
  /** ISO 3166-1 alpha-3 of who issued the document; absent: not known. */
  readonly issuer?: string
  /** Milliseconds since 1970, UTC. */
  readonly submittedAt: number
  /** Whole days since the record behind it was begun, on the earliest day that may be today; null: not known. */
  readonly heldForDays: number | null
}

export interface Disagreement {
  readonly evidenceId: string
  /** Names of attributes, never values. */
  readonly attributes: readonly string[]
}

export interface FraudFacts {
  readonly type: FraudCheckType
  readonly passed: readonly string[]
  /** Every other indicator, in full. */
  readonly raised: readonly string[]
  /** Evidence that it looked at; what it found says nothing about any other. */
  readonly subjects: readonly string[]
}

export interface AssuranceFacts {
  readonly evidences: readonly EvidenceFacts[]
  readonly fraudChecks: readonly FraudFacts[]
}

/**
 * What this installation can do at all: a submission that needs something else is never offered as a way up.
 * GIV: asks the issuer of a document. NFC: reads chips. ATTENDED: an officer attends. DOCUMENT_STATUS_ISSUER: a register of
 * lost and stolen documents that is the issuer's own. DEATH_RECORDS: one that knows the deceased.
 */
export const ABILITIES = [
  'DOCUMENTS',
  'FACES',
  'LIVENESS',
  'GIV',
  'NFC',
  'ATTENDED',
  'TRUSTED_ID_CLAIM',
  'MOBILE_OTP',
  'ANTIFRAUD',
  'DUPLICATE_FACE',
  'WATCHLIST',
  'DOCUMENT_STATUS',
  'DOCUMENT_STATUS_ISSUER',
  'DEATH_RECORDS',
  'DEVICE_INTEGRITY',
  'ADJUDICATION',
] as const
export type Ability = (typeof ABILITIES)[number]
