/**
 * Imports one file into the trust store. Owns the rules of custody: who must agree, what may replace what. A file that is refused
 * changes nothing.
 */
import { v7 as uuidv7 } from 'uuid'
import { hashBytes, parseChipCertificate, type ChipCertificate } from '../chip/passive/certificate.ts'
import { findCountry, formatName, normaliseName } from '../chip/passive/names.ts'
import { findListIssuer, type RevocationList } from '../chip/passive/revocation-list.ts'
import { ChipFault } from '../chip/outcome.ts'
import { isSamePerson, MAX_PERSON_NAME, readPersonName } from '../protocol/people.ts'
import type { Store } from '../store/open.ts'
import type { TrustFile, TrustFilter } from '../store/trust.ts'
import {
  explainRefusal,
  isAccepted,
  judgeCertificates,
  type CertificateVerdict,
  type JudgedCertificate,
} from './authorities.ts'
import { verifyDefectList, type DefectList } from './defect-list.ts'
import { DAY_MS } from './freshness.ts'
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
export interface PreparedFile {
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

const SECOND = 'Let a second person check it and add --confirmed-by NAME.'

/** Reads authorities that are trusted when the file is verified. */
export type ReadAuthorities = (filter: TrustFilter) => readonly ChipCertificate[]

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
  const people = checkImporters(importers)
  const read: ReadAuthorities = (filter) =>
    store.trust.certificates(filter).map(({ der }) => parseChipCertificate(der))
  const prepared = prepareFile(read, file, now)
  return store.transaction(() => {
    const imported = saveFile(store, file, prepared, { ...people, at: now, bundleVersion: null })
    const { verified, read: accepted } = imported.file.certificates
    const body = {
      fileId: imported.file.id,
      kind: file.kind,
      sha256: file.sha256,
      certificates: verified + accepted,
      isNew: imported.isNew,
      isConfirmed: people.confirmedBy !== null,
    }
    store.events.append('trust.imported', null, body, now, author)
    return imported
  })
}

/**
 * Puts the file into force by the rules of replacement. Call inside a transaction.
 * @throws TrustRefused
 */
export function saveFile(
  store: Store,
  file: ReadTrustFile,
  prepared: PreparedFile,
  {
    by,
    confirmedBy,
    at,
    bundleVersion,
  }: Importers & { readonly at: Date; readonly bundleVersion: number | null },
): TrustImport {
  const { series, country, signer, authority, signedAt, judged, content } = prepared
  const present = store.trust.findCurrent(file.kind, series)
  const isNew = present?.sha256 !== file.sha256
  if (isNew) {
    const newest = store.trust.findNewest(file.kind, series)
    const objection =
      prepared.needsSecond ?? findStepBack(newest, signedAt) ?? findLoss(file.kind, present, judged)
    if (objection !== null && confirmedBy === null) throw new TrustRefused(`${objection} ${SECOND}`)
    store.trust.replace(
      {
        id: uuidv7(),
        kind: file.kind,
        series,
        country,
        signer,
        authority,
        sha256: file.sha256,
        signedAt,
        importedAt: at,
        importedBy: by,
        confirmedBy,
        bundleVersion,
        certificates: countVerdicts(judged),
      },
      judged
        .filter(isAccepted)
        .map((each) => ({ sha256: each.sha256, country: each.country, der: each.certificate.der })),
      content,
    )
  } else {
    store.trust.noteChecked(present.id, at, bundleVersion)
  }
  const stored = store.trust.findCurrent(file.kind, series)
  if (stored === null) throw new TypeError('the file was saved in this transaction')
  return { file: stored, isNew, judged }
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
  const first = readPersonName(by)
  const second = confirmedBy === null ? null : readPersonName(confirmedBy)
  if (first === null || (confirmedBy !== null && second === null))
    throw new TrustRefused(`--by and --confirmed-by take a name of 1 to ${MAX_PERSON_NAME} letters.`)
  if (second !== null && isSamePerson(first, second))
    throw new TrustRefused('--by and --confirmed-by name the same person. Two people must agree.')
  return { by: first, confirmedBy: second }
}

