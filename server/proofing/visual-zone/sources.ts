/** The statements of MRZ and barcode about the holder, in a common form. */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { PartialDate } from '../mrz/dates.ts'
import { ALPHA_2, toAlpha3 } from '../country-codes.ts'
import { SPECIMEN_STATE } from '../mrz/issuers.ts'
import type { MrzFacts } from '../mrz/parse.ts'

/** Null if the source states nothing. */
export interface Source {
  readonly against: 'zone' | 'barcode'
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly nameMayBeTruncated: boolean
  readonly birthDate: PartialDate | null
  readonly expiryDate: PartialDate | null
  /**
   * On a visa it may be the last day of entry or of stay (Doc 9303 part 7): the page prints several dates, one of which
   * must agree.
   */
  readonly expiryIsOneOfSeveral: boolean
  readonly documentNumber: string
  readonly sex: 'M' | 'F' | null
  /** Alpha-3; null if the code is no state or stands for several kinds of nationals. */
  readonly nationality: string | null
}

export function listSources(mrz: MrzFacts | null, licence: AamvaFacts | null): readonly Source[] {
  return [mrz && toMrzSource(mrz), licence && sourceOfLicence(licence)].filter((source) => source !== null)
}

function toMrzSource(mrz: MrzFacts): Source {
  return {
    against: 'zone',
    surname: mrz.surname,
    givenNames: mrz.givenNames,
    nameMayBeTruncated: mrz.nameMayBeTruncated,
    birthDate: mrz.birthDate,
    expiryDate: mrz.expiryDate,
    expiryIsOneOfSeveral: mrz.documentClass === 'VISA',
    documentNumber: mrz.documentNumber,
    sex: knownSex(mrz.sex),
    nationality: toState(toAlpha3(mrz.nationality)),
  }
}

function sourceOfLicence(licence: AamvaFacts): Source {
  return {
    against: 'barcode',
    surname: licence.surname,
    givenNames: licence.givenNames,
    nameMayBeTruncated: licence.nameMayBeTruncated,
    birthDate: parseIsoDate(licence.birthDate),
    expiryDate: parseIsoDate(licence.expiryDate),
    expiryIsOneOfSeveral: false,
    documentNumber: licence.documentNumber,
    sex: knownSex(licence.sex),
    nationality: null,
  }
}

/** Accepts ISO 3166 states and Utopia, the state of specimens. */
const toState = (code: string): string | null => (ALPHA_2.has(code) || code === SPECIMEN_STATE ? code : null)

/** X and an unspecified sex are printed in many ways. */
const knownSex = (sex: string | null): 'M' | 'F' | null => (sex === 'M' || sex === 'F' ? sex : null)

function parseIsoDate(date: string | null): PartialDate | null {
  if (date === null) return null
  const [year, month, day] = date.split('-').map(Number)
  return { year, month, day }
}
