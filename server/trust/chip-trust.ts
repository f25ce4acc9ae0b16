/** The trust that a chip is verified with: read from the trust store of the appliance, or from a folder of files. */
import { parseSignedData } from '../chip/files/cms.ts'
import { ChipFault } from '../chip/outcome.ts'
import { hashBytes, parseChipCertificate, type ChipCertificate } from '../chip/passive/certificate.ts'
import type { ChipTrust, TrustedAuthority } from '../chip/passive/chip-trust.ts'
import { findCountry } from '../chip/passive/names.ts'
import { parseRevocationList } from '../chip/passive/revocation-list.ts'
import type { Store } from '../store/open.ts'
import type { TrustKind } from '../store/trust-kinds.ts'
import { explainRefusal, isAccepted, judgeCertificates } from './authorities.ts'
import { parseDefectList, verifyDefectList } from './defect-list.ts'
import { judgeFreshness } from './freshness.ts'
import { verifyMasterList } from './master-list.ts'
import { TrustRefused } from './refused.ts'
import { readTrustFile, type ReadTrustFile } from './trust-file.ts'

/**
 * The authorities of these countries in force, and all lists in force. Document signers are not imported.
 * @param countries from `listSignerCountries`
 * @param now the latest possible time, for the age of the lists
 */
export function readChipTrust(
  { trust }: Pick<Store, 'trust'>,
  countries: readonly string[],
  now: Date,
): ChipTrust {
  return {
    authorities: trust.authorities(countries).map(({ der, sources }) => ({
      certificate: parseChipCertificate(der),
      sources,
    })),
    signers: [],
    revocationLists: trust
      .contents('REVOCATION_LIST')
      .map(({ sha256, der }) => ({ sha256, list: parseRevocationList(der) })),
    defectLists: trust
      .contents('DEFECT_LIST')
      .map(({ sha256, der }) => ({ sha256, defects: parseDefectList(parseSignedData(der)).defects })),
    isOutdated: judgeFreshness(trust.list(), now) === 'stale',
    asOf: now,
  }
}

export interface FolderFile {
  readonly file: string
  readonly bytes: Uint8Array
}

export interface FolderEntry {
  readonly file: string
  readonly kind: TrustKind
  readonly sha256: string
  readonly country: string | null
  /** A newer list of the same state is in the folder. */
  readonly isReplaced: boolean
}

export interface FolderTrust {
  readonly trust: ChipTrust
  readonly entries: readonly FolderEntry[]
}

type Read = ReadTrustFile & { readonly file: string }

/**
 * The owner of the folder vouches for its authorities, which must pass the rules of a list. A certificate that in no way says that it is
 * an authority is a document signer, and is not trusted. Of each state, the newest master list and the newest defect list count, if their signers lead to
 * an authority of the folder or, for a state without one, to an authority in the list.
 * @throws TrustRefused with the name of the file
 */
export function readFolderTrust(files: readonly FolderFile[]): FolderTrust {
  const read = files.map(({ file, bytes }): Read => ({ file, ...explain(file, () => readTrustFile(bytes)) }))
  const authorities = new Map<string, TrustedAuthority>()
  const add = (certificate: ChipCertificate, source: string): void => {
    const key = Buffer.from(certificate.der).toString('base64')
    const sources = authorities.get(key)?.sources ?? []
    authorities.set(key, { certificate, sources: [...sources, source] })
  }
  const certificates = read
    .filter(({ kind }) => kind === 'CERTIFICATE')
    .map((each) => ({ ...each, certificate: explain(each.file, () => parseChipCertificate(each.der)) }))
  const claims = certificates.filter(({ certificate }) => claimsAuthority(certificate))
  const judged = judgeCertificates(claims.map(({ der }) => der))
  const accepted = new Set(judged.filter(isAccepted).map((each) => each.sha256))
  for (const { file, der, sha256, certificate } of claims) {
    const hash = hashBytes(der)
    if (!accepted.has(hash)) {
      const reason = judged.find((each) => each.sha256 === hash)?.reason ?? 'malformed_data'
      throw new TrustRefused(`${file}: ${explainRefusal(reason)}`)
    }
    add(certificate, sha256)
  }
  const own = [...authorities.values()].map(({ certificate }) => certificate)
  const replaced = new Set(read.filter((each) => isOlder(each, read)))
  for (const each of read) {
    if (each.kind !== 'MASTER_LIST' || replaced.has(each)) continue
    const { list } = each
    const anchors = own.filter(({ subject }) => findCountry(subject) === list.country)
    const verified = explain(each.file, () => verifyMasterList(list, anchors))
    for (const { certificate } of verified.judged.filter(isAccepted)) add(certificate, each.sha256)
  }
  const all = [...authorities.values()]
  return {
    trust: {
      authorities: all,
      signers: certificates
        .map(({ certificate }) => certificate)
        .filter((certificate) => !claimsAuthority(certificate)),
      revocationLists: read.flatMap((each) =>
        each.kind === 'REVOCATION_LIST' ? [{ sha256: each.sha256, list: each.list }] : [],
      ),
      defectLists: read.flatMap((each) => {
        if (each.kind !== 'DEFECT_LIST' || replaced.has(each)) return []
        const anchors = all.map(({ certificate }) => certificate)
        explain(each.file, () => verifyDefectList(each.list, anchors))
        return [{ sha256: each.sha256, defects: each.list.defects }]
      }),
    },
    entries: read.map((each) => ({
      file: each.file,
      kind: each.kind,
      sha256: each.sha256,
      country: readCountry(each),
      isReplaced: replaced.has(each),
    })),
  }
}

function claimsAuthority({ isAuthority, keyUsage }: ChipCertificate): boolean {
  return isAuthority || keyUsage?.certificateSigning === true
}

function isOlder(one: Read, all: readonly Read[]): boolean {
  if (one.kind !== 'MASTER_LIST' && one.kind !== 'DEFECT_LIST') return false
  return all.some(
    (other) =>
      other.kind === one.kind &&
      'signedAt' in other.list &&
      other.list.country === one.list.country &&
      other.list.signedAt > one.list.signedAt,
  )
}

function readCountry(each: Read): string | null {
  switch (each.kind) {
    case 'CERTIFICATE':
      return findCountry(parseChipCertificate(each.der).subject)
    case 'REVOCATION_LIST':
      return findCountry(each.list.issuer)
    case 'MASTER_LIST':
    case 'DEFECT_LIST':
      return each.list.country
  }
}

function explain<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof TrustRefused) throw new TrustRefused(`${file}: ${error.message}`, { cause: error })
    if (error instanceof ChipFault)
      throw new TrustRefused(
        `${file} cannot be verified (${error.reason}). Get it again from its publisher.`,
        {
          cause: error,
        },
      )
    throw error
  }
}