/**
 * Verifies the file, and saves nothing. A master list takes about a second.
 * @throws TrustRefused
 */
export function prepareFile(read: ReadAuthorities, file: ReadTrustFile, now: Date): PreparedFile {
  try {
    switch (file.kind) {
      case 'MASTER_LIST':
        return prepareMasterList(read, file.list, now)
      case 'CERTIFICATE':
        return prepareCertificate(read, file.der)
      case 'REVOCATION_LIST':
        return prepareRevocationList(read, file.list, file.der, now)
      case 'DEFECT_LIST':
        return prepareDefectList(read, file.list, file.der, now)
    }
  } catch (error) {
    if (!(error instanceof ChipFault)) throw error
    throw new TrustRefused(
      `The file cannot be verified (${error.reason}). Get it again from its publisher; if it is the same, it cannot be used.`,
      { cause: error },
    )
  }
}

function prepareMasterList(read: ReadAuthorities, list: MasterList, now: Date): PreparedFile {
  const { country, signedAt } = list
  refuseFuture(signedAt, now)
  const anchors = read({ country, isAnchor: true })
  const { path, judged, authority } = verifyMasterList(list, anchors)
  return {
    ...describeSignature(list, authority),
    judged,
    content: null,
    needsSecond:
      path === 'list'
        ? `The appliance has no list that ${country} publishes and no authority of ${country} that two people imported, and authorities in the lists of other states cannot sign lists: only the list itself vouches for its signer.`
        : null,
  }
}

function prepareCertificate(read: ReadAuthorities, der: Uint8Array): PreparedFile {
  const country = findCountry(parseChipCertificate(der).subject)
  const known = country === null ? [] : read({ country, isAnchor: false })
  const [judged] = judgeCertificates([der], known)
  if (judged === undefined || !isAccepted(judged) || judged.verdict !== 'verified')
    throw new TrustRefused(explainRefusal(judged?.reason ?? 'malformed_data'))
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

function prepareRevocationList(
  read: ReadAuthorities,
  list: RevocationList,
  der: Uint8Array,
  now: Date,
): PreparedFile {
  refuseFuture(list.issuedAt, now)
  const country = findCountry(list.issuer)
  const known = country === null ? [] : read({ country, isAnchor: false })
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

function prepareDefectList(
  read: ReadAuthorities,
  list: DefectList,
  der: Uint8Array,
  now: Date,
): PreparedFile {
  const { country, signedAt } = list
  refuseFuture(signedAt, now)
  const authority = verifyDefectList(list, read({ country, isAnchor: true }))
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

/** Allows one day, because the clock of the appliance may be slow. */
function refuseFuture(signedAt: Date, now: Date): void {
  if (signedAt.getTime() - now.getTime() > DAY_MS)
    throw new TrustRefused('The file was signed in the future. Check the clock of this machine.')
}

/**
 * The reason that the file is not newer than another one; null if it is.
 * @param other null: there is no other one
 */
export function findStepBack(other: TrustFile | null, signedAt: Date | null): string | null {
  if (other === null || other.signedAt === null || signedAt === null) return null
  if (signedAt > other.signedAt) return null
  const which = other.replacedAt === null ? 'the one in force' : 'one that was in force'
  return `The file was signed at ${signedAt.toISOString()}, and ${which} at ${other.signedAt.toISOString()}: it is not newer.`
}

/** A master list that loses more than half of the certificates, or contains none, would take away trust without a word. */
function findLoss(
  kind: TrustFile['kind'],
  present: TrustFile | null,
  judged: readonly JudgedCertificate[],
): string | null {
  if (kind !== 'MASTER_LIST') return null
  const count = judged.filter(isAccepted).length
  const before = present === null ? 0 : present.certificates.verified + present.certificates.read
  if (count > 0 && count * 2 >= before) return null
  return `The list has ${count} accepted certificates, and the one in force ${before}: less than half would be left.`
}
