/**
 * The form of Australian driving licence numbers and card numbers, by state. From one vendor's documentation
 * (FrankieOne), nowhere contradicted and nowhere official: a number of another form is a warning, no more.
 */
interface NumberForms {
  readonly licence: RegExp
  readonly card: RegExp
}

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

/** Null where the form of this issuer's numbers is not known. Blanks, hyphens and small letters do not count. */
export function hasLicenceForm(
  number: string,
  which: keyof NumberForms,
  issuer: { readonly issuingCountry?: string; readonly issuingState?: string },
): boolean | null {
  const forms = issuer.issuingCountry === 'AUS' ? AUSTRALIA[issuer.issuingState ?? ''] : undefined
  return forms ? forms[which].test(number.replace(/[\s-]/g, '').toUpperCase()) : null
}
