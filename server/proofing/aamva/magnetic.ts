/**
 * Parses the three tracks of a magnetic stripe (AAMVA DL/ID, annex on magnetic encoding), which some issuers print as a
 * barcode and some scanners read from the stripe.
 */
import type { AamvaFacts } from './facts.ts'
import { countryOfState, findIssuer } from './issuers.ts'
import { readNames } from './names.ts'

/** State, city (max. 13) and name (max. 35; shorter ones end with ^), address (max. 29). */
const TRACK_1 = /%([A-Z]{2})([^^?]{13}|[^^?]{0,12}\^)([^^?]{35}|[^^?]{0,34}\^)([^^?]{0,29})\^?\?/
/** Issuer, number, expiry as year and month, full birth date, remainder of a long number. */
const TRACK_2 = /;(\d{6})(\d{1,13})=(\d{2})(\d{2})(\d{4})(\d{2})(\d{2})=?(\d{0,5})=?\?/
/** Versions, postcode, class, restrictions, endorsements, sex. */
const TRACK_3 = /[%#+!"]\d.(.{11}).{2}.{10}.{4}([12MF])/

/** Returns null if the text has no such tracks, or name or number is missing. */
export function parseMagnetic(text: string): AamvaFacts | null {
  const first = TRACK_1.exec(text)
  const second = TRACK_2.exec(text)
  if (!first || !second) return null
  const [, state, city, name, street] = first
  const [, iin, number, expiryYear, expiryMonth, birthYear, birthMonth, birthDay, rest] = second
  const issuer = findIssuer(iin)
  const jurisdiction = issuer?.jurisdiction ?? state
  const names = readNames((id) => (id === 'DAA' ? name.replace('^', '') : null), jurisdiction)
  if (!names) return null
  const birthDate = toDay(birthYear, birthMonth, birthDay)
  const [, postcode, sex] = TRACK_3.exec(text.slice(second.index + second[0].length)) ?? []
  return {
    version: 0,
    iin,
    country: issuer?.country ?? countryOfState(state) ?? 'USA',
    jurisdiction,
    kind: 'DRIVING_LICENSE',
    documentNumber: number + rest,
    surname: names.surname,
    givenNames: names.givenNames,
    nameMayBeTruncated: names.fillsElement,
    suffix: names.suffix,
    birthDate,
    issueDate: null,
    expiryDate: readExpiry(expiryYear, expiryMonth, birthDate),
    sex: sex === undefined ? null : /[1M]/.test(sex) ? 'M' : 'F',
    address: {
      streetLines: street
        .split('$')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
      city: city.replace('^', '').trim(),
      state,
      postcode: postcode?.trim() ?? null,
    },
    discriminator: null,
    deviations: ['MAGNETIC_STRIPE', ...(issuer ? [] : ['ISSUER_UNKNOWN']), ...names.deviations],
  }
}

/** Month 77: no expiry. 88: last day of the birth month. 99: the birthday. Otherwise the last day of the month. */
function readExpiry(year: string, month: string, birthDate: string | null): string | null {
  const full = `20${year}`
  if (month === '77') return null
  if (month === '99' || month === '88') {
    if (birthDate === null) return null
    const [, birthMonth, birthDay] = birthDate.split('-')
    return month === '99' ? toDay(full, birthMonth, birthDay) : toLastDay(full, birthMonth)
  }
  return toLastDay(full, month)
}

function toLastDay(year: string, month: string): string | null {
  const number = Number(month)
  if (number < 1 || number > 12) return null
  return toDay(year, month, String(new Date(Date.UTC(Number(year), number, 0)).getUTCDate()))
}

function toDay(year: string, month: string, day: string): string | null {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isDay = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
  return isDay && Number(year) >= 1900 ? at.toISOString().slice(0, 10) : null
}
