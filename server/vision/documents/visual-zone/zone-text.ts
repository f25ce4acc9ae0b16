/** Is a line that was read one of the machine-readable zone? Its reader is another one: here it is left out. */

/** The English model reads fillers as < « K L C and cannot keep them apart. */
const FILLERS = /[<«‹(]{2,}|(?:[<«‹(][KLC]|[KLC][<«‹(]){2,}|[KLC<]{7,}/
/** The shortest line has 30 characters, without a blank. */
const ZONE_LENGTH = 22

export function isZoneText(text: string): boolean {
  const bare = text.replace(/\s/g, '')
  return bare.length >= ZONE_LENGTH && FILLERS.test(bare)
}
