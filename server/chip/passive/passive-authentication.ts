/**
 * Passive authentication (ICAO Doc 9303-11, 5.1): the data groups are those that the issuing state signed. Judges one file with the
 * authorities and lists that the caller gives. Pure. Says nothing of the chip: a copy of all files passes, too.
 */
import { createHash } from 'node:crypto'
import { parseCardSecurity } from '../files/card-security.ts'
import type { SignedData, SignerInfo } from '../files/cms.ts'
import { parseDg1 } from '../files/dg1.ts'
import { parseEfCom } from '../files/ef-com.ts'
import { parseSod, type Sod } from '../files/sod.ts'
import { ChipFault, type FaultReason, type Verdict } from '../outcome.ts'
import type { SignatureKey } from '../signature-key.ts'
import { hashBytes, parseChipCertificate, type ChipCertificate } from './certificate.ts'
import type { ChipTrust } from './chip-trust.ts'
import { listCertificateCountries, shortenCountry } from './countries.ts'
import { listDefectEffects } from './defect-list.ts'
import { findCountry, isSameName } from './names.ts'
import { findPaths, isIssuerKnown, keepsPathLength, type Path } from './path.ts'
import { DEFAULT_POLICY, type GapEffect, type PassiveIndicator, type PassivePolicy } from './policy.ts'
import { findListIssuer, isRevoked, type RevocationList } from './revocation-list.ts'
import { getHashName, parseScheme } from './signature.ts'
import { findSigningTime, isIdentified, isSigned } from './signed-file.ts'

interface Judging {
  readonly trust: ChipTrust
  /** The time of reading. Null if the caller judges validity; a revocation list is then never too old. */
  readonly at: Date | null
  /** Default: DEFAULT_POLICY. */
  readonly policy?: PassivePolicy
}

export interface PassiveInput extends Judging {
  /** EF.SOD as it was read. */
  readonly sod: Uint8Array
  /** Number → file, of every group that is used. DG1 gives the country of the document. */
  readonly dataGroups: ReadonlyMap<number, Uint8Array>
  /** EF.COM as it was read; null or absent if the chip has none. It is not signed. */
  readonly com?: Uint8Array | null
}

export interface CardSecurityInput extends Judging {
  /** EF.CardSecurity as it was read. */
  readonly cardSecurity: Uint8Array
  /** DG1 of the same chip, for the country; null if it is not read. */
  readonly dg1: Uint8Array | null
}

export type PassiveCheckName =
  | 'signer' // the file names one signer, whose certificate may sign documents
  | 'signature' // the signature covers the content
  | 'algorithms' // no hash and no key is refused; weak ones leave an indicator
  | 'authority' // a trusted authority signed the certificate, directly or through link certificates
  | 'validity' // signer and authority are valid at the time of reading
  | 'signing_time' // the signer was valid when it signed
  | 'revocation' // no revocation list names signer, link or authority
  | 'defects' // no defect list names the signer
  | 'country' // DG1, signer and authority have the same country
  | 'document_type' // the signer may sign documents of this type; only if its certificate names types
  | 'hashes' // each given data group is the one that was signed
  | 'contents' // EF.COM lists the same groups as EF.SOD

export type PassiveReason =
  | FaultReason
  | 'signer_certificate_missing'
  | 'signer_not_identified'
  | 'signer_key_usage_wrong'
  | 'signer_purpose_wrong'
  | 'signer_is_authority'
  | 'signer_authority_key_missing'
  | 'critical_extension_unknown'
  | 'hash_refused'
  | 'key_refused'
  | 'authority_unknown'
  | 'authority_not_issuer'
  | 'path_too_long'
  | 'signer_not_yet_valid'
  | 'signer_expired'
  | 'authority_not_valid'
  | 'signing_time_missing'
  | 'signing_time_outside_validity'
  | 'signing_time_in_future'
  | 'revoked'
  | 'revocation_list_missing'
  | 'revocation_list_outdated'
  | 'revocation_list_in_future'
  | 'defect_list_missing'
  | 'defect_signer_revoked'
  | 'defect_undetermined'
  | 'country_missing'
  | 'country_unknown'
  | 'country_differs'
  | 'document_type_not_listed'
  | 'data_groups_missing'
  | 'group_not_signed'
  | 'group_changed'
  | 'com_missing'
  | 'com_differs'

