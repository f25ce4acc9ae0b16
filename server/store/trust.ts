/**
 * The trust store of the chip: which master lists, certificates and revocation lists are in force, who imported them, and the
 * certificates that they contain. Replaced files stay as a record, without their contents.
 */
import type { Db } from './db.ts'
import type { TrustKind } from './trust-kinds.ts'

export interface TrustFile {
  readonly id: string
  readonly kind: TrustKind
  /** Key under which a later file replaces this one: only one file of a kind and series is in force. */
  readonly series: string
  /** ISO 3166-1, two letters; three for issuers that are no state. */
  readonly country: string
  /** Names of the signer and of the authority above it. */
  readonly signer: string
  readonly authority: string
  /** Hash of the file as it was imported, hexadecimal. */
  readonly sha256: string
  /** Null for a certificate. */
  readonly signedAt: Date | null
  readonly importedAt: Date
  readonly importedBy: string
  /** The second person; null if there was none. */
  readonly confirmedBy: string | null
  /**
   * Time of the last check that there is no newer file: an import of the same file, or an answer of the central service about the
   * bundle.
   */
  readonly checkedAt: Date
  /** Bundle of the central service that brought the file, or confirmed it last; null: imported by hand. */
  readonly bundleVersion: number | null
  /** Null: in force. */
  readonly replacedAt: Date | null
  /** The two people who removed it; null unless it was removed. */
  readonly removedBy: string | null
  readonly removalConfirmedBy: string | null
  readonly certificates: { readonly verified: number; readonly read: number; readonly refused: number }
}

export interface TrustCertificate {
  readonly sha256: string
  readonly country: string
  readonly der: Uint8Array
}

export interface TrustAuthority extends TrustCertificate {
  /** Hashes of the files in force that contain it, hexadecimal. */
  readonly sources: readonly string[]
}

export interface TrustFilter {
  readonly country: string
  /** Only certificates of the list that this country publishes, and those that two people imported one by one. */
  readonly isAnchor: boolean
  /** Leaves out the certificates of these files. Default: none. */
  readonly without?: readonly Pick<TrustFile, 'kind' | 'series'>[]
}

export interface Trust {
  /** Every file, also replaced ones, newest import first. */
  list(): readonly TrustFile[]
  findCurrent(kind: TrustKind, series: string): TrustFile | null
  /** The file with the latest signing time that ever was in force, also a replaced or removed one; null: none states a time. */
  findNewest(kind: TrustKind, series: string): TrustFile | null
  /** Replaces the file in force of that kind and series. Call inside a transaction. */
  replace(
    file: Omit<TrustFile, 'replacedAt' | 'checkedAt' | 'removedBy' | 'removalConfirmedBy'>,
    certificates: readonly TrustCertificate[],
    content: Uint8Array | null,
  ): void
  /** @param bundleVersion of the bundle that contains the file; null: by hand. Call inside a transaction. */
  noteChecked(id: string, at: Date, bundleVersion: number | null): void
  /** The central service has confirmed that this bundle is its newest. Call inside a transaction. */
  noteBundleChecked(bundleVersion: number, at: Date): void
  /** Certificates of all files in force, each once. */
  certificates(filter?: TrustFilter): readonly TrustCertificate[]
  /** Certificates of these countries in force, each once, with the files that contain it. */
  authorities(countries: readonly string[]): readonly TrustAuthority[]
  /** Lists of this kind in force, in DER. */
  contents(kind: 'REVOCATION_LIST' | 'DEFECT_LIST'): readonly TrustCertificate[]
  /** Takes a file out of force. Call inside a transaction. */
  remove(removal: {
    readonly id: string
    readonly at: Date
    readonly by: string
    readonly confirmedBy: string
  }): void
}

interface Row {
  id: string
  kind: TrustKind
  series: string
  country: string
  signer: string
  authority: string
  sha256: string
  signed_at: number | null
  imported_at: number
  imported_by: string
  confirmed_by: string | null
  checked_at: number
  bundle_version: number | null
  replaced_at: number | null
  removed_by: string | null
  removal_confirmed_by: string | null
  certificates_verified: number
  certificates_read: number
  certificates_refused: number
}

const COLUMNS =
  'id, kind, series, country, signer, authority, sha256, signed_at, imported_at, imported_by, confirmed_by, checked_at, bundle_version, replaced_at, certificates_verified, certificates_read, certificates_refused'
const REMOVAL_COLUMNS = 'removed_by, removal_confirmed_by'

