/**
 * Compares the country of a document with that of its certificates (ICAO Doc 9303-3, 5; BSI TR-03135-1 v2.5, 5.6.4.3). The MRZ has
 * three letters, certificates have two, and the exceptions are not one-to-one.
 */
import { ALPHA_2 } from '../../proofing/country-codes.ts'

/**
 * Codes of the MRZ that are not the three letters of the certificate's country (Doc 9303-3, 5). Measured in the German and Dutch
 * master lists of 2025 and 2026: EU, KS and UN are the countries of certificates beside ISO 3166-1; Bermuda and the United Kingdom
 * certify each other.
 */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  D: ['DE'],
  BMU: ['BM', 'GB'],
  EUE: ['EU'],
  GBD: ['GB', 'BM'],
  GBN: ['GB'],
  GBO: ['GB'],
  GBP: ['GB'],
  GBS: ['GB'],
  HKG: ['HK', 'CN'],
  MAC: ['MO', 'CN'],
  RKS: ['KS', 'XK'],
  XXK: ['KS', 'XK'],
  UNA: ['UN'],
  UNK: ['UN'],
  UNO: ['UN'],
  UTO: ['UT'], // the invented state of Doc 9303, whose authority no master list contains
  XOM: ['XO', 'XOM'],
}

/** Countries that the certificates of this issuer may name; null if the code is not known. */
export function listCertificateCountries(mrzCode: string): readonly string[] | null {
  const exception = EXCEPTIONS[mrzCode]
  if (exception !== undefined) return exception
  const country = ALPHA_2.get(mrzCode)
  return country === undefined ? null : [country]
}

/** Some issuers write three letters, although Doc 9303-12 requires two. */
export function shortenCountry(country: string): string {
  return ALPHA_2.get(country) ?? country
}
