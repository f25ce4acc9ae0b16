/**
 * Reads the match indicators of AAMVA's Driver's License Data Verification, which are the same in SOAP and JSON. Pure. Names are
 * those of its service description (README.md has the source).
 */
import type { FieldMatch, IssuerField } from '../../proofing/issuer-answer.ts'
import type { IssuerOutcome, IssuerQuestion } from '../issuer/issuing-source.ts'
import { MALFORMED } from '../service/json-answer.ts'

/** True or false by the name of the indicator; an absent one was not compared. */
export type Indicators = ReadonlyMap<string, boolean>

/** An exact indicator, and those of a similar name. */
interface FieldIndicators {
  readonly exact: string
  readonly similar?: readonly string[]
  /** A further part of the value, compared on its own. */
  readonly part?: string
}

const listFuzzy = (name: string): readonly string[] => [
  `Person${name}FuzzyPrimaryMatchIndicator`,
  `Person${name}FuzzyAlternateMatchIndicator`,
]

const FIELDS: Readonly<Partial<Record<IssuerField, FieldIndicators>>> = {
  documentNumber: { exact: 'DriverLicenseNumberMatchIndicator' },
  surname: { exact: 'PersonLastNameExactMatchIndicator', similar: listFuzzy('LastName') },
  givenName: { exact: 'PersonFirstNameExactMatchIndicator', similar: listFuzzy('FirstName') },
  middleNames: {
    exact: 'PersonMiddleNameExactMatchIndicator',
    similar: [...listFuzzy('MiddleName'), 'PersonMiddleInitialMatchIndicator'],
  },
  dateOfBirth: { exact: 'PersonBirthDateMatchIndicator' },
  issueDate: { exact: 'DriverLicenseIssueDateMatchIndicator' },
  expiryDate: { exact: 'DriverLicenseExpirationDateMatchIndicator' },
  sex: { exact: 'PersonSexCodeMatchIndicator' },
  height: { exact: 'PersonHeightMatchIndicator' },
  eyeColour: { exact: 'PersonEyeColorMatchIndicator' },
  streetLine1: { exact: 'AddressLine1MatchIndicator' },
  streetLine2: { exact: 'AddressLine2MatchIndicator' },
  city: { exact: 'AddressCityMatchIndicator' },
  addressState: { exact: 'AddressStateCodeMatchIndicator' },
  postcode: { exact: 'AddressZIP5MatchIndicator', part: 'AddressZIP4MatchIndicator' },
}

/** Indicators beside the fields: the kind of the document, and the suffix of the surname. */
export const CATEGORY = 'DocumentCategoryMatchIndicator'
const SUFFIX = 'PersonNameSuffixMatchIndicator'

export const INDICATOR_NAMES: readonly string[] = [
  ...Object.values(FIELDS).flatMap(({ exact, similar = [], part }) => [
    exact,
    ...similar,
    ...(part ? [part] : []),
  ]),
  CATEGORY,
  SUFFIX,
]

/**
 * An answer that claims agreement of a value that was not sent is malformed. Where the number is unknown, the others say
 * nothing. Where it belongs to a document of another kind, the service keeps no record of this one.
 */
export function readIndicators(indicators: Indicators, { values }: IssuerQuestion): IssuerOutcome {
  const isNumberKnown = indicators.get('DriverLicenseNumberMatchIndicator')
  if (isNumberKnown === undefined) return MALFORMED
  for (const [field, { exact, similar = [] }] of Object.entries(FIELDS))
    if (!Object.hasOwn(values, field) && [exact, ...similar].some((name) => indicators.get(name)))
      return MALFORMED
  if (!isNumberKnown) return { kind: 'answered', record: 'NOT_FOUND', matches: {} }
  if (indicators.get(CATEGORY) === false) return { kind: 'answered', record: 'NOT_COVERED', matches: {} }
  const fields = Object.keys(values) as IssuerField[]
  const matches = Object.fromEntries(fields.map((field) => [field, matchField(field, indicators)]))
  return { kind: 'answered', record: 'FOUND', matches }
}

function matchField(field: IssuerField, indicators: Indicators): FieldMatch {
  const { exact, similar = [], part } = FIELDS[field] ?? { exact: '' }
  const isEqual = indicators.get(exact)
  const isSimilar = similar.some((name) => indicators.get(name))
  if (isEqual) {
    if (part && indicators.get(part) === false) return 'NO_MATCH'
    // The surname was equal, and what follows it was not.
    return field === 'surname' && indicators.get(SUFFIX) === false ? 'SIMILAR' : 'MATCH'
  }
  if (isSimilar) return 'SIMILAR'
  const isCompared = isEqual === false || similar.some((name) => indicators.has(name))
  return isCompared ? 'NO_MATCH' : 'NOT_COMPARED'
}
