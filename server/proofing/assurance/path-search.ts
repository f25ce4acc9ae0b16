/**
 * Which submissions meet a profile together with what is there: a search that only ever adds what can help with something that
 * is still missing. Finds all smallest sets (and some that are not). Knows one profile and one set of evidence that agrees.
 */
import { LEVELS, type Level } from '../types.ts'
import type { EvidenceFacts } from './facts.ts'
import { scalesOfFraudChecks, scalesOfPiece, type DatedPiece } from './marks.ts'
import type { Offer } from './offers.ts'
import { holderShownBy, pieceOf } from './pieces.ts'
import { DERIVED_CHECKS, type PieceRule, type Policy, type Profile } from './policy.ts'
import { fits, slotOf, unmatched } from './profiles.ts'
import { higherOf } from './scores.ts'

/** Evidence that agrees and may help to reach the level, under one name. */
export interface Ground {
  readonly policy: Policy
  readonly offers: readonly Offer[]
  readonly counted: readonly Known[]
  /** Checks that the portraits which count give every document to come. */
  readonly shown: readonly string[]
  /** Passed by fraud checks that are about the identity. */
  readonly fraudPassed: readonly string[]
  /** Best score of a document whose portrait a new one could be matched with. */
  readonly documentScore: Level
  /** Pieces that were worked out before. */
  readonly pieces: Map<string, Piece>
}

export interface Known {
  readonly evidence: EvidenceFacts
  /** Checks that it has by other evidence and by fraud checks. */
  readonly given: readonly string[]
}

interface Piece {
  readonly piece: DatedPiece
  readonly scales: Readonly<Record<string, number>>
}

/** Something that a profile still lacks: whether a piece would help with it, or a fraud check. */
interface Need {
  readonly byPiece: (piece: Piece) => boolean
  readonly byFraudCheck: (offer: Offer) => boolean
}

/** What stands, with this chosen: pieces by the slot that each takes. */
interface Scene {
  readonly pieces: readonly { readonly piece: Piece; readonly slot: string; readonly best: Piece }[]
  readonly fraudPassed: readonly string[]
}

/**
 * @param longest submissions in one set, at most
 * @param isKnown a set that need not be looked at: it contains one that was found
 */
export function searchPaths(
  ground: Ground,
  profile: Profile,
  longest: number,
  isKnown: (chosen: readonly Offer[]) => boolean,
  report: (found: readonly Offer[]) => void,
): void {
  const seen = new Set<string>()
  const visit = (chosen: readonly Offer[]): void => {
    const name = chosen.map(({ position }) => position).join(' ')
    if (seen.has(name) || isKnown(chosen)) return
    seen.add(name)
    const scene = sceneOf(ground, chosen)
    const needs = needsOf(ground, profile, scene)
    if (needs.length === 0) report(chosen)
    if (needs.length === 0 || chosen.length === longest) return
    const [narrowest] = needs
      .map((need) => helpful(ground, scene, chosen, need))
      .sort((a, b) => a.length - b.length)
    for (const offer of narrowest) visit(inOrder([...chosen, offer]))
  }
  visit([])
}

export function inOrder(offers: readonly Offer[]): readonly Offer[] {
  return [...offers].sort((a, b) => a.position - b.position)
}

/** One submission for each type of evidence, each fraud check once. */
export function isOpen(offer: Offer, chosen: readonly Offer[]): boolean {
  if (offer.evidence === null) return !chosen.includes(offer)
  return chosen.filter((other) => isAlike(other, offer)).length < offer.types.length
}

function isAlike(a: Offer, b: Offer): boolean {
  return a.rule.evidence === b.rule.evidence && a.types[0] === b.types[0]
}

/** Whatever meets the need in the end holds one of these: it meets it itself, or betters something that then does. */
function helpful(ground: Ground, scene: Scene, chosen: readonly Offer[], need: Need): readonly Offer[] {
  const bettered = scene.pieces.filter(({ best }) => need.byPiece(best)).map(({ best }) => best.piece.kind)
  const betters = ({ rule: { evidence: kind } }: Offer): boolean =>
    (kind === 'ANTIFRAUD' && bettered.length > 0) ||
    (kind === 'PORTRAIT' && bettered.includes('ID_DOCUMENT')) ||
    (kind === 'ID_DOCUMENT' && bettered.includes('PORTRAIT'))
  return ground.offers.filter(
    (offer) =>
      isOpen(offer, chosen) &&
      (offer.evidence
        ? need.byPiece(atBest(ground, { evidence: offer.evidence, given: [] })) || betters(offer)
        : need.byFraudCheck(offer) || betters(offer)),
  )
}

