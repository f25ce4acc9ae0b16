/**
 * Evaluates an identity as if certain submissions succeeded completely. Caches each evidence per combination of portraits
 * and fraud checks, because a search repeats them. Knows no profile.
 */
import { LEVELS, type Level } from '../types.ts'
import type { EvidenceFacts } from './facts.ts'
import { scalesOfPiece, type DatedPiece, type Marks } from './marks.ts'
import type { Offer } from './offers.ts'
import { holderShownBy, buildPiece } from './pieces.ts'
import type { PieceRule, Policy } from './policy.ts'
import { doesFit, nameSlot } from './profiles.ts'
import { pickHigher } from './scores.ts'

/** Agreeing evidence that may help to reach the LOA under one name, and possible additions. */
export interface Ground {
  readonly policy: Policy
  readonly offers: readonly Offer[]
  readonly known: readonly Member[]
  /** Keyed by index of the offer; null for fraud checks. */
  readonly offered: readonly (Member | null)[]
  /** Passed checks of fraud checks about the identity. */
  readonly fraudPassed: readonly string[]
}

/** Existing or possible evidence. */
export interface Member {
  readonly evidence: EvidenceFacts
  /** Checks from existing portraits and fraud checks. */
  readonly given: readonly string[]
  /** True if a new portrait can be compared with it. */
  readonly isComparable: boolean
  /** For a portrait: minimum score that it takes from an existing document. */
  readonly leastScore: Level
  readonly made: Map<string, Piece>
}

export interface Piece {
  readonly piece: DatedPiece
  readonly scales: Marks
  readonly fitting: Map<PieceRule, boolean>
}

export interface Scene {
  /** Each with the slot that it can take in a profile. */
  readonly pieces: readonly { readonly piece: Piece; readonly slot: string }[]
  readonly fraudPassed: readonly string[]
  /** The same for possible submissions; null for fraud checks. */
  readonly next: (offer: Offer) => Piece | null
}

export function buildMember(
  evidence: EvidenceFacts,
  given: readonly string[],
  isComparable: boolean,
  leastScore: Level,
): Member {
  return { evidence, given, isComparable, leastScore, made: new Map() }
}

export function sceneWith(ground: Ground, chosen: readonly Offer[]): Scene {
  const helpers = chosen.filter(
    ({ rule: { evidence } }) => evidence === 'PORTRAIT' || evidence === 'ANTIFRAUD',
  )
  const documentScore = chosen
    .flatMap(({ evidence }) => evidence ?? [])
    .filter(({ kind }) => kind === 'ID_DOCUMENT')
    .map(({ score }) => score)
    .reduce(pickHigher, LEVELS[0])
  const name = helpers.map(({ position }) => position).join(' ')
  const pieceNow = (member: Member): Piece => pieceWith(ground, member, name, helpers, documentScore)
  const next = ({ position }: Offer): Piece | null => {
    const member = ground.offered[position]
    return member && pieceNow(member)
  }
  const fresh = chosen.flatMap((offer, index) => {
    const piece = next(offer)
    if (!piece) return []
    const before = chosen.slice(0, index).filter((other) => isAlike(other, offer)).length
    return [{ piece, slot: nameSlot({ kind: piece.piece.kind, type: offer.types[before] }) }]
  })
  return {
    pieces: [
      ...ground.known.map((member) => ({ piece: pieceNow(member), slot: nameSlot(member.evidence) })),
      ...fresh,
    ],
    fraudPassed: [...ground.fraudPassed, ...foundBy(helpers)],
    next,
  }
}

/** Checks that a submission adds to other evidence: a portrait to documents, a fraud check to all. */
export function listGivenChecks({ rule, evidence }: Offer): readonly string[] {
  if (!evidence) return rule.checks
  return evidence.kind === 'PORTRAIT' ? holderShownBy(evidence) : []
}

export function fitsRule(rule: PieceRule, { piece, fitting }: Piece): boolean {
  const before = fitting.get(rule)
  if (before !== undefined) return before
  const fit = doesFit(rule, piece)
  fitting.set(rule, fit)
  return fit
}

/** True for submissions that compete for the same slots. */
export function isAlike(a: Offer, b: Offer): boolean {
  return a.rule.evidence === b.rule.evidence && a.types[0] === b.types[0]
}

function pieceWith(
  { policy }: Ground,
  member: Member,
  helped: string,
  helpers: readonly Offer[],
  documentScore: Level,
): Piece {
  const name = member.evidence.kind === 'PORTRAIT' ? `${helped} ${documentScore}` : helped
  const before = member.made.get(name)
  if (before) return before
  const portraits = helpers.flatMap(({ evidence }) => evidence ?? [])
  const shown = member.isComparable ? portraits.flatMap(holderShownBy) : []
  return make(policy, member, name, [...shown, ...foundBy(helpers)], documentScore)
}

function make(
  policy: Policy,
  { evidence, given, leastScore, made }: Member,
  name: string,
  added: readonly string[],
  documentScore: Level,
): Piece {
  const { kind, score } = evidence
  const taken = kind === 'PORTRAIT' ? pickHigher(score, pickHigher(leastScore, documentScore)) : score
  const piece = buildPiece(policy, evidence, [...given, ...added], taken)
  const scales = scalesOfPiece(policy.scales, piece)
  const result = { piece, scales, fitting: new Map<PieceRule, boolean>() }
  made.set(name, result)
  return result
}

function foundBy(offers: readonly Offer[]): readonly string[] {
  return offers.flatMap(({ rule, evidence }) => (evidence ? [] : rule.checks))
}
