/** Holder data that a coded licence number encodes. */
export interface LicenceHolder {
  readonly surname: string
  readonly givenNames: readonly string[]
  /** YYYY-MM-DD. */
  readonly birthDate: string | null
  readonly sex: 'M' | 'F' | 'X' | null
}

/** Keeps letters A to Z; removes marks and other characters. */
export function keepLetters(name: string): string {
  return name
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z]/g, '')
}
