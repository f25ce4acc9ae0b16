/**
 * Converts character probabilities to an MRZ reading with field alphabets, name grammar, known issuers and check digits.
 * Always returns the unrepaired reading and every repaired place as well.
 */
import { doAllChecksPass } from '../../proofing/mrz/checks.ts'
import { ALPHABETS, MRZ_LAYOUTS, alphabetGrid, type Alphabet } from '../../proofing/mrz/fields.ts'
import type { MrzFormat } from '../../proofing/mrz/format.ts'
import { printedCodes } from '../../proofing/mrz/issuers.ts'
import { CHARACTERS, type Slots } from './lattice.ts'
import { CLASS_CHARACTERS } from './tools.ts'
import { mean } from './percentiles.ts'

export interface Decoded {
  readonly lines: readonly string[]
  readonly rawLines: readonly string[]
  readonly repaired: readonly { readonly line: number; readonly column: number }[]
  /** Probability of the chosen character (0–1) times the probability that there is a character. */
  readonly confidence: readonly (readonly number[])[]
  /** Distance in nats to the next best reading that passes all checks; 0 if this one does not pass. */
  readonly marginNats: number
  /** Mean log probability of the chosen characters; 0 is perfect. */
  readonly meanLogProbability: number
}

/** Cost of a character outside its field's alphabet. A few states print such characters. */
const FOREIGN_COST = 6
/** Lower cost for a filler in place of a check digit, a known deviation. */
const SOFT_COST = 2.5
/** Cost of a letter after three fillers in a name, which the name grammar forbids. */
const LETTER_AFTER_END_COST = 6
/** A known state's code may cost this much more than the most likely letters. */
const KNOWN_CODE_GAIN = 4
/** Maximum total cost of a repair, so that a clearly read wrong digit on the document itself is kept. */
const REPAIR_BUDGET = 5
/** Minimum lead of a repair over any other repair. */
const REPAIR_LEAD = 1.5
/** Other readings are searched up to this distance; larger leads are equivalent. */
const MAX_MARGIN = 14
/** Maximum number of alternatives that a repair tries, most doubtful first. */
const MAX_ALTERNATIVES = 60

type Costs = readonly (readonly Float64Array[])[]

/** `byChecks` false skips the check digits: fast, for comparing proposals. */
export function decodeSlots(format: MrzFormat, slots: readonly Slots[], byChecks: boolean): Decoded {
  const costs = costGrid(format, slots)
  const start = chooseByRules(format, costs)
  const { lines, margin } = byChecks ? chooseByChecks(format, costs, start) : { lines: start, margin: 0 }
  const rawLines = slots.map(rawLine)
  const chosen = lines.map((line, l) => [...line].map((c, i) => slots[l].probabilities[i][findClass(c)]))
  return {
    lines,
    rawLines,
    repaired: lines.flatMap((line, l) =>
      [...line].flatMap((c, column) => (c === rawLines[l][column] ? [] : [{ line: l, column }])),
    ),
    confidence: chosen.map((row, l) => row.map((p, i) => p * Math.min(1, slots[l].peaks[i]))),
    marginNats: margin,
    meanLogProbability: mean(chosen.flat().map((p) => Math.log(Math.max(p, 1e-6)))),
  }
}

/** Most likely characters without any rule. */
export function rawLine(slots: Slots): string {
  return slots.probabilities.map((p) => CLASS_CHARACTERS[p.indexOf(Math.max(...p))]).join('')
}

function costGrid(format: MrzFormat, slots: readonly Slots[]): Costs {
  const alphabets = alphabetGrid(format)
  return slots.map((line, l) =>
    line.probabilities.map((p, i) => {
      const allowed = ALPHABETS[alphabets[l][i]]
      const shared = withTwins(p, allowed)
      return shared.map(
        (value, c) => -Math.log(value) + foreignCost(alphabets[l][i], allowed, CLASS_CHARACTERS[c]),
      )
    }),
  )
}

/**
 * Characters of similar shape in OCR-B, and the share that a character receives from its twin where the twin is not
 * allowed.
 */
const TWINS = [
  ['0', 'O', 0.3],
  ['0', 'D', 0.05],
  ['0', 'Q', 0.05],
  ['5', 'S', 0.05],
  ['8', 'B', 0.05],
  ['6', 'G', 0.05],
] as const

function withTwins(p: Float64Array, allowed: string): Float64Array {
  const out = p.slice()
  for (const [digit, letter, share] of TWINS) {
    if (!allowed.includes(digit)) out[findClass(letter)] += share * p[findClass(digit)]
    if (!allowed.includes(letter)) out[findClass(digit)] += share * p[findClass(letter)]
  }
  return out
}

function foreignCost(alphabet: Alphabet, allowed: string, character: string): number {
  if (!allowed.includes(character)) return FOREIGN_COST
  // Fillers are rare in dates, and X is rare as a sex.
  const isRare = (alphabet === 'date' && character === '<') || (alphabet === 'sex' && character === 'X')
  return isRare ? SOFT_COST : 0
}

/** Cheapest lines per field, with names that end at their fillers and existing states. */
function chooseByRules(format: MrzFormat, costs: Costs): string[] {
  const lines = costs.map((line) => line.map((place) => CLASS_CHARACTERS[cheapest(place)]))
  for (const { field, line, from, to } of MRZ_LAYOUTS[format].fields) {
    const places = costs[line].slice(from, to)
    if (field === 'names' || field === 'surname' || field === 'givenNames')
      lines[line].splice(from, to - from, ...chooseName(places))
    if (field === 'issuingState' || field === 'nationality')
      lines[line].splice(from, to - from, ...chooseCode(places))
  }
  return lines.map((line) => line.join(''))
}

