/**
 * Imports one file into the trust store. Owns the rules of custody: who must agree, what may replace what. A file that is refused
 * changes nothing.
 */
import { v7 as uuidv7 } from 'uuid'
import { hashBytes, parseChipCertificate, type ChipCertificate } from '../chip/passive/certificate.ts'
import { findCountry, formatName, normaliseName } from '../chip/passive/names.ts'
import { findListIssuer, type RevocationList } from '../chip/passive/revocation-list.ts'
import { ChipFault } from '../chip/outcome.ts'
import type { Store } from '../store/open.ts'
import type { TrustFile, TrustFilter } from '../store/trust.ts'
import {
  isAccepted,
  judgeCertificates,
  type CertificateVerdict,
  type JudgedCertificate,
} from './authorities.ts'
import { verifyDefectList, type DefectList } from './defect-list.ts'
import { verifyMasterList, type MasterList } from './master-list.ts'
import { TrustRefused } from './refused.ts'
import type { SignedList } from './signed-list.ts'
import type { ReadTrustFile } from './trust-file.ts'

/** The people who import a file. Their names stay in the trust store; no log contains them. */
export interface Importers {
  readonly by: string
  /** The second person; null if one person imports alone. */
  readonly confirmedBy: string | null
}

export interface TrustImport {
  readonly file: TrustFile
  /** False: the same file is in force already. Only the date of its last check has changed. */
  readonly isNew: boolean
  readonly judged: readonly JudgedCertificate[]
}

/** A verified file, before the rules of replacement. */
interface Prepared {
  readonly series: string
  readonly country: string
  readonly signer: string
  readonly authority: string
  readonly signedAt: Date | null
  readonly judged: readonly JudgedCertificate[]
  readonly content: Uint8Array | null
  /** The reason that two people must import it; null if one person may. */
  readonly needsSecond: string | null
}

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_NAME = 80
const SECOND = 'Let a second person check it and add --confirmed-by NAME.'

/**
 * Verifies the file outside of a transaction, then saves it with its event in one.
 * @throws TrustRefused
 */
export function importTrustFile(
  store: Store,
  file: ReadTrustFile,
  importers: Importers,
  now: Date,
  author: { readonly actor: string },
): TrustImport {
  const { by, confirmedBy } = checkImporters(importers)
  const prepared = prepare(store, file, now)
  const { series, country, signer, authority, signedAt, judged, content } = prepared
  const certificates = countVerdicts(judged)
  return store.transaction(() => {
    const present = store.trust.findCurrent(file.kind, series)
    const isNew = present?.sha256 !== file.sha256
    const fileId = isNew ? uuidv7() : present.id
    if (isNew) {
      const objection = prepared.needsSecond ?? findStepBack(present, signedAt)
      if (objection !== null && confirmedBy === null) throw new TrustRefused(`${objection} ${SECOND}`)
      store.trust.replace(
        {
          id: fileId,
          kind: file.kind,
          series,
          country,
          signer,
          authority,
          sha256: file.sha256,
          signedAt,
          importedAt: now,
          importedBy: by,
          confirmedBy,
          certificates,
        },
        judged
          .filter(isAccepted)
          .map((each) => ({ sha256: each.sha256, country: each.country, der: each.certificate.der })),
        content,
      )
    } else {
      store.trust.noteChecked(fileId, now)
    }
    const body = {
      fileId,
      kind: file.kind,
      sha256: file.sha256,
      certificates: certificates.verified + certificates.read,
      isNew,
      isConfirmed: confirmedBy !== null,
    }
    store.events.append('trust.imported', null, body, now, author)
    const stored = store.trust.findCurrent(file.kind, series)
    if (stored === null) throw new TypeError('the file was saved in this transaction')
    return { file: stored, isNew, judged }
  })
}

export function countVerdicts(
  judged: readonly JudgedCertificate[],
): Readonly<Record<CertificateVerdict, number>> {
  const counts = { verified: 0, read: 0, refused: 0 }
  for (const { verdict } of judged) counts[verdict] += 1
  return counts
}

/** @throws TrustRefused unless both are names, and different ones */
export function checkImporters({ by, confirmedBy }: Importers): Importers {
  const names = [by, ...(confirmedBy === null ? [] : [confirmedBy])].map((name) => name.trim())
  if (names.some((name) => name === '' || name.length > MAX_NAME || /\p{C}/u.test(name)))
    throw new TrustRefused(`--by and --confirmed-by take a name of 1 to ${MAX_NAME} letters.`)
  const [first = '', second = null] = names
  if (first.toLowerCase() === second?.toLowerCase())
    throw new TrustRefused('--by and --confirmed-by name the same person. Two people must import this file.')
  return { by: first, confirmedBy: second }
}

