/**
 * Which submissions meet a profile together with what is there: a search that only ever adds what can help with something that
 * is still missing, the least first. Finds all smallest sets. Knows one profile and one set of evidence that agrees.
 */
import { scalesOfFraudChecks } from './marks.ts'
import type { Offer } from './offers.ts'
import type { PieceRule, Policy, Profile } from './policy.ts'
import { unmatched } from './profiles.ts'
import { atBest, fitsRule, isAlike, sceneWith, type Ground, type Piece, type Scene } from './scene.ts'

/** Something that a profile still lacks: whether a piece would help with it, or a fraud check. */
interface Need {
  readonly byPiece: (piece: Piece) => boolean
  readonly byFraudCheck: (offer: Offer) => boolean
}

/**
 * @param longest submissions in one set, at most
 * @param isKnown a set that need not be looked at: it is, or asks for more than, one that was found
 */
export function searchPaths(
  ground: Ground,
  profile: Profile,
  longest: number,
  isKnown: (chosen: readonly Offer[]) => boolean,
  report: (found: readonly Offer[]) => void,
): void {
  let open = new Map<string, readonly Offer[]>([['', []]])
  for (let length = 0; length <= longest; length++) {
    const longer = new Map<string, readonly Offer[]>()
    for (const chosen of [...open.values()].sort(fewestChecks)) {
      if (isKnown(chosen)) continue
      const scene = sceneWith(ground, chosen)
      const needs = needsOf(ground, profile, scene)
      if (needs.length === 0) report(chosen)
      if (needs.length === 0 || length === longest) continue
      for (const offer of narrowest(needs.map((need) => helpful(ground, scene, chosen, need)))) {
        const next = inOrder([...chosen, offer])
        longer.set(nameOf(next), next)
      }
    }
    open = longer
  }
}

export function inOrder(offers: readonly Offer[]): readonly Offer[] {
  return [...offers].sort((a, b) => a.position - b.position)
}

/** Of offers in order. */
export function nameOf(offers: readonly Offer[]): string {
  return offers.map(({ position }) => position).join(' ')
}

/** One submission for each type of evidence, each fraud check once. */
export function isOpen(offer: Offer, chosen: readonly Offer[]): boolean {
  if (offer.evidence === null) return !chosen.includes(offer)
  return chosen.filter((other) => isAlike(other, offer)).length < offer.types.length
}

/** Then those that ask for more are known when their turn comes. */
function fewestChecks(a: readonly Offer[], b: readonly Offer[]): number {
  const checks = (set: readonly Offer[]): number => set.reduce((sum, { rule }) => sum + rule.checks.length, 0)
  return checks(a) - checks(b)
}

function narrowest(choices: readonly (readonly Offer[])[]): readonly Offer[] {
  return choices.reduce((best, next) => (next.length < best.length ? next : best))
}

/** Whatever meets the need in the end holds one of these: it meets it itself, or betters something that then does. */
function helpful(ground: Ground, scene: Scene, chosen: readonly Offer[], need: Need): readonly Offer[] {
  const bettered = scene.pieces.filter(({ best }) => need.byPiece(best)).map(({ best }) => best.piece.kind)
  const betters = ({ rule: { evidence: kind } }: Offer): boolean =>
    (kind === 'ANTIFRAUD' && bettered.length > 0) ||
    (kind === 'PORTRAIT' && bettered.includes('ID_DOCUMENT')) ||
    (kind === 'ID_DOCUMENT' && bettered.includes('PORTRAIT'))
  const helps = (offer: Offer): boolean => {
    const member = ground.offered[offer.position]
    return member ? need.byPiece(atBest(ground, member)) : need.byFraudCheck(offer)
  }
  return ground.offers.filter((offer) => isOpen(offer, chosen) && (betters(offer) || helps(offer)))
}

function needsOf({ policy }: Ground, profile: Profile, { pieces, fraudPassed }: Scene): readonly Need[] {
  const ofFraud = scalesOfFraudChecks(policy.scales, fraudPassed)
  const scales = Object.entries(profile.scales ?? {})
    .filter(
      ([scale, needed]) =>
        (ofFraud[scale] ?? 0) < needed && !pieces.some(({ now }) => (now.scales[scale] ?? 0) >= needed),
    )
    .map(([scale, needed]) => scaleNeed(policy, scale, needed))
  const fitting = profile.pieces.map((rule) =>
    pieces.filter(({ now }) => fitsRule(rule, now)).map(({ slot }) => slot),
  )
  const short = unmatched(fitting).map((index) => profile.pieces[index])
  return short.length > 0 ? [...scales, pieceNeed(short)] : scales
}

function pieceNeed(rules: readonly PieceRule[]): Need {
  return { byPiece: (piece) => rules.some((rule) => fitsRule(rule, piece)), byFraudCheck: () => false }
}

function scaleNeed({ scales }: Policy, scale: string, needed: number): Need {
  const asked = scales
    .filter((rule) => rule.evidence === 'ANTIFRAUD' && rule.scale === scale && rule.value >= needed)
    .flatMap(({ requires }) => requires ?? [])
  return {
    byPiece: ({ scales: reached }) => (reached[scale] ?? 0) >= needed,
    byFraudCheck: ({ rule }) => rule.checks.some((check) => asked.includes(check)),
  }
}