export interface PassiveCheck {
  readonly name: PassiveCheckName
  readonly verdict: Verdict
  /** Null for a success. */
  readonly reason: PassiveReason | null
}

export interface JudgedWith {
  /** SHA-256 of the certificate, hexadecimal. */
  readonly sha256: string
  /** Two letters, or three for an issuer that is no state. */
  readonly country: string | null
}

export interface PassiveReport {
  /**
   * Failed if one check failed, else undetermined if one is, else successful. A check that is not supported, and one whose gap only
   * leaves an indicator by the policy, does not decide.
   */
  readonly verdict: Verdict
  readonly checks: readonly PassiveCheck[]
  readonly indicators: readonly PassiveIndicator[]
  /** The fault of a file or an algorithm that ended the checks; null if there was none. */
  readonly reason: FaultReason | null
  /** Numbers of the groups whose hash is the signed one. CA and AA may use no key of another group. */
  readonly verifiedGroups: readonly number[]
  /** Null unless the signature covers one. */
  readonly signedAt: Date | null
  readonly signer: JudgedWith | null
  /** `sources`: SHA-256 of the imported lists that contain it. Null if no path was found. */
  readonly authority: (JudgedWith & { readonly sources: readonly string[] }) | null
  /** SHA-256 of the revocation and defect lists that were used. */
  readonly lists: readonly string[]
  /** Certificates from the signer to the authority in DER, to be kept with a proof. */
  readonly certificates: readonly Uint8Array[]
}

const DAY_MS = 24 * 60 * 60 * 1000
/**
 * Content type → versions of the signed data (RFC 5652, 5.1). Another version than 3 fails (BSI TR-03105-5.1, LDS_H_20). The second type
 * is that of Chinese passports; there the version depends on the form of the signer.
 */
const SOD_TYPES: SignedTypes = {
  '2.23.136.1.1.1': [3],
  '1.2.840.113549.1.7.1': [1, 3],
}
const CARD_SECURITY_TYPES: SignedTypes = { '0.4.0.127.0.7.3.2.1': [3] }
type SignedTypes = Readonly<Record<string, readonly number[]>>

/** Never throws for what the chip gave: a file that is none fails. */
export function authenticatePassively(input: PassiveInput): PassiveReport {
  return judge(input, (findings) => {
    const sod = parseSod(input.sod)
    judgeSigner(sod.signedData, SOD_TYPES, findings)
    judgeAlgorithms(findings, [sod.hashAlgorithm])
    judgeHashes(sod, input.dataGroups, findings)
    judgeContents(sod, input.com ?? null, findings)
    judgeCountry(input.dataGroups.get(1) ?? null, findings)
    judgeDocumentType(input.dataGroups.get(1) ?? null, findings)
  })
}

/** Passive authentication of EF.CardSecurity, which holds the key of chip authentication mapping (Doc 9303-11, 9.2.11). */
export function authenticateCardSecurity(input: CardSecurityInput): PassiveReport {
  return judge(input, (findings) => {
    const { signedData } = parseCardSecurity(input.cardSecurity)
    judgeSigner(signedData, CARD_SECURITY_TYPES, findings)
    judgeAlgorithms(findings, [])
    judgeCountry(input.dg1, findings)
    judgeDocumentType(input.dg1, findings)
  })
}

/**
 * Countries of the certificates of a signed file, so that a caller loads only the authorities of these.
 * @throws ChipFault
 */
export function listSignerCountries({
  signedData: { signers, certificates },
}: Pick<Sod, 'signedData'>): readonly string[] {
  const issuers = signers.flatMap(({ identifier }) => ('issuer' in identifier ? [identifier.issuer] : []))
  const names = [...issuers, ...certificates.map((der) => parseChipCertificate(der).issuer)]
  return [...new Set(names.map(findCountry).filter((country) => country !== null))]
}

