/**
 * A level-of-assurance policy is data (resources/policies). This file says what it may hold and what each member means;
 * `assess` applies it. Every rule asks for checks that passed and for nothing that is absent: so more verified evidence can
 * never reach less.
 */
import type { EvidenceType, Level } from '../types.ts'
import type { Ability, PieceKind } from './facts.ts'

export interface ScoreRule {
  readonly name: string
  readonly score: Level
  /** Absent: every type of document. */
  readonly types?: readonly EvidenceType[]
  /** Indicator stems that must all be OK. */
  readonly requires: readonly string[]
}

/** Raises the strength of a type above what `strength` says: a passport whose chip was read. */
export interface StrengthRule {
  readonly name: string
  readonly level: Level
  readonly types: readonly EvidenceType[]
  readonly requires: readonly string[]
}

/**
 * A number that a standard gives a piece of evidence: GPG 45 `strength` 0 to 4 and `validity` 0 to 4; NIST `class` 1 FAIR,
 * 2 STRONG, 3 SUPERIOR. Of several rules that apply to a piece the highest value counts; without any, 0.
 */
export interface MarkRule {
  readonly mark: string
  readonly value: number
  readonly evidence: PieceKind
  readonly types?: readonly EvidenceType[]
  /** ISO 3166-1 alpha-3, where a standard names the issuers whose documents it means; absent: any, or not known. */
  readonly issuers?: readonly string[]
  /** Of claims: what the configuration says that the identity provider is worth. */
  readonly minimumScore?: Level
  readonly requires?: readonly string[]
}

/**
 * A number that a standard gives the whole identity: GPG 45 `activity`, `fraud` and `verification`. The highest of its
 * rules that applies to any one counted piece; for ANTIFRAUD, to all fraud checks taken together.
 */
export interface ScaleRule {
  readonly scale: string
  readonly value: number
  readonly evidence: PieceKind | 'ANTIFRAUD'
  readonly types?: readonly EvidenceType[]
  readonly requires?: readonly string[]
  /** Marks that the piece has to have. */
  readonly marks?: Readonly<Record<string, number>>
  /** Days that the record behind the piece has existed. */
  readonly heldForDays?: number
}

/** What one piece of a profile has to be. Each is another piece; documents of one type are one piece. */
export interface PieceRule {
  /** ANY: whatever has the marks; GPG 45 does not care whether a piece is a card or an electronic record. */
  readonly evidence: PieceKind | 'ANY'
  readonly types?: readonly EvidenceType[]
  readonly minimumScore?: Level
  readonly minimumStrength?: Level
  readonly marks?: Readonly<Record<string, number>>
  /**
   * Besides the checks of the pipelines: those of DERIVED_CHECKS, and what a fraud check found that looked at this very
   * piece (DOCUMENT_STATUS of a document).
   */
  readonly requires?: readonly string[]
}

/**
 * Checks of a document that a counted portrait gives it: it was found to show this document's holder, and all of these
 * passed on that one portrait.
 */
export const DERIVED_CHECKS: Readonly<Record<string, readonly string[]>> = {
  HOLDER_MATCH: [],
  HOLDER_LIVE: ['BIOMETRIC_LIVENESS'],
  HOLDER_ATTENDED: ['ATTENDED_CAPTURE'],
  HOLDER_CHIP_MATCH: ['BIOMETRIC_LIVENESS', 'NFC_PORTRAIT_MATCH'],
  HOLDER_REGISTER_MATCH: ['BIOMETRIC_LIVENESS', 'GIV_PORTRAIT_MATCH'],
}

/** One way to reach a level: GPG 45 calls it a profile. */
export interface Profile {
  readonly name: string
  readonly levelOfAssurance: string
  readonly pieces: readonly PieceRule[]
  readonly scales?: Readonly<Record<string, number>>
}

export interface PolicyLevel {
  readonly levelOfAssurance: string
  /** What the standard calls it: "medium", "IAL2". */
  readonly label: string
}

/** Something that a person could submit or ask for, and what it would show if all went well. */
export interface SubmissionRule {
  readonly name: string
  readonly evidence: PieceKind | 'ANTIFRAUD'
  /** Any one of these; each further submission of this rule is another one of them. Absent: of one kind only. */
  readonly types?: readonly EvidenceType[]
  /** Indicator stems that it can make OK. */
  readonly checks: readonly string[]
  readonly needs: readonly Ability[]
}

export interface Policy {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly description: string
  /** Where its figures are from. */
  readonly source: string
  /** The most a type of evidence can reach, whatever is checked. */
  readonly strength: Readonly<Partial<Record<EvidenceType, Level>>>
  readonly strengthRules: readonly StrengthRule[]
  readonly documentScore: readonly ScoreRule[]
  readonly marks: readonly MarkRule[]
  readonly scales: readonly ScaleRule[]
  /** Lowest first; the first entry is what an identity starts with, and no profile belongs to it. */
  readonly levels: readonly PolicyLevel[]
  readonly profiles: readonly Profile[]
  /**
   * Indicator → the highest level that evidence which carries it can help to reach. Of fraud checks: the highest level of
   * the whole identity.
   */
  readonly caps: Readonly<Record<string, string>>
  readonly adjudication: {
    /** Two people must accept. */
    readonly fourEyes: boolean
    /** The most that an accepted document, an accepted portrait is worth. */
    readonly documentScore: Level
    readonly portraitScore: Level
  }
  readonly submissions: readonly SubmissionRule[]
  readonly upgradePaths: {
    /** Submissions in one path, at most. */
    readonly longest: number
    /** Paths for one level, at most; the shortest first. */
    readonly most: number
  }
}
