/**
 * Builds paths from the certificate of a signer to a trusted authority (ICAO Doc 9303-12, 7.1; RFC 5280, 6). Each step verifies a
 * signature: identifiers and names only choose what is tried. Validity, revocation and country are judged by the caller.
 */
import type { ChipCertificate } from './certificate.ts'
import type { ChipTrust, TrustedAuthority } from './chip-trust.ts'
import { findCountry, isSameName } from './names.ts'
import { isSignedWith } from './signature.ts'

export interface Path {
  /** Link certificates between signer and authority, from below. The trusted list contains the others. */
  readonly links: readonly ChipCertificate[]
  readonly authority: TrustedAuthority
}

/** Several certificates share a name or a key; states have at most a dozen. The bound keeps a hostile list linear. */
const MAX_ISSUERS_TRIED = 16
/** Link certificates that the signed file carries, and their number in a path: both bound the work of a hostile file. */
const MAX_LINKS_TRIED = 4
const MAX_LINKS = 2

/**
 * All paths, those with the named key first.
 * @param carried certificates of the signed file beside the signer's. They count only if a trusted authority signed them
 */
export function findPaths(
  certificate: ChipCertificate,
  { authorities }: Pick<ChipTrust, 'authorities'>,
  carried: readonly ChipCertificate[],
): readonly Path[] {
  const links = carried.filter((each) => isLink(each, certificate)).slice(0, MAX_LINKS_TRIED)
  return climb(certificate, authorities, links, MAX_LINKS)
}

function climb(
  certificate: ChipCertificate,
  authorities: readonly TrustedAuthority[],
  links: readonly ChipCertificate[],
  levels: number,
): Path[] {
  const named = authorities.filter((each) => isSameName(each.certificate.subject, certificate.issuer))
  const isKeyNamed = (each: TrustedAuthority): boolean => hasAuthorityKey(certificate, each.certificate)
  const ordered = [...named.filter(isKeyNamed), ...named.filter((each) => !isKeyNamed(each))]
  const direct = ordered
    .slice(0, MAX_ISSUERS_TRIED)
    .filter((each) => isIssuer(each.certificate, certificate))
    .map((authority) => ({ links: [], authority }))
  if (levels === 0) return direct
  const above = links.filter((link) => link !== certificate && isIssuer(link, certificate))
  const linked = above.flatMap((link) => {
    const others = links.filter((each) => each !== link)
    return climb(link, authorities, others, levels - 1).map((path) => ({
      ...path,
      links: [link, ...path.links],
    }))
  })
  return [...direct, ...linked]
}

/** A link certificate stays in the country of the signer. */
function isLink(each: ChipCertificate, signer: ChipCertificate): boolean {
  return mayIssue(each) && findCountry(each.subject) === findCountry(signer.issuer)
}

/**
 * Tells whether authority and links allow the authorities below them (RFC 5280, 6.1.4 l and m). An authority with a new key, or with a
 * new name that its link certificate states, is the same authority and does not count.
 */
export function keepsPathLength({ links, authority }: Path): boolean {
  const issuers = [...links, authority.certificate]
  return issuers.every(({ pathLength }, index) => {
    const others = links.slice(0, index).filter((link) => !isSameAuthority(link))
    return pathLength === null || others.length <= pathLength
  })
}

function isSameAuthority({ subject, issuer, isNameChange }: ChipCertificate): boolean {
  return isNameChange || isSameName(subject, issuer)
}

/** Tells whether an authority in the list has the name or the key that the certificate names as its issuer. */
export function isIssuerKnown(
  certificate: ChipCertificate,
  { authorities }: Pick<ChipTrust, 'authorities'>,
): boolean {
  return authorities.some(
    (each) =>
      isSameName(each.certificate.subject, certificate.issuer) ||
      hasAuthorityKey(certificate, each.certificate),
  )
}

function hasAuthorityKey(certificate: ChipCertificate, authority: ChipCertificate): boolean {
  const { authorityKeyIdentifier } = certificate
  const { subjectKeyIdentifier } = authority
  if (authorityKeyIdentifier === null || subjectKeyIdentifier === null) return false
  return Buffer.compare(authorityKeyIdentifier, subjectKeyIdentifier) === 0
}

/**
 * Tells whether a certificate states that it is an authority: basic constraints, key usage, and no critical extension that this program
 * does not know (Doc 9303-12, 7.1; RFC 5280, 4.2 and 6.1.4 k and n). Trusted authorities are no exception: of the 637 in the German and
 * Dutch master lists of 2025 and 2026, ten link certificates do not state it, and each of their keys has another certificate there.
 */
export function mayIssue({ isAuthority, keyUsage, hasUnknownCritical }: ChipCertificate): boolean {
  return isAuthority && keyUsage?.certificateSigning === true && !hasUnknownCritical
}

/** Tells whether the authority may issue, and verifies the signature of the certificate with its key. */
export function isIssuer(
  authority: ChipCertificate,
  { issuer, algorithm, tbs, signature }: ChipCertificate,
): boolean {
  if (!mayIssue(authority) || !isSameName(authority.subject, issuer)) return false
  return isSignedWith({ algorithm, data: tbs, signature }, authority.key)
}
