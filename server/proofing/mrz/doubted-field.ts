/** Maps a doubt in an MRZ to a page field's name; null if it is no single field of the holder. */
import type { PageFieldName } from '../visual-zone/page-facts.ts'
import { MRZ_LAYOUTS, type CheckName, type FieldName } from './fields.ts'
import type { MrzFormat } from './format.ts'

const ON_PAGE: Partial<Readonly<Record<FieldName | CheckName, PageFieldName>>> = {
  names: 'fullName',
  surname: 'surname',
  givenNames: 'givenNames',
  documentNumber: 'documentNumber',
  documentNumberCheck: 'documentNumber',
  nationality: 'nationality',
  birthDate: 'birthDate',
  birthDateCheck: 'birthDate',
  sex: 'sex',
  expiryDate: 'expiryDate',
  expiryDateCheck: 'expiryDate',
  issueDate: 'issueDate',
}

export function fieldOfCheck(check: CheckName): PageFieldName | null {
  return ON_PAGE[check] ?? null
}

interface DoubtedReading {
  readonly format: MrzFormat
  readonly lines: readonly string[]
  readonly repaired: readonly { readonly line: number; readonly column: number }[]
  readonly recogniserReadings: readonly { readonly lines: readonly string[] }[]
}

/**
 * The field that contains all characters that were repaired or that the recognisers read differently; null if there are
 * several.
 */
export function doubtedField({
  format,
  lines,
  repaired,
  recogniserReadings,
}: DoubtedReading): PageFieldName | null {
  const unlike = lines.flatMap((text, line) =>
    [...text].flatMap((_, column) =>
      new Set(recogniserReadings.map((reading) => reading.lines[line]?.[column])).size > 1
        ? [{ line, column }]
        : [],
    ),
  )
  const fields = new Set(
    [...repaired, ...unlike].map(({ line, column }) => {
      const at = MRZ_LAYOUTS[format].fields.find(
        (field) => field.line === line && field.from <= column && column < field.to,
      )
      return (at && ON_PAGE[at.field]) ?? null
    }),
  )
  return fields.size === 1 ? [...fields][0] : null
}
