/**
 * Schema of an LOA policy (resources/policies): members and their meaning; `assess` applies it. Rules require passed
 * checks and never the absence of one, so more verified evidence never lowers the LOA.
 */
import type { EvidenceType, Level } from '../types.ts'
import type { Ability, PieceKind } from './facts.ts'

export interface ScoreRule {
  readonly name: string
  readonly score: Level
  /** Absent means every type of document. */
  readonly types?: readonly EvidenceType[]
  /** Indicator stems that must all be OK. */
  readonly requires: readonly string[]
}

/** Raises the strength of a type above `strength`, for example a passport whose chip was read. */
export interface StrengthRule {
  readonly name: string
  readonly level: Level
  readonly types: readonly EvidenceType[]
  readonly requires: readonly string[]
}

/**
 * A number that a standard assigns to an evidence: GPG 45 `strength` 0 to 4 and `validity` 0 to 4; NIST `class` 1 FAIR, 2
 * STRONG, 3 SUPERIOR. The highest applicable rule counts; without any, 0.
 */
export interface MarkRule {
  readonly mark: string
  readonly value: number
  readonly evidence: PieceKind
  readonly types?: readonly EvidenceType[]
  /** ISO 3166-1 alpha-3 codes if a standard restricts the issuers; absent means any or unknown. */
  readonly issuers?: readonly string[]
  /** For claims: the configured score of the identity provider. */
  readonly minimumScore?: Level
  readonly requires?: readonly string[]
}

/**
 * A number that a standard assigns to the whole identity: GPG 45 `activity`, `fraud` and `verification`. The highest rule
 * that applies to any single counted evidence, or for ANTIFRAUD to all fraud checks together.
 */
export interface ScaleRule {
  readonly scale: string
  readonly value: number
  readonly evidence: PieceKind | 'ANTIFRAUD'
  readonly types?: readonly EvidenceType[]
  readonly requires?: readonly string[]
  /** Marks that the evidence must have. */
  readonly marks?: Readonly<Record<string, number>>
  /** Minimum age in days of the record behind the evidence. */
  readonly heldForDays?: number
}

/** Requirements for one evidence of a profile. Each rule needs different evidence; documents of one type count as one. */
export interface PieceRule {
  /** ANY: any evidence with the marks. GPG 45 does not distinguish cards from electronic records. */
  readonly evidence: PieceKind | 'ANY'
  readonly types?: readonly EvidenceType[]
  readonly minimumScore?: Level
  readonly minimumStrength?: Level
  readonly marks?: Readonly<Record<string, number>>
  /** Besides pipeline checks: DERIVED_CHECKS, and fraud checks about this evidence (DOCUMENT_STATUS of a document). */
  readonly requires?: readonly string[]
}

/** Checks that a document gains from a counted portrait of its holder, if that portrait passed all the listed ones. */
export const DERIVED_CHECKS: Readonly<Record<string, readonly string[]>> = {
  HOLDER_MATCH: [],
  HOLDER_LIVE: ['BIOMETRIC_LIVENESS'],
  HOLDER_LIVE_AGAINST_REPLAYS: ['BIOMETRIC_LIVENESS', 'LIVENESS_STOPS_REPLAYS'],
  HOLDER_LIVE_AGAINST_OPERATORS: ['BIOMETRIC_LIVENESS', 'LIVENESS_STOPS_OPERATORS'],
  HOLDER_ATTENDED: ['ATTENDED_CAPTURE'],
  HOLDER_CHIP_MATCH: ['BIOMETRIC_LIVENESS', 'NFC_PORTRAIT_MATCH'],
  HOLDER_REGISTER_MATCH: ['BIOMETRIC_LIVENESS', 'GIV_PORTRAIT_MATCH'],
}

/** One way to reach an LOA; GPG 45 calls it a profile. */
export interface Profile {
  readonly name: string
  readonly levelOfAssurance: string
  readonly pieces: readonly PieceRule[]
  readonly scales?: Readonly<Record<string, number>>
}

interface PolicyLevel {
  readonly levelOfAssurance: string
  /** Name in the standard: "medium", "IAL2". */
  readonly label: string
}

/** A possible submission or request, and what it shows at best. */
export interface SubmissionRule {
  readonly name: string
  readonly evidence: PieceKind | 'ANTIFRAUD'
  /** Alternatives; each further submission of this rule must be of another type. Absent if there is only one type. */
  readonly types?: readonly EvidenceType[]
  /** Indicator stems that it can set to OK. */
  readonly checks: readonly string[]
  readonly needs: readonly Ability[]
}

export interface Policy {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly description: string
  /** Origin of its figures. */
  readonly source: string
  /** Maximum strength of each type of evidence. */
  readonly strength: Readonly<Partial<Record<EvidenceType, Level>>>
  readonly strengthRules: readonly StrengthRule[]
  readonly documentScore: readonly ScoreRule[]
  readonly marks: readonly MarkRule[]
  readonly scales: readonly ScaleRule[]
  /** Lowest first. The first entry is the initial LOA; no profile belongs to it. */
  readonly levels: readonly PolicyLevel[]
  readonly profiles: readonly Profile[]
  /**
   * Indicator → highest LOA that evidence with it can help to reach. For fraud checks: highest LOA of the whole identity.
   */
  readonly caps: Readonly<Record<string, string>>
  readonly adjudication: {
    /** Two people must accept. */
    readonly fourEyes: boolean
    /** Maximum score of an accepted document or portrait. */
    readonly documentScore: Level
    readonly portraitScore: Level
  }
  readonly submissions: readonly SubmissionRule[]
  readonly upgradePaths: {
    /** Maximum number of submissions in a path. */
    readonly longest: number
    /** Maximum number of paths per LOA, shortest first. */
    readonly most: number
  }
}
