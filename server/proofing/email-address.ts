/**
 * Parses an e-mail address by a strict rule, stricter than RFC 5321: what is refused here needs quoting or an extension of SMTP,
 * and could be read in two ways by two mail servers, or break out of a header.
 */
import { domainToASCII } from 'node:url'

/** RFC 5321 section 4.5.3.1: a path has 256 octets with its angle brackets. */
export const MAX_EMAIL_BYTES = 254
const MAX_LOCAL_BYTES = 64
/** RFC 1035 section 2.3.4, without the final dot. */
const MAX_DOMAIN_BYTES = 253

/** RFC 5322 dot-atom: no quoting, no comment, no space, ASCII alone. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** RFC 1123 section 2.1: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export const EMAIL_RULE =
  "must be an e-mail address such as anna@mail.example: letters, digits and .!#$%&'*+/=?^_`{|}~- before the @, without quotes, " +
  'and the name of a domain after it'

/**
 * Returns the address with its domain in small letters of ASCII (an internationalized domain as A-labels); null: refused. Takes
 * linear time. It is not known whether the domain or the mailbox exists.
 */
export function parseEmailAddress(text: string): string | null {
  if (text.length > MAX_EMAIL_BYTES) return null
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  if (local.length > MAX_LOCAL_BYTES || !LOCAL_PART.test(local)) return null
  const domain = parseDomain(text.slice(at + 1))
  const address = domain === null ? '' : `${local}@${domain}`
  return address !== '' && address.length <= MAX_EMAIL_BYTES ? address : null
}

/** Letters of other scripts, with their marks. `domainToASCII` alone would also read percent signs and numbers as hosts. */
const DOMAIN_AS_TYPED = /^[\p{L}\p{M}\p{N}.-]+$/u

function parseDomain(typed: string): string | null {
  if (!DOMAIN_AS_TYPED.test(typed)) return null
  const domain = domainToASCII(typed)
  if (domain === '' || domain.length > MAX_DOMAIN_BYTES) return null
  const labels = domain.split('.')
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label))
  // A last label of digits alone is an address of the network, not a name.
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : null
}
