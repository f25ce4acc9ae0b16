/** Writes values of a document in the form that US motor vehicle administrations expect. Pure. */
import type { IssuerField } from '../../proofing/issuer-answer.ts'
import { isUnitedStatesState } from '../../proofing/issuing-states.ts'

type Writer = (value: string, issuingState: string) => string | null

const writeDate: Writer = (value) => (/^\d{4}-\d{2}-\d{2}$/.test(value) ? value : null)

const WRITERS: Readonly<Partial<Record<IssuerField, Writer>>> = {
  documentNumber: writeNumber,
  dateOfBirth: writeDate,
  issueDate: writeDate,
  expiryDate: writeDate,
  // The service has no code for X.
  sex: (value) => ({ M: '1', F: '2' })[value] ?? null,
  height: writeHeight,
  eyeColour: (value) => EYE_COLOURS[value.trim().toUpperCase()] ?? null,
  addressState: (value) => (isUnitedStatesState(value) ? value : null),
  postcode: (value) => (/^\d{5}(-?\d{4})?$/.test(value) ? value.replace('-', '') : null),
}

/** Null: the service has no form for this value, so it is not sent. */
export function writeOwnForm(field: IssuerField, value: string, issuingState: string): string | null {
  const write = WRITERS[field]
  return write ? write(value, issuingState) : value
}

/**
 * Letters and digits alone. South Carolina keeps eight digits, with zeros in front that its cards leave out (18F/identity-idp,
 * `verification_request.rb`).
 */
function writeNumber(value: string, issuingState: string): string {
  const plain = value.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase()
  return issuingState === 'SC' ? plain.padStart(8, '0') : plain
}

const CM_PER_INCH = 2.54

/** Feet and two digits of inches: 510 for 5′10″ (SheerID's documentation of the service). Null without a unit. */
function writeHeight(value: string): string | null {
  const inches = readInches(value.trim().toLowerCase())
  if (inches === null || inches < 12 || inches > 107) return null
  return `${Math.floor(inches / 12)}${String(inches % 12).padStart(2, '0')}`
}

function readInches(text: string): number | null {
  const [, feet, inches] = /^(\d)\s?(?:'|′|-|ft)\s?(\d{1,2})\s?(?:"|″|in)?$/.exec(text) ?? []
  if (feet !== undefined) return Number(feet) * 12 + Number(inches)
  const [, size, unit] = /^(\d{1,3})\s?(in|cm)$/.exec(text) ?? []
  if (size === undefined) return null
  return unit === 'in' ? Number(size) : Math.round(Number(size) / CM_PER_INCH)
}

/** Codes of ANSI D20, by code and by word. */
const EYE_COLOURS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['BLK', 'BLU', 'BRO', 'DIC', 'GRN', 'GRY', 'HAZ', 'MAR', 'PNK'].map((code) => [code, code]),
  ),
  BLACK: 'BLK',
  BLUE: 'BLU',
  BROWN: 'BRO',
  DICHROMATIC: 'DIC',
  GREEN: 'GRN',
  GRAY: 'GRY',
  GREY: 'GRY',
  HAZEL: 'HAZ',
  MAROON: 'MAR',
  PINK: 'PNK',
}

/** Suffixes of ANSI D20, which cards print behind the surname. */
const SUFFIX = /^(.+) (JR|SR|I{1,3}|IV|VI{0,3}|IX|[1-9](?:ST|ND|RD|TH))\.?$/i

export function splitSuffix(surname: string): { readonly surname: string; readonly suffix?: string } {
  const [, name, suffix] = SUFFIX.exec(surname.trim()) ?? []
  return name === undefined || suffix === undefined
    ? { surname }
    : { surname: name, suffix: suffix.toUpperCase() }
}
