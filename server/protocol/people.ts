/** Names of the two people who agree to something, as they type them: what is a name, and whether two names are one person. */

export const MAX_PERSON_NAME = 80

/** The name with single spaces; null if it is empty, too long, or contains a control character. */
export function readPersonName(typed: string): string | null {
  const name = typed.trim()
  const isName = name !== '' && name.length <= MAX_PERSON_NAME && !/\p{C}/u.test(name)
  return isName ? name.replace(/\s+/g, ' ') : null
}

/** Letter case, white space and the Unicode form of letters do not distinguish two people. */
export function isSamePerson(one: string, other: string): boolean {
  return normalise(one) === normalise(other)
}

function normalise(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}
