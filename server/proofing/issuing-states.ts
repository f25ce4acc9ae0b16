/** States that issue their own documents: of the USA (USPS abbreviations) and of Australia. */

/** The 50 states, the District of Columbia and the territories (USPS Publication 28, appendix B). */
export const UNITED_STATES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI'
  ).split(' '),
)

/** Abbreviations in postal addresses: the military ones, too, which issue no documents (USPS Publication 28, appendix B). */
export const UNITED_STATES_POSTAL: ReadonlySet<string> = new Set([...UNITED_STATES, 'AA', 'AE', 'AP'])

/** Spec "Issuing states"; ACT is our extension, because the spec has no code for the Australian Capital Territory. */
const AUSTRALIA: ReadonlySet<string> = new Set(['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'])

export function isUnitedStatesState(code: string): boolean {
  return UNITED_STATES.has(code)
}

export function isUnitedStatesPostal(code: string): boolean {
  return UNITED_STATES_POSTAL.has(code)
}

export function isAustralianState(code: string): boolean {
  return AUSTRALIA.has(code)
}
