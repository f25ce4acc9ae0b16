/**
 * All facts on which an LOA depends. The proof contains them, so an archive alone is enough to derive the same LOA.
 * Contains no rule.
 */
import {
  OTHER_FAMILIES,
  type EvidenceStatus,
  type EvidenceType,
  type FraudCheckType,
  type Level,
} from '../types.ts'

/** Kinds of evidence in policies and upgrade paths. */
export const PIECE_KINDS = ['ID_DOCUMENT', ...OTHER_FAMILIES] as const
export type PieceKind = (typeof PIECE_KINDS)[number]

/** An evidence that was not deleted. */
export interface EvidenceFacts {
  readonly id: string
  readonly kind: PieceKind
  readonly type: EvidenceType
  readonly status: EvidenceStatus
  readonly strength: Level
  readonly score: Level
  /** Stems of the passed checks: `MRZ_READING` for the indicator MRZ_READING_OK. */
  readonly passed: readonly string[]
  /** All other indicators in full: MRZ_READING_WARNING, CLOCK_UNVERIFIED. */
  readonly raised: readonly string[]
  /** True if every consent it depends on is in force. */
  readonly mayBeUsed: boolean
  /** For a portrait: documents whose portrait it matches. */
  readonly matches: readonly string[]
  /** Other evidence that contradicts this one. A disagreement of one side is enough. */
  readonly disagreements: readonly Disagreement[]
  /** True if it states at least a name. Required for a name reference. */
  readonly statesName: boolean
  /** Quality of the document's portrait for comparison (`portrait-coding`), 1 to 5; 0 without a portrait. */
  readonly codingQuality: number
  /** ISO 3166-1 alpha-3 code of the issuer; absent if unknown. */
  readonly issuer?: string
  /** Milliseconds since 1970, UTC. */
  readonly submittedAt: number
  /** Whole days since the underlying record began, on the earliest possible current day; null if unknown. */
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
  /** All other indicators, in full. */
  readonly raised: readonly string[]
  /** Evidence that the check covered; its findings apply to no other. */
  readonly subjects: readonly string[]
}

export interface AssuranceFacts {
  readonly evidences: readonly EvidenceFacts[]
  readonly fraudChecks: readonly FraudFacts[]
}

/**
 * Capabilities of this installation: an upgrade path never needs others. GIV: queries a document's issuer. GIV_PORTRAIT:
 * compares a face with the one that the issuer keeps, which no connector does. NFC: reads chips and knows authorities to verify them with. ATTENDED: an officer
 * attends. MOBILE_OWNERSHIP: asks a mobile operator. DOCUMENT_STATUS_ISSUER: the issuer's own register of lost and stolen
 * documents. DEATH_RECORDS: a register of deceased persons. KNOWN_FRAUD: a register of known fraud.
 */
export const ABILITIES = [
  'DOCUMENTS',
  'FACES',
  'LIVENESS',
  'GIV',
  'GIV_PORTRAIT',
  'NFC',
  'ATTENDED',
  'TRUSTED_ID_CLAIM',
  'MOBILE_OTP',
  'MOBILE_OWNERSHIP',
  'ANTIFRAUD',
  'DUPLICATE_FACE',
  'WATCHLIST',
  'DOCUMENT_STATUS',
  'DOCUMENT_STATUS_ISSUER',
  'DEATH_RECORDS',
  'KNOWN_FRAUD',
  'DEVICE_INTEGRITY',
  'ADJUDICATION',
] as const
export type Ability = (typeof ABILITIES)[number]
