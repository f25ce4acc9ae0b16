/** Tells whether a line belongs to the MRZ, which other recognisers read, so that it is skipped here. */

/** The English model reads fillers as < « K L C and confuses them. */
const FILLERS = /[<«‹(]{2,}|(?:[<«‹(][KLC]|[KLC][<«‹(]){2,}|[KLC<]{7,}/
/** The shortest MRZ line has 30 characters without a space. */
const MRZ_LENGTH = 22

export function isMrzText(text: string): boolean {
  const bare = text.replace(/\s/g, '')
  return bare.length >= MRZ_LENGTH && FILLERS.test(bare)
}
