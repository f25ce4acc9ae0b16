/**
 * Formats of driving licence numbers by issuer. Collected from vendors and open software, not official, so another format
 * is only a warning.
 */
interface NumberForms {
  readonly licence: RegExp
  /** For cards with their own number. */
  readonly card?: RegExp
}

/** FrankieOne's documentation; lengths agree with the pattern lists of Trellix and Microsoft Purview. */
const AUSTRALIA: Readonly<Record<string, NumberForms>> = {
  ACT: { licence: /^\d{1,10}$/, card: /^[A-Z\d]{10}$/ },
  NSW: { licence: /^[A-Z\d]{6,8}$/, card: /^\d{10}$/ },
  NT: { licence: /^\d{1,10}$/, card: /^\d{6,8}$/ },
  QLD: { licence: /^\d{8,9}$/, card: /^[A-Z\d]{10}$/ },
  SA: { licence: /^[A-Z\d]{6}$/, card: /^[A-Z\d]{9}$/ },
  TAS: { licence: /^[A-Z\d]{6,8}$/, card: /^[A-Z\d]{9}$/ },
  VIC: { licence: /^\d{1,10}$/, card: /^[A-Z\d]{8}$/ },
  WA: { licence: /^\d{7}$/, card: /^[A-Z\d]{8,10}$/ },
}

/** SeanPVera/aamva-pdf417-generator; New Hampshire's second format as on newer cards. One line is `states format`. */
const UNITED_STATES = parseForms(`
AL \\d{1,8}
AK \\d{7}
AZ [A-Z]\\d{8}|\\d{9}
AR \\d{4,9}
CA [A-Z]\\d{7}
CO \\d{9}|[A-Z]\\d{3,6}
CT,MS,NY \\d{9}
DE \\d{1,7}
DC \\d{7}|\\d{9}
FL,MD,MI,MN [A-Z]\\d{12}
GA,TN \\d{7,9}
HI,KS,KY,MA,VA [A-Z]\\d{8}|\\d{9}
ID [A-Z]{2}\\d{6}[A-Z]|\\d{9}
IL [A-Z]\\d{11,12}|\\d{11}[A-Z]
IN \\d{10}|[A-Z]\\d{9}
IA [A-Z\\d]{9}
LA,OR \\d{1,9}
ME \\d{7}Y?
MO [A-Z]\\d{5,9}|\\d{8,9}
MT \\d{9}|[A-Z\\d]{13,14}
NE [A-Z]\\d{6,8}
NV \\d{9,12}|X\\d{8}
NH \\d{2}[A-Z]{3}\\d{5}|NH[A-Z]\\d{8}
NJ [A-Z]\\d{14}
NM \\d{8,9}
NC \\d{1,12}
ND [A-Z]{3}\\d{6}|\\d{9}
OH [A-Z]{2}\\d{6}
OK [A-Z]\\d{9}|\\d{9}
PA,TX \\d{8}
RI V\\d{6}|\\d{7}
SC \\d{5,11}
SD \\d{6,10}
UT \\d{4,10}
VT \\d{8}|\\d{7}A
WA [A-Z*][A-Z\\d*]{4,11}
WV [A-Z]\\d{6}|\\d{7}
WI [A-Z]\\d{13}
WY \\d{9,10}
AS,GU,MP,PR,VI \\d{1,9}`)

/** Commonly published formats; no single source lists them all. */
const CANADA = parseForms(`
AB \\d{5,9}
BC \\d{7}
MB [A-Z*]{6}[A-Z\\d*]{6}
NB \\d{5,7}
NL [A-Z]\\d{9}
NS [A-Z]{5}\\d{9}
ON [A-Z]\\d{14}
PE \\d{1,6}
QC [A-Z]\\d{12}
SK \\d{8}
YT \\d{1,6}`)

/** Sixteen DVLA characters, optionally followed by a two-digit issue number; eight digits in Northern Ireland. */
const UNITED_KINGDOM: NumberForms = {
  licence: /^([A-Z][A-Z9]{4}\d[0156]\d[0-3]\d{2}[A-Z9]{2}[A-Z\d]{3}(\d{2})?|\d{8})$/,
}

const BY_STATE: Readonly<Record<string, Readonly<Record<string, NumberForms>>>> = {
  AUS: AUSTRALIA,
  USA: UNITED_STATES,
  CAN: CANADA,
}

function parseForms(table: string): Readonly<Record<string, NumberForms>> {
  const rows = table.trim().split('\n')
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [states, form] = row.split(' ')
      return states.split(',').map((state) => [state, { licence: new RegExp(`^(${form})$`) }])
    }),
  )
}

export interface LicenceIssuer {
  /** Alpha-3. */
  readonly issuingCountry?: string
  readonly issuingState?: string
}

/** Returns null if this issuer's format is unknown. Ignores spaces, hyphens and case. */
export function hasLicenceForm(
  number: string,
  which: keyof NumberForms,
  issuer: LicenceIssuer,
): boolean | null {
  const form = formsFor(issuer)?.[which]
  return form ? form.test(plainNumber(number)) : null
}

/**
 * Tells what is unusual about a typed card number: it has another form than such cards of this issuer, or it is the number of the document
 * itself, which also stands on the card. Null: nothing, or the form is unknown.
 */
export function judgeCardNumber(
  cardNumber: string,
  document: LicenceIssuer & { readonly idDocumentType: string; readonly idDocumentNumber?: string },
): 'OTHER_FORM' | 'DOCUMENT_NUMBER' | null {
  const { idDocumentType, idDocumentNumber } = document
  if (idDocumentNumber !== undefined && plainNumber(cardNumber) === plainNumber(idDocumentNumber))
    return 'DOCUMENT_NUMBER'
  const isLicence = idDocumentType === 'DRIVING_LICENSE'
  return isLicence && hasLicenceForm(cardNumber, 'card', document) === false ? 'OTHER_FORM' : null
}

function formsFor({ issuingCountry = '', issuingState = '' }: LicenceIssuer): NumberForms | undefined {
  return issuingCountry === 'GBR' ? UNITED_KINGDOM : BY_STATE[issuingCountry]?.[issuingState]
}

/** Removes separators. */
export function plainNumber(number: string): string {
  return number.replace(/[\s-]/g, '').toUpperCase()
}
