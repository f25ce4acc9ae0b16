/** What a coded licence number repeats of its holder. */
export interface LicenceHolder {
  readonly surname: string
  readonly givenNames: readonly string[]
  /** YYYY-MM-DD. */
  readonly birthDate: string | null
  readonly sex: 'M' | 'F' | 'X' | null
}

/** Of the letters A to Z; marks are taken off, other signs left out. */
export function lettersOf(name: string): string {
  return name
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z]/g, '')
}
