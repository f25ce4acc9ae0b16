/**
 * Splits a card's text whose separators were lost, choosing the division in which most values match their element's
 * format.
 */

type Form = readonly [pattern: RegExp, weight: number]

/** A value rarely matches such a format by chance. */
const STRICT = 4
const LOOSE = 1
/** A name followed by an impossible value was no element name. */
const MISFIT = -6

const DATE: Form = [/^(\d{8}|NONE)?$/, STRICT]
const FLAG: Form = [/^[TNU]$/, STRICT]
const ANSWER: Form = [/^[01FNMY]?$/, STRICT - 1]
const COLOUR: Form = [/^([A-Z]{3}|NONE)?$/, STRICT - 1]
const NAME: Form = [/^[^\d@]{0,80}$/, LOOSE]
const TEXT: Form = [/^.{0,40}$/s, LOOSE]

const FORMS: Readonly<Record<string, Form>> = {
  DAA: NAME,
  DAB: NAME,
  DAC: NAME,
  DAD: NAME,
  DCS: NAME,
  DCT: NAME,
  DAE: [/^[A-Z\d]{0,5}$/, LOOSE],
  DCU: [/^([A-Z\d]{1,5})?$/, LOOSE],
  DBA: DATE,
  DBB: DATE,
  DBD: DATE,
  DDB: DATE,
  DDC: DATE,
  DDH: DATE,
  DDI: DATE,
  DDJ: DATE,
  DBC: [/^[129MFX0]$/, STRICT],
  DAY: COLOUR,
  DAZ: COLOUR,
  DAU: [/^(\d{3} ?(IN|CM|in|cm)?|\d{2,3})?$/, STRICT],
  DAG: TEXT,
  DAH: TEXT,
  DAI: [/^[^\d]{0,25}$/, LOOSE],
  DAJ: [/^[A-Z]{2}$/, STRICT],
  DAK: [/^(\d{5}[-\d ]{0,7}|[A-Z]\d[A-Z] ?\d[A-Z]\d *)$/, STRICT],
  DAQ: [/^[A-Z\d* -]{4,25}$/, LOOSE + 1],
  DCG: [/^(USA|CAN|CDN)$/, STRICT],
  DCF: TEXT,
  DCK: TEXT,
  DCJ: TEXT,
  DDE: FLAG,
  DDF: FLAG,
  DDG: FLAG,
  DDA: ANSWER,
  DDD: ANSWER,
  DDK: ANSWER,
  DDL: ANSWER,
  DBH: ANSWER,
  DBF: [/^\d{2}$/, LOOSE],
  DCA: [/^[A-Z\d* ]{0,6}$/, LOOSE],
  DCB: [/^[A-Z\d* /]{0,12}$/, LOOSE],
  DCD: [/^[A-Z\d* ]{0,5}$/, LOOSE],
  DAR: [/^[A-Z\d* ]{0,4}$/, LOOSE],
  DAS: [/^[A-Z\d*/ ]{0,10}$/, LOOSE],
  DAT: [/^[A-Z\d* -]{0,5}$/, LOOSE],
  DAW: [/^\d{2,3}$/, LOOSE + 1],
  DAX: [/^\d{2,3}$/, LOOSE + 1],
  DCE: [/^\d?$/, LOOSE + 1],
  DCH: [/^[A-Z\d* ]{0,5}$/, LOOSE],
  DCI: TEXT,
  DCL: [/^[A-Z]{0,3}$/, LOOSE],
}

/** Spaces and characters that replaced the separator. */
const SEPARATORS = /[\s|;~^]+$/

/** Longer than any card: a PDF417 symbol holds 1850 letters. The rest is ignored. */
const LONGEST = 2000

/** Longest value (given names, 80) with its name and some spaces. */
const WIDEST = 90

export function segment(text: string): readonly (readonly [id: string, value: string])[] {
  const body = text.slice(0, LONGEST)
  const places = [...body.matchAll(/(?=(D[A-D][A-Z]))/g)]
    .map((match) => ({ at: match.index, id: match[1] }))
    .filter(({ id }) => id in FORMS)
  // Best division of the remaining text, computed from the end.
  const best: { score: number; next: number }[] = []
  for (let i = places.length - 1; i >= 0; i--) {
    best[i] = { score: weigh(places[i].id, body.slice(places[i].at + 3)), next: places.length }
    for (let j = i + 1; j < places.length; j++) {
      if (places[j].at < places[i].at + 3) continue
      if (places[j].at > places[i].at + WIDEST) break
      const score = weigh(places[i].id, body.slice(places[i].at + 3, places[j].at)) + best[j].score
      // The longer value wins a tie: names begin with D less often than they end with a vowel.
      if (score >= best[i].score) best[i] = { score, next: j }
    }
  }
  const found: (readonly [string, string])[] = []
  let i = best.reduce((top, { score }, at) => (score > (best[top]?.score ?? 0) ? at : top), 0)
  while (i < places.length) {
    const { next } = best[i]
    found.push([places[i].id, body.slice(places[i].at + 3, places[next]?.at).replace(SEPARATORS, '')])
    i = next
  }
  return found
}

function weigh(id: string, value: string): number {
  const [pattern, weight] = FORMS[id]
  return pattern.test(value.replace(SEPARATORS, '')) ? weight : MISFIT
}