/** Collects the results of the checks. */
class Findings {
  readonly checks: PassiveCheck[] = []
  readonly indicators = new Set<PassiveIndicator>()
  readonly lists = new Set<string>()
  readonly trust: ChipTrust
  readonly at: Date | null
  readonly policy: PassivePolicy
  verifiedGroups: readonly number[] = []
  signedAt: Date | null = null
  signerInfo: SignerInfo | null = null
  signer: ChipCertificate | null = null
  path: Path | null = null
  #verdict: Verdict = 'successful'

  constructor({ trust, at, policy = DEFAULT_POLICY }: Judging) {
    this.trust = trust
    this.at = at
    this.policy = policy
    if (trust.isOutdated === true) this.indicators.add('CHIP_TRUST_LISTS_UNVERIFIED')
  }

  add(name: PassiveCheckName, verdict: Verdict, reason: PassiveReason | null, decides = true): void {
    this.checks.push({ name, verdict, reason })
    if (!decides || verdict === 'successful' || verdict === 'not_supported') return
    if (this.#verdict !== 'failed') this.#verdict = verdict
  }

  /** A check that lacks a source. The policy says whether it decides; it is never successful. */
  addGap(
    name: PassiveCheckName,
    reason: PassiveReason,
    effect: GapEffect,
    indicator: PassiveIndicator,
  ): void {
    if (effect === 'indicator') this.indicators.add(indicator)
    this.add(name, effect === 'failed' ? 'failed' : 'undetermined', reason, effect !== 'indicator')
  }

  /** A check that fails for this reason, or succeeds without one. */
  require(name: PassiveCheckName, reason: PassiveReason | null): void {
    this.add(name, reason === null ? 'successful' : 'failed', reason)
  }

  report(reason: FaultReason | null): PassiveReport {
    const { signer, path } = this
    const members = signer === null ? [] : [signer, ...listMembers(path)]
    return {
      // An algorithm that is unknown or too weak fails, too (BSI TR-03105-5.1, LDS_H_30 and LDS_H_36).
      verdict: reason === null ? this.#verdict : 'failed',
      checks: this.checks,
      indicators: [...this.indicators],
      reason,
      verifiedGroups: this.verifiedGroups,
      signedAt: this.signedAt,
      signer: signer === null ? null : describe(signer),
      authority:
        path === null ? null : { ...describe(path.authority.certificate), sources: path.authority.sources },
      lists: [...this.lists],
      certificates: members.map(({ der }) => der),
    }
  }
}

function judge(input: Judging, run: (findings: Findings) => void): PassiveReport {
  const findings = new Findings(input)
  try {
    run(findings)
    return findings.report(null)
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    return findings.report(error.reason)
  }
}

function describe(certificate: ChipCertificate): JudgedWith {
  return { sha256: hashBytes(certificate.der), country: findCountry(certificate.subject) }
}

function listMembers(path: Path | null): ChipCertificate[] {
  return path === null ? [] : [...path.links, path.authority.certificate]
}

/** Type and issuing state in the MRZ. Null if DG1 is not read. */
function readIssue(dg1: Uint8Array | null): { readonly type: string; readonly country: string } | null {
  if (dg1 === null) return null
  const [line = ''] = parseDg1(dg1).lines
  return { type: line.slice(0, 2).replaceAll('<', ''), country: line.slice(2, 5).replaceAll('<', '') }
}

function judgeSigner(signedData: SignedData, versions: SignedTypes, findings: Findings): void {
  const [signerInfo, ...more] = signedData.signers
  if (signerInfo === undefined || more.length > 0) throw new ChipFault('malformed_data')
  signedData.digestAlgorithms.forEach(getHashName)
  if (!isSignatureForm(signedData, versions, signerInfo)) throw new ChipFault('malformed_data')
  const carried = signedData.certificates.map(parseChipCertificate)
  const isSigner = (each: ChipCertificate): boolean => isIdentified(signerInfo.identifier, each)
  const candidates = carried.length > 0 ? carried : findings.trust.signers
  const signer = candidates.find(isSigner)
  if (signer === undefined) {
    if (carried.length > 0) findings.add('signer', 'failed', 'signer_not_identified')
    else findings.add('signer', 'undetermined', 'signer_certificate_missing')
    return
  }
  findings.signerInfo = signerInfo
  findings.signer = signer
  findings.require('signer', findSignerFault(signer))
  findings.require('signature', isSigned(signedData, signerInfo, signer) ? null : 'signature_wrong')
  judgePath(
    signer,
    carried.filter((each) => each !== signer),
    findings,
  )
  judgeSigningTime(signerInfo, signer, findings)
  judgeRevocation(signer, findings)
  judgeDefects(signer, findings)
}

function isSignatureForm(
  { version, contentType, digestAlgorithms }: SignedData,
  versions: SignedTypes,
  signer: SignerInfo,
): boolean {
  const signerVersion = signer.identifier.kind === 'issuer_and_serial' ? 1 : 3
  return (
    versions[contentType]?.includes(version) === true &&
    signer.version === signerVersion &&
    digestAlgorithms.includes(signer.digestAlgorithm)
  )
}

/**
 * Doc 9303-12, table 4: a critical key usage with digitalSignature, the key of the authority, no extended key usage and no authority.
 * Otherwise the signer of a master list or of a web server, whom the same authority certified, could sign documents.
 */
function findSignerFault(signer: ChipCertificate): PassiveReason | null {
  const { keyUsage, authorityKeyIdentifier, purposes, isAuthority, hasUnknownCritical } = signer
  if (hasUnknownCritical) return 'critical_extension_unknown'
  if (keyUsage?.isCritical !== true || !keyUsage.digitalSignature) return 'signer_key_usage_wrong'
  if (isAuthority || keyUsage.certificateSigning) return 'signer_is_authority'
  if (purposes !== null) return 'signer_purpose_wrong'
  return authorityKeyIdentifier === null ? 'signer_authority_key_missing' : null
}

function judgePath(signer: ChipCertificate, carried: readonly ChipCertificate[], findings: Findings): void {
  const { trust, at, policy } = findings
  const found = findPaths(signer, trust, carried)
  const paths = found.filter(keepsPathLength)
  const isPathValid = (path: Path): boolean => listMembers(path).every((each) => isValidAt(each, at))
  const path = paths.find(isPathValid) ?? paths[0] ?? null
  findings.path = path
  if (path === null && found.length > 0) {
    // Half of the real link certificates to a new name do not state the change, so that this proves no forgery.
    findings.add('authority', 'undetermined', 'path_too_long')
    return
  }
  if (path === null) {
    const isKnown = isIssuerKnown(signer, trust)
    if (isKnown) findings.add('authority', 'failed', 'authority_not_issuer')
    else findings.add('authority', 'undetermined', 'authority_unknown')
    return
  }
  findings.add('authority', 'successful', null)
  if (at === null) return
  const reason = findValidityFault(signer, path, at)
  if (reason === null || reason === 'signer_not_yet_valid') {
    findings.require('validity', reason)
    return
  }
  findings.addGap('validity', reason, policy.expired, 'CHIP_VALIDITY_UNVERIFIED')
}

function findValidityFault(signer: ChipCertificate, path: Path, at: Date): PassiveReason | null {
  if (at < signer.validFrom) return 'signer_not_yet_valid'
  if (at > signer.validTo) return 'signer_expired'
  return listMembers(path).every((each) => isValidAt(each, at)) ? null : 'authority_not_valid'
}

function isValidAt({ validFrom, validTo }: ChipCertificate, at: Date | null): boolean {
  return at === null || (validFrom <= at && at <= validTo)
}

/** One day is allowed on both sides, because issuers have written local time as UTC. */
function judgeSigningTime(signerInfo: SignerInfo, signer: ChipCertificate, findings: Findings): void {
  const { at } = findings
  const signedAt = findSigningTime(signerInfo)
  findings.signedAt = signedAt
  if (signedAt === null) {
    findings.add('signing_time', 'not_supported', 'signing_time_missing')
    return
  }
  const time = signedAt.getTime()
  const isInside = time >= signer.validFrom.getTime() - DAY_MS && time <= signer.validTo.getTime() + DAY_MS
  const isFuture = at !== null && time > at.getTime() + DAY_MS
  findings.require(
    'signing_time',
    isFuture ? 'signing_time_in_future' : isInside ? null : 'signing_time_outside_validity',
  )
}

/** A list counts only with the signature of a trusted authority of its name. Each list of that name is asked. */
function judgeRevocation(signer: ChipCertificate, findings: Findings): void {
  const { trust, at, policy, path } = findings
  const authorities = trust.authorities.map(({ certificate }) => certificate)
  let known: PassiveReason | null = 'revocation_list_missing'
  for (const certificate of [signer, ...listMembers(path)]) {
    const lists = trust.revocationLists.filter(({ list }) => isSameName(list.issuer, certificate.issuer))
    for (const { list, sha256 } of lists) {
      if (findListIssuer(list, authorities) === null) continue
      findings.lists.add(sha256)
      if (isRevoked(list, certificate)) {
        findings.add('revocation', 'failed', 'revoked')
        return
      }
      if (certificate !== signer || known === null) continue
      known = findListGap(list, at, trust.asOf ?? at)
    }
  }
  if (known === null) {
    findings.add('revocation', 'successful', null)
    return
  }
  findings.addGap('revocation', known, policy.revocationUnknown, 'CHIP_REVOCATION_UNVERIFIED')
}

/** One day is allowed, because the clock of the reader may be slow. */
function findListGap(
  { issuedAt, nextAt }: RevocationList,
  at: Date | null,
  asOf: Date | null,
): PassiveReason | null {
  if (at === null || asOf === null) return null
  if (issuedAt.getTime() > asOf.getTime() + DAY_MS) return 'revocation_list_in_future'
  return nextAt !== null && nextAt < at ? 'revocation_list_outdated' : null
}

function judgeDefects(signer: ChipCertificate, findings: Findings): void {
  const { defectLists } = findings.trust
  if (defectLists.length === 0) {
    findings.add('defects', 'not_supported', 'defect_list_missing')
    return
  }
  for (const { sha256 } of defectLists) findings.lists.add(sha256)
  const effects = defectLists.flatMap(({ defects }) => listDefectEffects(defects, signer))
  for (const effect of effects)
    if (effect !== 'fails' && effect !== 'undetermined') findings.indicators.add(effect)
  if (effects.includes('fails')) findings.add('defects', 'failed', 'defect_signer_revoked')
  else if (effects.includes('undetermined')) findings.add('defects', 'undetermined', 'defect_undetermined')
  else findings.add('defects', 'successful', null)
}

/** BSI TR-03135-1 v2.5, 5.6.4.3: without a known country the check is undetermined, and with another one it fails. */
function judgeCountry(dg1: Uint8Array | null, findings: Findings): void {
  const { signer, path } = findings
  if (signer === null) return
  const mrzCountry = readIssue(dg1)?.country ?? null
  const members = [signer.issuer, signer.subject, ...listMembers(path).map(({ subject }) => subject)]
  const found = members.map((name) => findCountry(name))
  const countries = found.map((country) => (country === null ? null : shortenCountry(country)))
  const [issuer = null] = countries
  // Doc 9303-12, 7.1.1: every name of an issuer has a country (BSI TR-03105-5.1, LDS_H_53).
  if (issuer === null) {
    findings.add('country', 'failed', 'country_missing')
    return
  }
  if (countries.some((country) => country !== null && country !== issuer)) {
    findings.add('country', 'failed', 'country_differs')
    return
  }
  const isMissing = mrzCountry === null || countries.includes(null)
  const allowed = mrzCountry === null ? null : listCertificateCountries(mrzCountry)
  if (isMissing || allowed === null) {
    const reason = isMissing ? 'country_missing' : 'country_unknown'
    findings.addGap('country', reason, findings.policy.countryUnknown, 'CHIP_COUNTRY_UNVERIFIED')
    return
  }
  findings.require('country', allowed.includes(issuer) ? null : 'country_differs')
}

/**
 * Doc 9303-12, 7.1: the certificate of a signer names the types that it may sign. A type of one letter stands for each that begins
 * with it. Undetermined and not failed, because issuers name types that no MRZ has, such as the code of the country.
 */
function judgeDocumentType(dg1: Uint8Array | null, findings: Findings): void {
  const types = findings.signer?.documentTypes ?? null
  const issue = readIssue(dg1)
  if (types === null || issue === null) return
  const isListed = types.some((type) => type !== '' && issue.type.startsWith(type))
  if (isListed) findings.add('document_type', 'successful', null)
  else findings.add('document_type', 'undetermined', 'document_type_not_listed')
}

/** Hashes and keys of the signer and its certificate. The signature of the authority's own certificate proves nothing here. */
function judgeAlgorithms(findings: Findings, more: readonly string[]): void {
  const { signerInfo, signer, path, policy, indicators } = findings
  if (signerInfo === null || signer === null) return
  const { digestAlgorithm, signatureAlgorithm: algorithm, signature } = signerInfo
  const hashes = [
    ...more.map(getHashName),
    getHashName(digestAlgorithm),
    parseScheme({ algorithm, digestAlgorithm, data: signature, signature }).hash,
    parseScheme({ algorithm: signer.algorithm, data: signer.tbs, signature: signer.signature }).hash,
  ].map((hash) => policy.hashes[hash])
  const keys = [signer, ...listMembers(path)].map(({ key }) => judgeKey(key, policy))
  if (hashes.includes('weak')) indicators.add('CHIP_HASH_WEAK')
  if (keys.includes('weak')) indicators.add('CHIP_KEY_WEAK')
  const isHashRefused = hashes.includes('refused')
  findings.require(
    'algorithms',
    isHashRefused ? 'hash_refused' : keys.includes('refused') ? 'key_refused' : null,
  )
}

function judgeKey({ kind, bits }: SignatureKey, policy: PassivePolicy) {
  const { min, strong } = policy.keys[kind]
  if (bits < min) return 'refused'
  return strong === null || bits < strong ? 'weak' : 'accepted'
}

/** Every group that is used must be listed with its hash. */
function judgeHashes(
  { hashAlgorithm, hashes }: Sod,
  dataGroups: ReadonlyMap<number, Uint8Array>,
  findings: Findings,
): void {
  const hash = getHashName(hashAlgorithm)
  const groups = [...dataGroups].map(([number, file]) => {
    const listed = hashes.get(number)
    const isSame = listed !== undefined && createHash(hash).update(file).digest().equals(listed)
    return { number, isListed: listed !== undefined, isSame }
  })
  findings.verifiedGroups = groups.filter(({ isSame }) => isSame).map(({ number }) => number)
  if (groups.length === 0) {
    findings.add('hashes', 'undetermined', 'data_groups_missing')
    return
  }
  const isUnsigned = groups.some(({ isListed }) => !isListed)
  const isChanged = groups.some(({ isSame }) => !isSame)
  findings.require('hashes', isUnsigned ? 'group_not_signed' : isChanged ? 'group_changed' : null)
}

/** EF.COM is not signed, so that a forger could hide a group in it (BSI TR-03105-5.1, LDS_H_90 and LDS_H_91). */
function judgeContents({ hashes }: Sod, com: Uint8Array | null, findings: Findings): void {
  if (com === null) {
    findings.add('contents', 'not_supported', 'com_missing')
    return
  }
  const { dataGroups } = parseEfCom(com)
  const isSame = dataGroups.length === hashes.size && dataGroups.every((number) => hashes.has(number))
  findings.require('contents', isSame ? null : 'com_differs')
}
