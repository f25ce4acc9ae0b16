/** The table of documents that can be verified here, and its view by country. */
import type { DocumentType } from './types.ts'

interface SupportedDocument {
  readonly documentType: DocumentType
  readonly format: 'TD1' | 'TD2' | 'TD3' | 'ID1'
}

export interface SupportTable {
  /** Formats that the capture component captures live. */
  readonly liveCapture: readonly SupportedDocument['format'][]
  readonly everyCountry: readonly SupportedDocument[]
  readonly groups: readonly (SupportedDocument & { readonly countries: readonly string[] })[]
}

/** One entry per country, in the order of `countries`. */
export function supportedCountries(table: SupportTable, countries: readonly string[]) {
  return countries.map((iso3CountryCode) => {
    const groups = table.groups.filter((group) => group.countries.includes(iso3CountryCode))
    return {
      iso3CountryCode,
      documents: [...table.everyCountry, ...groups].map(({ documentType, format }) => ({
        documentType,
        format,
        liveVideoCaptureSupported: table.liveCapture.includes(format),
      })),
    }
  })
}