export function createTrust(db: Db): Trust {
  const all = db.prepare<[], Row>(
    `SELECT ${COLUMNS}, ${REMOVAL_COLUMNS} FROM trust_files ORDER BY imported_at DESC, id DESC`,
  )
  const current = db.prepare<[string, string], Row>(
    `SELECT ${COLUMNS}, ${REMOVAL_COLUMNS} FROM trust_files WHERE kind = ? AND series = ? AND replaced_at IS NULL`,
  )
  const newest = db.prepare<[string, string], Row>(
    `SELECT ${COLUMNS}, ${REMOVAL_COLUMNS} FROM trust_files
     WHERE kind = ? AND series = ? AND signed_at IS NOT NULL
     ORDER BY signed_at DESC, replaced_at IS NULL DESC LIMIT 1`,
  )
  const forget = [
    `DELETE FROM trust_certificates WHERE file_id IN
       (SELECT id FROM trust_files WHERE kind = @kind AND series = @series AND replaced_at IS NULL)`,
    `UPDATE trust_files SET replaced_at = @at, content = NULL
       WHERE kind = @kind AND series = @series AND replaced_at IS NULL`,
  ].map((sql) => db.prepare<[{ kind: string; series: string; at: number }]>(sql))
  const insert = db.prepare(
    `INSERT INTO trust_files (${COLUMNS}, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?)`,
  )
  const insertCertificate = db.prepare(
    'INSERT INTO trust_certificates (file_id, sha256, country, der) VALUES (?, ?, ?, ?)',
  )
  const check = db.prepare('UPDATE trust_files SET checked_at = ?, bundle_version = ? WHERE id = ?')
  const checkBundle = db.prepare(
    'UPDATE trust_files SET checked_at = ? WHERE bundle_version = ? AND replaced_at IS NULL',
  )
  const everyCertificate = db.prepare<[], TrustCertificate>(
    'SELECT sha256, country, der FROM trust_certificates GROUP BY sha256 ORDER BY country, sha256',
  )
  const someCertificates = db.prepare<
    [{ country: string; isAnchor: number; without: string }],
    TrustCertificate
  >(
    `SELECT c.sha256, c.country, c.der FROM trust_certificates c JOIN trust_files f ON f.id = c.file_id
     WHERE c.country = @country AND (@isAnchor = 0 OR f.kind = 'CERTIFICATE' OR f.series = @country)
       AND f.kind || ' ' || f.series NOT IN (SELECT value FROM json_each(@without))
     GROUP BY c.sha256 ORDER BY c.sha256`,
  )
  const lists = db.prepare<[string], TrustCertificate>(
    `SELECT sha256, country, content AS der FROM trust_files
     WHERE kind = ? AND replaced_at IS NULL ORDER BY country, sha256`,
  )
  const authorities = db.prepare<[string], TrustCertificate & { sources: string }>(
    `SELECT c.sha256, c.country, c.der, group_concat(f.sha256) AS sources
     FROM trust_certificates c JOIN trust_files f ON f.id = c.file_id
     WHERE c.country = ? GROUP BY c.sha256 ORDER BY c.sha256`,
  )
  const dropCertificates = db.prepare<[string]>('DELETE FROM trust_certificates WHERE file_id = ?')
  const markRemoved = db.prepare<[number, string, string, string]>(
    `UPDATE trust_files SET replaced_at = ?, content = NULL, removed_by = ?, removal_confirmed_by = ?
     WHERE id = ? AND replaced_at IS NULL`,
  )
  return {
    list: () => all.all().map(parseRow),
    findCurrent: (kind, series) => {
      const row = current.get(kind, series)
      return row ? parseRow(row) : null
    },
    findNewest: (kind, series) => {
      const row = newest.get(kind, series)
      return row ? parseRow(row) : null
    },
    replace: (file, certificates, content) => {
      const { id, kind, series, country, signer, authority, sha256, signedAt, importedAt } = file
      const at = importedAt.getTime()
      for (const statement of forget) statement.run({ kind, series, at })
      const { verified, read, refused } = file.certificates
      const names = [id, kind, series, country, signer, authority, sha256]
      const people = [file.importedBy, file.confirmedBy]
      const times = [signedAt?.getTime() ?? null, at, ...people, at, file.bundleVersion]
      insert.run(...names, ...times, verified, read, refused, content)
      for (const each of certificates) insertCertificate.run(id, each.sha256, each.country, each.der)
    },
    noteChecked: (id, at, bundleVersion) => {
      check.run(at.getTime(), bundleVersion, id)
    },
    noteBundleChecked: (bundleVersion, at) => {
      checkBundle.run(at.getTime(), bundleVersion)
    },
    certificates: (filter) =>
      filter === undefined
        ? everyCertificate.all()
        : someCertificates.all({
            country: filter.country,
            isAnchor: filter.isAnchor ? 1 : 0,
            without: JSON.stringify((filter.without ?? []).map(({ kind, series }) => `${kind} ${series}`)),
          }),
    authorities: (countries) =>
      [...new Set(countries)].flatMap((country) =>
        authorities.all(country).map((each) => ({ ...each, sources: each.sources.split(',').sort() })),
      ),
    contents: (kind) => lists.all(kind),
    remove: ({ id, at, by, confirmedBy }) => {
      dropCertificates.run(id)
      markRemoved.run(at.getTime(), by, confirmedBy, id)
    },
  }
}

function parseRow(row: Row): TrustFile {
  const { id, kind, series, country, signer, authority, sha256 } = row
  return {
    id,
    kind,
    series,
    country,
    signer,
    authority,
    sha256,
    signedAt: row.signed_at === null ? null : new Date(row.signed_at),
    importedAt: new Date(row.imported_at),
    importedBy: row.imported_by,
    confirmedBy: row.confirmed_by,
    checkedAt: new Date(row.checked_at),
    bundleVersion: row.bundle_version,
    replacedAt: row.replaced_at === null ? null : new Date(row.replaced_at),
    removedBy: row.removed_by,
    removalConfirmedBy: row.removal_confirmed_by,
    certificates: {
      verified: row.certificates_verified,
      read: row.certificates_read,
      refused: row.certificates_refused,
    },
  }
}