/** Viterbi over the number of consecutive fillers: after three, anything but a filler is expensive. */
function chooseName(places: readonly Float64Array[]): string[] {
  const FILLER = CHARACTERS - 1
  const ENDED = 3
  let best = [0, Infinity, Infinity, Infinity]
  const back: { from: number; character: number }[][] = []
  for (const place of places) {
    const letter = cheapest(place.subarray(0, FILLER))
    const next = [Infinity, Infinity, Infinity, Infinity]
    const step: { from: number; character: number }[] = Array.from({ length: 4 }, () => ({
      from: 0,
      character: FILLER,
    }))
    for (let run = 0; run <= ENDED; run++) {
      const afterLetter = best[run] + place[letter] + (run === ENDED ? LETTER_AFTER_END_COST : 0)
      if (afterLetter < next[0]) {
        next[0] = afterLetter
        step[0] = { from: run, character: letter }
      }
      const to = Math.min(ENDED, run + 1)
      if (best[run] + place[FILLER] < next[to]) {
        next[to] = best[run] + place[FILLER]
        step[to] = { from: run, character: FILLER }
      }
    }
    back.push(step)
    best = next
  }
  let state = best.indexOf(Math.min(...best))
  const characters: string[] = []
  for (let n = places.length - 1; n >= 0; n--) {
    characters.unshift(CLASS_CHARACTERS[back[n][state].character])
    state = back[n][state].from
  }
  return characters
}

const CODES = printedCodes()

function chooseCode(places: readonly Float64Array[]): string[] {
  const computeCost = (code: string) => [...code].reduce((sum, c, i) => sum + places[i][findClass(c)], 0)
  const plain = places.map((place) => CLASS_CHARACTERS[cheapest(place)]).join('')
  const known = CODES.reduce((best, code) => (computeCost(code) < computeCost(best) ? code : best))
  return [...(computeCost(known) - computeCost(plain) < KNOWN_CODE_GAIN ? known : plain)]
}

interface Change {
  readonly line: number
  readonly column: number
  readonly character: string
  readonly cost: number
}

/**
 * Returns the start if its checks pass; otherwise the cheapest set of up to three changes that makes them pass, if it is
 * cheap and clearly the best. Check digits miss some substitutions, so the margin counts every change that keeps all
 * checks passing, including in names.
 */
function chooseByChecks(
  format: MrzFormat,
  costs: Costs,
  start: string[],
): { lines: string[]; margin: number } {
  const changes = alternatives(costs, start)
  const passing = passingReadings(format, start, changes)
  if (doAllChecksPass(start, format))
    return { lines: start, margin: passing.find((r) => r.cost > 0)?.cost ?? MAX_MARGIN }
  const [best, second] = passing
  if (best === undefined || best.cost > REPAIR_BUDGET) return { lines: start, margin: 0 }
  const margin = (second?.cost ?? MAX_MARGIN) - best.cost
  return margin >= REPAIR_LEAD ? { lines: best.lines, margin } : { lines: start, margin: 0 }
}

function alternatives(costs: Costs, start: readonly string[]): Change[] {
  const changes: Change[] = []
  costs.forEach((places, line) => {
    places.forEach((place, column) => {
      const now = place[findClass(start[line][column])]
      place.forEach((cost, c) => {
        const character = CLASS_CHARACTERS[c]
        // If the start is more expensive than another character, a rule chose it, so reverting is no gain.
        if (character !== start[line][column] && cost - now < MAX_MARGIN)
          changes.push({ line, column, character, cost: Math.max(0.01, cost - now) })
      })
    })
  })
  return changes.sort((a, b) => a.cost - b.cost).slice(0, MAX_ALTERNATIVES)
}

/**
 * All readings within the budget that pass every check, cheapest first, without the start: one change among all places,
 * two among many, three among the few most doubtful.
 */
function passingReadings(
  format: MrzFormat,
  start: readonly string[],
  changes: readonly Change[],
): { lines: string[]; cost: number }[] {
  const found: { lines: string[]; cost: number }[] = []
  const limit = MAX_MARGIN
  const tryAll = (lines: readonly string[], cost: number, from: number, to: number, depth: number) => {
    for (let i = from; i < to && cost + changes[i].cost <= limit; i++) {
      const { line, column, character } = changes[i]
      if (lines[line][column] !== start[line][column]) continue
      const changed = lines.map((text, l) =>
        l === line ? text.slice(0, column) + character + text.slice(column + 1) : text,
      )
      if (depth > 1) tryAll(changed, cost + changes[i].cost, i + 1, to, depth - 1)
      else if (doAllChecksPass(changed, format)) found.push({ lines: changed, cost: cost + changes[i].cost })
    }
  }
  DOUBTFUL_PLACES.forEach((places, i) => tryAll(start, 0, 0, Math.min(places, changes.length), i + 1))
  return found.sort((a, b) => a.cost - b.cost)
}
/**
 * Number of doubtful places that are tried when one, two or three characters change together. This makes about 60,
 * 1000 and 800 trials.
 */
const DOUBTFUL_PLACES = [60, 45, 18]

function cheapest(place: Float64Array): number {
  let best = 0
  for (let c = 1; c < place.length; c++) if (place[c] < place[best]) best = c
  return best
}
function findClass(character: string): number {
  return CLASS_CHARACTERS.indexOf(character)
}