function prepare(store: Store, file: ReadTrustFile, now: Date): Prepared {
  try {
    switch (file.kind) {
      case 'MASTER_LIST':
        return prepareMasterList(store, file.list, now)
      case 'CERTIFICATE':
        return prepareCertificate(store, file.der)
      case 'REVOCATION_LIST':
        return prepareRevocationList(store, file.list, file.der, now)
      case 'DEFECT_LIST':
        return prepareDefectList(store, file.list, file.der, now)
    }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    throw new TrustRefused(
      `The file cannot be verified (${error.reason}). Get it again from its publisher; if it is the same, it cannot be used.`,
      { cause: error },
    )
  }
}

function prepareMasterList(store: Store, list: MasterList, now: Date): Prepared {
  const { country, signedAt } = list
  refuseFuture(signedAt, now)
  const anchors = readAuthorities(store, { country, isAnchor: true })
  const { path, judged, authority } = verifyMasterList(list, anchors)
  return {
    ...describeSignature(list, authority),
    judged,
    content: null,
    needsSecond:
      path === 'list'
        ? `The appliance has no list and no authority of ${country} yet, so that only the list itself vouches for its signer.`
        : null,
  }
}

function prepareCertificate(store: Store, der: Uint8Array): Prepared {
  const country = findCountry(parseChipCertificate(der).subject)
  const known = country === null ? [] : readAuthorities(store, { country, isAnchor: false })
  const [judged] = judgeCertificates([der], known)
  if (judged === undefined || !isAccepted(judged) || judged.verdict !== 'verified')
    throw new TrustRefused(
      `The certificate is not accepted (${judged?.reason ?? 'malformed_data'}). Import the certificate of a country signing authority (CSCA) that is signed by itself or by an authority that the appliance trusts.`,
    )
  const { certificate, sha256 } = judged
  return {
    series: sha256,
    country: judged.country,
    signer: formatName(certificate.subject),
    authority: formatName(certificate.issuer),
    signedAt: null,
    judged: [judged],
    content: null,
    needsSecond: 'A certificate without a list is imported by two people.',
  }
}

function prepareRevocationList(store: Store, list: RevocationList, der: Uint8Array, now: Date): Prepared {
  refuseFuture(list.issuedAt, now)
  const country = findCountry(list.issuer)
  const known = country === null ? [] : readAuthorities(store, { country, isAnchor: false })
  const issuer = findListIssuer(list, known)
  if (country === null || issuer === null)
    throw new TrustRefused(
      'No authority that the appliance trusts has signed this revocation list. Import the master list with its authority first.',
    )
  return {
    series: hashBytes(Buffer.from(normaliseName(list.issuer))),
    country,
    signer: formatName(issuer.subject),
    authority: formatName(issuer.issuer),
    signedAt: list.issuedAt,
    judged: [],
    content: der,
    needsSecond: null,
  }
}

function prepareDefectList(store: Store, list: DefectList, der: Uint8Array, now: Date): Prepared {
  const { country, signedAt } = list
  refuseFuture(signedAt, now)
  const authority = verifyDefectList(list, readAuthorities(store, { country, isAnchor: true }))
  return {
    ...describeSignature(list, authority),
    judged: [],
    content: der,
    needsSecond: null,
  }
}

/** The lists of a state are one series. */
function describeSignature({ country, signer, signedAt }: SignedList, authority: ChipCertificate) {
  return {
    series: country,
    country,
    signer: formatName(signer.subject),
    authority: formatName(authority.subject),
    signedAt,
  }
}

function readAuthorities(store: Store, filter: TrustFilter): ChipCertificate[] {
  return store.trust.certificates(filter).map(({ der }) => parseChipCertificate(der))
}

/** Allows one day, because the clock of the appliance may be slow. */
function refuseFuture(signedAt: Date, now: Date): void {
  if (signedAt.getTime() - now.getTime() > DAY_MS)
    throw new TrustRefused('The file was signed in the future. Check the clock of this machine.')
}

function findStepBack(present: TrustFile | null, signedAt: Date | null): string | null {
  if (present === null || present.signedAt === null || signedAt === null) return null
  if (signedAt > present.signedAt) return null
  return `The file was signed at ${signedAt.toISOString()}, and the one in force at ${present.signedAt.toISOString()}: it is not newer.`
}
