/** Compares versions of Debian packages without an epoch, as dpkg does (deb-version(7)). Needs no dpkg, for the central service. */

/** Negative: `a` is older. Zero: dpkg takes both as the same version. Positive: `a` is newer. */
export function compareDebianVersions(a: string, b: string): number {
  const [first, second] = [splitVersion(a), splitVersion(b)]
  return compareParts(first.upstream, second.upstream) || compareParts(first.revision, second.revision)
}

function splitVersion(version: string): { upstream: string; revision: string } {
  const hyphen = version.lastIndexOf('-')
  if (hyphen === -1) return { upstream: version, revision: '' }
  return { upstream: version.slice(0, hyphen), revision: version.slice(hyphen + 1) }
}

/** Compares in turns a run without digits, letter by letter, and a run of digits, as a number. */
function compareParts(a: string, b: string): number {
  const [first, second] = [splitRuns(a), splitRuns(b)]
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const [one, two] = [first[at] ?? '', second[at] ?? '']
    const order = at % 2 === 0 ? compareLetters(one, two) : compareNumbers(one, two)
    if (order !== 0) return order
  }
  return 0
}

/** The runs at even places have no digit, those at odd places only digits. */
function splitRuns(part: string): string[] {
  return part.split(/([0-9]+)/)
}

function compareLetters(a: string, b: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const order = rankCharacter(a.charAt(at)) - rankCharacter(b.charAt(at))
    if (order !== 0) return order
  }
  return 0
}

/** A tilde sorts before the end of the run, letters after it, and all other characters after the letters. */
function rankCharacter(character: string): number {
  if (character === '~') return -1
  if (character === '') return 0
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256)
}

function compareNumbers(a: string, b: string): number {
  const [one, two] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return one.length - two.length || Number(one > two) - Number(one < two)
}
