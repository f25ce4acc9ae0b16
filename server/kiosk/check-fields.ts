/** Lists the values read of a document line by line for the applicant to check. Pure; changes no value. */
import { detectFormat } from '../proofing/mrz/detect.ts'
import { parseMrz } from '../proofing/mrz/parse.ts'
import type { IdDocumentData } from '../proofing/evidence.ts'
import type { CheckField, CheckFieldName } from './contract/visit.ts'
import type { ReadLineView } from './port.ts'

/** Fields that the applicant may correct by typing; for others the document is photographed again. */
const EDITABLE: readonly CheckFieldName[] = [
  'name',
  'givenNames',
  'familyName',
  'birthDate',
  'nationality',
  'sex',
  'address',
]
/** The printed lines of each field. */
const LINES: Readonly<Record<CheckFieldName, readonly string[]>> = {
  name: ['fullName', 'surname', 'givenNames'],
  givenNames: ['givenNames'],
  familyName: ['surname'],
  birthDate: ['birthDate'],
  documentNumber: ['documentNumber'],
  expiryDate: ['expiryDate'],
  issuingCountry: [],
  nationality: ['nationality'],
  sex: ['sex'],
  address: ['address'],
}
/** The VIZ has more information than the MRZ for these: upper and lower case, and marks. */
const SHOWN_AS_PRINTED: readonly CheckFieldName[] = ['name', 'givenNames', 'familyName']
const NAMES: readonly CheckFieldName[] = ['name', 'givenNames', 'familyName']

/** Empty if no value was read that identifies a person. */
export function readFields(data: IdDocumentData, lines: readonly ReadLineView[]): readonly CheckField[] {
  const values = readFieldValues(data)
  const isShort = isShortened(data)
  const said = (Object.keys(LINES) as CheckFieldName[]).filter((name) => name in values)
  if (said.every((name) => values[name] === null)) return []
  return said.map((name): CheckField => {
    const own = lines.filter(({ field }) => LINES[name].includes(field))
    const printed = SHOWN_AS_PRINTED.includes(name)
      ? own.find((line) => line.printed !== null)?.printed
      : null
    return {
      name,
      value: values[name] === null ? null : (printed ?? values[name] ?? null),
      original: null,
      typed: null,
      hardToRead: own.some(({ hardToRead }) => hardToRead),
      hasCrop: own.some(({ hasPlace }) => hasPlace),
      editable: EDITABLE.includes(name),
      shortened: isShort && NAMES.includes(name),
    }
  })
}

/** Returns the line whose picture is shown beside the field; null if none is known. */
export function findLine(name: CheckFieldName, lines: readonly ReadLineView[]): string | null {
  return LINES[name].find((field) => lines.some((line) => line.field === field && line.hasPlace)) ?? null
}

/**
 * A single name is one field: an applicant without a family name, or without given names, sees no blank line.
 */
function readFieldValues(data: IdDocumentData): Partial<Record<CheckFieldName, string | null>> {
  const { personalAttributes: person, address } = data
  const given = person.givenNames?.map(({ value }) => value).join(' ') ?? ''
  const family = person.surname?.value ?? ''
  const whole = person.fullname?.value ?? ''
  const names =
    given !== '' && family !== ''
      ? { givenNames: given, familyName: family }
      : { name: [whole, family, given].find((name) => name !== '') ?? null }
  const street = address?.fullAddress ?? address?.streetDetails?.streetLines.join(', ')
  return {
    ...names,
    birthDate: person.dateOfBirth ? wholeDate(person.dateOfBirth.value) : null,
    documentNumber: data.idDocumentNumber || null,
    expiryDate: data.expiryDate ? wholeDate(data.expiryDate) : null,
    issuingCountry: data.issuingCountry || null,
    ...(person.nationality ? { nationality: person.nationality.value } : {}),
    ...(person.gender ? { sex: person.gender.value } : {}),
    ...(street ? { address: street } : {}),
  }
}

/** yyyy, yyyy-MM or yyyy-MM-dd → yyyy-MM-dd, unknown parts as 00. */
function wholeDate(value: string): string {
  const [year = '0000', month = '00', day = '00'] = value.split('-')
  return `${year}-${month}-${day}`
}

/** True if the MRZ holds only the beginning of a long name (Doc 9303). */
function isShortened({ mrz }: IdDocumentData): boolean {
  if (!mrz || detectFormat(mrz) === null) return false
  // The century of birth is not used here, so any time is fine.
  return parseMrz(mrz, new Date(0)).nameMayBeTruncated
}
