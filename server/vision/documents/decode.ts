/**
 * Owns the step from character probabilities to a reading: field alphabets, names' grammar, known issuers, check digits.
 * Never hides what it changed: the unrepaired reading and every repaired place go with the result.
 */
import { allChecksPass } from '../../proofing/mrz/checks.ts'
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
  /** Probability of the character chosen, 0–1, times that of there being one. */
  readonly confidence: readonly (readonly number[])[]
  /** To the next best reading that passes all checks; 0 when this one does not. */
  readonly marginNats: number
  /** Mean logarithm of the chosen characters' probabilities: 0 is perfect. */
  readonly meanLogProbability: number
}

/** A character that its field cannot hold is less likely by this much; a few states print such things. */
const FOREIGN_COST = 6
/** … but a filler where a check digit belongs is a known deviation. */
const SOFT_COST = 2.5
/** A letter after three fillers in a name, against the rule that fillers only fill up. */
const LETTER_AFTER_END_COST = 6
/** How much worse a known state's code may fit than the plainly best letters. */
const KNOWN_CODE_GAIN = 4
/** A repair may cost this much in all; a surely read digit that is wrong on the document itself stays as it is. */
const REPAIR_BUDGET = 5
/** … and must be better than any other repair by this much. */
const REPAIR_LEAD = 1.5
/** Other readings are looked for up to this distance: beyond it a lead is as good as any. */
const MAX_MARGIN = 14
/** Places and characters that a repair tries: the doubtful ones first. */
const MAX_ALTERNATIVES = 60

type Costs = readonly (readonly Float64Array[])[]

/** `byChecks` false leaves the check digits out: quick, for comparing proposals. */
export function decodeSlots(format: MrzFormat, slots: readonly Slots[], byChecks: boolean): Decoded {
  const costs = costGrid(format, slots)
  const start = chooseByRules(format, costs)
  const { lines, margin } = byChecks ? chooseByChecks(format, costs, start) : { lines: start, margin: 0 }
  const rawLines = slots.map(rawLine)
  const chosen = lines.map((line, l) => [...line].map((c, i) => slots[l].probabilities[i][indexOf(c)]))
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

/** The likeliest characters with no rule applied. */
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

/** Letters and digits of nearly one shape in OCR-B, and what a character gets from its twin where that cannot stand. */
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
    if (!allowed.includes(digit)) out[indexOf(letter)] += share * p[indexOf(digit)]
    if (!allowed.includes(letter)) out[indexOf(digit)] += share * p[indexOf(letter)]
  }
  return out
}

function foreignCost(alphabet: Alphabet, allowed: string, character: string): number {
  if (!allowed.includes(character)) return FOREIGN_COST
  // Fillers are rare in dates, X is rare as a sex.
  const isRare = (alphabet === 'date' && character === '<') || (alphabet === 'sex' && character === 'X')
  return isRare ? SOFT_COST : 0
}

/** The cheapest lines by field, with names that end at their fillers and states that exist. */
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

/** Viterbi over the number of fillers seen in a row: after three of them nothing but fillers may follow, or dearly. */
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
  const costOf = (code: string) => [...code].reduce((sum, c, i) => sum + places[i][indexOf(c)], 0)
  const plain = places.map((place) => CLASS_CHARACTERS[cheapest(place)]).join('')
  const known = CODES.reduce((best, code) => (costOf(code) < costOf(best) ? code : best))
  return [...(costOf(known) - costOf(plain) < KNOWN_CODE_GAIN ? known : plain)]
}

interface Change {
  readonly line: number
  readonly column: number
  readonly character: string
  readonly cost: number
}

/**
 * The start when its checks pass; else the cheapest set of up to three changes that makes them pass, if it is cheap and
 * clearly the best such set. Check digits cannot see slips inside their blind groups, so the margin counts every change
 * that keeps all checks passing, of names too.
 */
function chooseByChecks(
  format: MrzFormat,
  costs: Costs,
  start: string[],
): { lines: string[]; margin: number } {
  const changes = alternatives(costs, start)
  const passing = passingReadings(format, start, changes)
  if (allChecksPass(start, format))
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
      const now = place[indexOf(start[line][column])]
      place.forEach((cost, c) => {
        const character = CLASS_CHARACTERS[c]
        // A start dearer than another character was chosen by a rule: going back is no gain.
        if (character !== start[line][column] && cost - now < MAX_MARGIN)
          changes.push({ line, column, character, cost: Math.max(0.01, cost - now) })
      })
    })
  })
  return changes.sort((a, b) => a.cost - b.cost).slice(0, MAX_ALTERNATIVES)
}

/**
 * All readings within the budget that pass every check, cheapest first, the start itself left out: one change among
 * all, two among many, three among few of the most doubtful places.
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
      else if (allChecksPass(changed, format)) found.push({ lines: changed, cost: cost + changes[i].cost })
    }
  }
  DOUBTFUL_PLACES.forEach((places, i) => tryAll(start, 0, 0, Math.min(places, changes.length), i + 1))
  return found.sort((a, b) => a.cost - b.cost)
}
/** Alternatives tried when one, two or three characters change together: about 60, 1000 and 800 trials. */
const DOUBTFUL_PLACES = [60, 45, 18]

function cheapest(place: Float64Array): number {
  let best = 0
  for (let c = 1; c < place.length; c++) if (place[c] < place[best]) best = c
  return best
}
function indexOf(character: string): number {
  return CLASS_CHARACTERS.indexOf(character)
}
