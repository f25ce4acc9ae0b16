/**
 * Describes levels and their requirements in words, from the policy's rules: sets of submissions, each of
 * which would reach the level. It turns such sets into one sentence; it does not compute them.
 */
import type { LevelsView } from '../../server/counter/contract/levels.ts'
import type { LevelView } from '../../server/counter/contract/today.ts'
import type { Texts } from './text.tsx'
import { checkWord, evidenceWord, spellCode } from './words.ts'

export type Ways = LevelView['upgradePaths'][string]
type Way = Ways[number]
type Piece = Way[number]
type Words = Pick<Texts, 'known' | 't' | 'formats'>

/** Grades of liveness that a person can choose between, the highest first. */
const GRADES = ['LIVENESS_STOPS_OPERATORS', 'LIVENESS_STOPS_REPLAYS']

/**
 * Checks that distinguish one submission from another, most significant first. All other checks happen
 * automatically.
 */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  ID_DOCUMENT: ['NFC_PASSIVE_AUTHENTICATION', 'GIV_VERIFICATION', 'TACTILE_INSPECTION'],
  PORTRAIT: ['NFC_PORTRAIT_MATCH', 'GIV_PORTRAIT_MATCH', 'ATTENDED_CAPTURE', ...GRADES, 'BIOMETRIC_LIVENESS'],
}
/** A comparison with chip or issuer always implies a live face, and a grade those below it. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  NFC_PORTRAIT_MATCH: ['BIOMETRIC_LIVENESS', ...GRADES],
  GIV_PORTRAIT_MATCH: ['BIOMETRIC_LIVENESS', ...GRADES],
  ATTENDED_CAPTURE: ['BIOMETRIC_LIVENESS'],
  LIVENESS_STOPS_OPERATORS: ['BIOMETRIC_LIVENESS', 'LIVENESS_STOPS_REPLAYS'],
  LIVENESS_STOPS_REPLAYS: ['BIOMETRIC_LIVENESS'],
}

/** "substantial (LOA2)"; a label that is the name of a standard stays unchanged. */
export function levelName(
  level: string,
  { levels }: Pick<LevelsView, 'levels'>,
  { known, t }: Words,
): string {
  const label = levels.find(({ name }) => name === level)?.label
  if (label === undefined) return level
  return t('level.named', { label: known(`level-label.${label.replaceAll(' ', '-')}`, label), level })
}

/** "Needs: a document and a live face." Empty if nothing is required, or if the level cannot be reached. */
export function needsSentence(ways: Ways, words: Words): string {
  const sets = easiest(ways).map((way) => pieceWords(way, words))
  if (sets.length === 0) return ''
  const { t, formats } = words
  const [first = []] = sets
  const common = first.filter((word) => sets.every((set) => set.includes(word)))
  const rest = unique(
    sets.map((set) => set.filter((word) => !common.includes(word))).filter((set) => set.length > 0),
  )
  const together = formats.and(common)
  if (rest.length === 0) return t('level.needs', { pieces: together })
  const ways1 = formats.or(rest.map((set) => formats.and(set)))
  return common.length === 0
    ? t('level.needs', { pieces: ways1 })
    : t('level.needs.one-of', { pieces: together, ways: ways1 })
}

/** Removes ways that ask for more than another one, whatever the type of the document. */
function easiest(ways: Ways): readonly Way[] {
  const isMore = (one: Way, other: Way): boolean =>
    other.length <= one.length && other.every((piece) => one.some((more) => asksNoMore(piece, more)))
  return ways.filter(
    (one, at) =>
      !ways.some((other, index) => index !== at && isMore(one, other) && (index < at || !isMore(other, one))),
  )
}

function asksNoMore(one: Piece, other: Piece): boolean {
  const asked = telling(one)
  const given = telling(other)
  return (
    one.evidence === other.evidence &&
    asked.every((check) => given.includes(check) || given.some((more) => INCLUDED[more]?.includes(check)))
  )
}

function telling({ evidence, checks }: Piece): readonly string[] {
  return evidence === 'ANTIFRAUD'
    ? checks
    : (TELLING[evidence] ?? []).filter((check) => checks.includes(check))
}

/** Counts equal pieces: "two documents". */
function pieceWords(way: Way, words: Words): readonly string[] {
  const all = way.map((piece) => pieceWord(piece, words))
  return [...new Set(all)].map((word) => {
    const count = all.filter((other) => other === word).length
    return count === 1 ? word : words.t('level.times', { count, piece: word })
  })
}

/** Describes a submission: "a live face", "an officer who inspects the document". */
export function pieceWord(piece: Piece, words: Words): string {
  const { known, t, formats } = words
  const { evidence } = piece
  if (evidence === 'ANTIFRAUD') {
    const checks = piece.checks.map((check) => known(`fraud-short.${check}`, checkWord(check, words)))
    return t('need.ANTIFRAUD', { checks: formats.list(checks) })
  }
  const [first, ...further] = telling(piece)
  const base = known(`need.${evidence}`, evidenceWord(evidence, words))
  if (first === undefined) return base
  const word = known(`need.${evidence}.${first}`, `${base} (${checkWord(first, words)})`)
  const more = further.filter((check) => !INCLUDED[first]?.includes(check))
  if (more.length === 0) return word
  const conditions = more.map((check) => known(`condition.${check}`, spellCode(check)))
  return t('need.also', { piece: word, conditions: formats.and(conditions) })
}

function unique(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(sets.map((set) => [set.join('\n'), set])).values()]
}
