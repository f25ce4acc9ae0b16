/** The name of the holder with its real letters, from DG11 of the chip. Pure. */
import type { IdDocumentData, NamedValue } from './evidence.ts'
import { compareStatedNames } from './name-agreement.ts'

export interface ChipName {
  readonly surname: string
  /** Empty if the name has none. */
  readonly givenNames: string
}

const named = (value: string): NamedValue => ({ value, verified: false })

/**
 * Replaces names of the MRZ by those of DG11 if the MRZ spells the same name; DG11 may hold a name in another script or at birth,
 * which stays out.
 */
export function writeRealName(
  data: IdDocumentData,
  name: ChipName | null,
  { mayBeCut }: { readonly mayBeCut: boolean },
): IdDocumentData {
  const { surname, givenNames = [] } = data.personalAttributes
  if (name === null || surname === undefined) return data
  const given = givenNames.map(({ value }) => value).join(' ')
  const comparisons = compareStatedNames(
    { surname: surname.value, ...(given ? { givenNames: given } : {}), mayBeCut },
    { surname: name.surname, ...(name.givenNames ? { givenNames: name.givenNames } : {}), mayBeCut: false },
  )
  const isSame = (part: 'surname' | 'givenNames'): boolean => comparisons.get(part) === 'same'
  if (!isSame('surname') || (given !== '' && !isSame('givenNames'))) return data
  return {
    ...data,
    personalAttributes: {
      ...data.personalAttributes,
      surname: named(name.surname),
      ...(given === '' ? {} : { givenNames: name.givenNames.split(/\s+/).map(named) }),
    },
  }
}