function needsOf(ground: Ground, profile: Profile, scene: Scene): readonly Need[] {
  const { policy } = ground
  const ofFraud = scalesOfFraudChecks(policy.scales, scene.fraudPassed)
  const scales = Object.entries(profile.scales ?? {})
    .filter(([scale, needed]) => {
      const reached = scene.pieces.map(({ piece }) => piece.scales[scale] ?? 0)
      return Math.max(0, ofFraud[scale] ?? 0, ...reached) < needed
    })
    .map(([scale, needed]) => scaleNeed(policy, scale, needed))
  const fitting = profile.pieces.map((rule) => [
    ...new Set(scene.pieces.filter(({ piece }) => fits(rule, piece.piece)).map(({ slot }) => slot)),
  ])
  const short = unmatched(fitting).map((index) => profile.pieces[index])
  return short.length > 0 ? [...scales, pieceNeed(short)] : scales
}

function pieceNeed(rules: readonly PieceRule[]): Need {
  return { byPiece: ({ piece }) => rules.some((rule) => fits(rule, piece)), byFraudCheck: () => false }
}

function scaleNeed({ scales }: Policy, scale: string, needed: number): Need {
  const asked = scales
    .filter((rule) => rule.evidence === 'ANTIFRAUD' && rule.scale === scale && rule.value >= needed)
    .flatMap(({ requires }) => requires ?? [])
  return {
    byPiece: (piece) => (piece.scales[scale] ?? 0) >= needed,
    byFraudCheck: ({ rule }) => rule.checks.some((check) => asked.includes(check)),
  }
}

function sceneOf(ground: Ground, chosen: readonly Offer[]): Scene {
  const added = chosen.flatMap(({ evidence }) => evidence ?? [])
  const shown = unique(added.filter(({ kind }) => kind === 'PORTRAIT').flatMap(holderShownBy))
  const found = unique(chosen.flatMap(({ rule, evidence }) => (evidence ? [] : rule.checks)))
  const documentScore = added
    .filter(({ kind }) => kind === 'ID_DOCUMENT')
    .map(({ score }) => score)
    .reduce(higherOf, LEVELS[0])
  const scored = ({ kind, score }: EvidenceFacts, least: Level): Level =>
    kind === 'PORTRAIT' ? higherOf(score, higherOf(documentScore, least)) : score
  const known = ground.counted.map(({ evidence, given }) => {
    const also = canBeCompared(evidence) ? shown : []
    const piece = pieceWith(ground, evidence, [...given, ...also, ...found], scored(evidence, LEVELS[0]))
    return { piece, slot: slotOf(evidence), best: atBest(ground, { evidence, given }) }
  })
  const fresh = chosen.flatMap((offer, index) => {
    const { evidence, types } = offer
    if (!evidence) return []
    const also = evidence.kind === 'ID_DOCUMENT' ? [...ground.shown, ...shown] : []
    const piece = pieceWith(ground, evidence, [...also, ...found], scored(evidence, ground.documentScore))
    const before = chosen.slice(0, index).filter((other) => isAlike(other, offer)).length
    const slot = slotOf({ kind: evidence.kind, type: types[before] })
    return [{ piece, slot, best: atBest(ground, { evidence, given: [] }) }]
  })
  return { pieces: [...known, ...fresh], fraudPassed: [...ground.fraudPassed, ...found] }
}

/** There is a portrait on it. */
export function canBeCompared({ kind, codingQuality }: EvidenceFacts): boolean {
  return kind === 'ID_DOCUMENT' && codingQuality > 0
}

/** More than any submission could make of it. */
function atBest(ground: Ground, { evidence, given }: Known): Piece {
  const found = ground.offers.flatMap(({ rule, evidence: piece }) => (piece ? [] : rule.checks))
  const shown = evidence.kind === 'ID_DOCUMENT' ? Object.keys(DERIVED_CHECKS) : []
  const score = evidence.kind === 'PORTRAIT' ? LEVELS[LEVELS.length - 1] : evidence.score
  return pieceWith(ground, evidence, [...given, ...shown, ...found], score)
}

function pieceWith(
  { policy, pieces }: Ground,
  evidence: EvidenceFacts,
  given: readonly string[],
  score: Level,
): Piece {
  const name = [evidence.id, score, ...given].join(' ')
  const before = pieces.get(name)
  if (before) return before
  const piece = pieceOf(policy, evidence, given, score)
  const made = { piece, scales: scalesOfPiece(policy.scales, piece) }
  pieces.set(name, made)
  return made
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)]
}
