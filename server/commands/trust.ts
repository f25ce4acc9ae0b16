/** Runs `npm run trust`: imports, lists and exports the authorities that the chip of a document is verified with. */
import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock } from '../clock.ts'
import { replaceControlCharacters } from '../files/folder.ts'
import { writeNewFile } from '../files/write-file.ts'
import type { Store } from '../store/open.ts'
import type { TrustFile } from '../store/trust.ts'
import { getTimeNow } from '../time/trusted-time.ts'
import { formatName } from '../chip/passive/names.ts'
import { describeBundleFault, findBundleState } from '../trust/bundle-state.ts'
import {
  findLimited,
  judgeAge,
  judgeFreshness,
  MAX_DAYS_UNCHECKED,
  MAX_WORKING_DAYS_UNCHECKED,
} from '../trust/freshness.ts'
import { countVerdicts, importTrustFile, type TrustImport } from '../trust/import-file.ts'
import { TrustRefused } from '../trust/refused.ts'
import { removeTrustFile } from '../trust/remove-file.ts'
import { compareTrustFiles, MAX_FILE_BYTES, readTrustFile, type ReadTrustFile } from '../trust/trust-file.ts'
import { OPERATOR, printResult, readConfig, withPresentStore } from './appliance.ts'
import { makeOutFolder, readNamedFile } from './given-files.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `The authorities (CSCA) that the chip of a document is verified with. The product contains no list: an operator imports it.

  npm run trust -- import FILE… [--by NAME] [--confirmed-by NAME] [--data DIR] [--json]
  npm run trust -- list [--data DIR] [--json]
  npm run trust -- status [--data DIR] [--json]
  npm run trust -- remove ID --confirmed-by NAME [--by NAME] [--data DIR] [--json]
  npm run trust -- export --to FOLDER [--data DIR] [--json]

  import          verifies each FILE and puts it into force; the appliance may run. A FILE is a CSCA master list (.ml), the
                  certificate of an authority (CSCA), its revocation list or a defect list (BSI TR-03129-2), in DER or PEM. Several
                  files are taken in the order certificates, master lists by signing time, revocation lists, defect lists. A master list replaces the one before
                  of the same state. Importing the same file again records that there is no newer one
  --by            your name (default: the name of your account on this machine)
  --confirmed-by  name of the second person, who compared the SHA-256 of the file with what its publisher states. Required for
                  the first list of a state, for a single certificate, for a file that is not newer than each one of its kind that
                  was ever in force, and for a master list with less than half of the certificates of the one in force, or none
  list            lists the imported files with signer, signing time, SHA-256, who imported them, whether by hand or in a bundle of
                  the central service, and the time of the last check
  status          says whether each list was checked in time: one imported by hand in the last ${MAX_DAYS_UNCHECKED} days, one of the central
                  service in the last ${MAX_WORKING_DAYS_UNCHECKED} working days (Monday to Friday); and which bundle is in force
  remove          takes one file out of force, by two people; ID is that of list --json. The record of the file stays
  export          writes the certificates, revocation lists and defect lists in force, and trust.json with their sources
  --to            an empty or new folder
  --data          the appliance's data folder (default: ~/.local/share/counterproof)
  --json          prints the result as one JSON object

For each certificate of a list: verified (its signature belongs to its own key or to the key before it), read (accepted on the word
of the list; the certificate that signed it is not at hand), or refused with a reason.

Exit status: 0 done, 1 refused, 2 wrong use. Of status: 0 each list was checked in time, 1 a list is stale or a bundle is not in force,
3 nothing is imported, so that no chip can be verified.

Example: npm run trust -- import DE_ML.ml --by "Ada Example" --confirmed-by "Ben Example"
`

interface Asked {
  readonly files: readonly string[]
  readonly by: string | undefined
  readonly confirmedBy: string | undefined
  readonly to: string | undefined
}
interface Told {
  readonly result: unknown
  readonly words: string
  /** Exit status; default: 0. */
  readonly status?: number
}
type Action = (store: Store, asked: Asked) => Told | Promise<Told>

const ACTIONS: Readonly<Record<string, Action>> = {
  import: importAll,
  list,
  status,
  remove,
  export: exportAll,
}

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    by: { type: 'string' },
    'confirmed-by': { type: 'string' },
    to: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, ...files] = positionals
  const action = getAction(ACTIONS, name)
  if (name !== 'import' && name !== 'remove') refuseMore(files)
  const asked = { files, by: values.by, confirmedBy: values['confirmed-by'], to: values.to }
  const told = await withPresentStore(readConfig(values), (store) => action(store, asked))
  printResult(values.json, told.result, told.words)
  return told.status ?? 0
}

type FileResult =
  | { readonly file: string; readonly refused: string }
  | { readonly file: string; readonly read: ReadTrustFile }

async function importAll(store: Store, { files, by, confirmedBy }: Asked): Promise<Told> {
  if (files.length === 0) throw new UsageError('import needs at least one FILE')
  const given: FileResult[] = []
  for (const path of files) given.push(await readOne(path))
  const importers = { by: by ?? userInfo().username, confirmedBy: confirmedBy ?? null }
  const { latest } = getTimeNow(systemClock, store)
  const results = given.sort(compareFiles).map((each) => {
    if ('refused' in each) return each
    try {
      return { file: each.file, imported: importTrustFile(store, each.read, importers, latest, OPERATOR) }
    } catch (error) {
      return { file: each.file, refused: explain(error) }
    }
  })
  const isRefused = results.some((each) => 'refused' in each)
  return {
    result: {
      files: results.map((each) =>
        'refused' in each
          ? { file: each.file, refused: each.refused }
          : { file: each.file, ...describeImport(each.imported) },
      ),
    },
    words: results
      .map((each) =>
        'refused' in each
          ? `${each.file}: refused. ${each.refused}\n`
          : `${each.file}: ${formatImport(each.imported)}`,
      )
      .join(''),
    status: isRefused ? 1 : 0,
  }
}

async function readOne(path: string): Promise<FileResult> {
  const file = replaceControlCharacters(basename(path))
  const bytes = await readNamedFile(path, MAX_FILE_BYTES)
  try {
    return { file, read: readTrustFile(bytes) }
  } catch (error) {
    return { file, refused: explain(error) }
  }
}

function explain(error: unknown): string {
  if (error instanceof TrustRefused) return error.message
  throw error
}

/** Refused files come last. */
function compareFiles(one: FileResult, other: FileResult): number {
  if ('read' in one && 'read' in other) return compareTrustFiles(one.read, other.read)
  return Number('refused' in one) - Number('refused' in other)
}

function describeImport({ file, isNew, judged }: TrustImport) {
  const refused = judged.filter(({ verdict }) => verdict === 'refused')
  return {
    ...describeFile(file),
    isNew,
    certificates: { listed: judged.length, ...countVerdicts(judged) },
    reasons: countReasons(judged),
    refusedCertificates: refused.map(({ sha256, country, reason, certificate }) => ({
      sha256,
      country,
      subject: certificate === null ? null : formatName(certificate.subject),
      reason,
    })),
  }
}

function countReasons(judged: TrustImport['judged']): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { reason } of judged) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

function formatImport(imported: TrustImport): string {
  const { file, isNew, certificates, reasons, refusedCertificates } = {
    ...describeImport(imported),
    file: imported.file,
  }
  const counts = `${certificates.listed} certificates: ${certificates.verified} verified, ${certificates.read} read, ${certificates.refused} refused`
  const lines = [
    `${isNew ? 'in force' : 'in force already, checked again'}: ${formatFile(file)}`,
    ...(file.kind === 'REVOCATION_LIST' || file.kind === 'DEFECT_LIST'
      ? []
      : [
          `  ${counts}`,
          `  reasons: ${Object.entries(reasons)
            .map(([reason, count]) => `${reason} ${count}`)
            .join(', ')}`,
        ]),
    ...refusedCertificates.map(
      ({ sha256, subject, reason }) => `  refused: ${reason}  ${sha256}  ${subject ?? 'unreadable'}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

function list(store: Store): Told {
  const files = store.trust.list()
  const words = files.map(
    (file) =>
      `${file.replacedAt === null ? 'in force' : file.removedBy === null ? 'replaced' : 'removed'}  ${formatFile(file)}\n`,
  )
  return { result: { files: files.map(describeFile) }, words: words.join('') || NOTHING }
}

const NOTHING = 'No list is imported, so no chip can be verified: npm run trust -- import FILE\n'

function status(store: Store): Told {
  const { latest } = getTimeNow(systemClock, store)
  const files = store.trust.list()
  const freshness = judgeFreshness(files, latest)
  const lists = findLimited(files).map((file) => {
    const { days, unit, isStale } = judgeAge(file, latest)
    const origin = file.bundleVersion === null ? { daysUnchecked: days } : { workingDaysUnchecked: days }
    const words = `${KIND_WORDS[file.kind]} of ${file.signedAt?.toISOString() ?? '-'}, ${formatOrigin(file)}, checked ${days} ${unit === 'DAYS' ? 'days' : 'working days'} ago`
    const act =
      file.bundleVersion === null
        ? 'Get the newest list from its publisher and import it, even if it is the same'
        : 'Restore the connection to the central service, or get the newest list from its publisher and import it by hand'
    return {
      described: { ...describeFile(file), ...origin, isStale },
      words: `${file.country}: ${words}${isStale ? `: STALE. ${act}` : ''}\n`,
    }
  })
  const certificates = store.trust.certificates().length
  const bundle = findBundleState(store)
  const fault = bundle?.fault ?? null
  const told = [
    ...lists.map(({ words }) => words),
    freshness === 'empty' ? NOTHING : `${certificates} certificates in force\n`,
    ...(bundle !== null && bundle.version > 0
      ? [`bundle ${bundle.version} of the central service, checked ${formatTime(bundle.checkedAt)}\n`]
      : []),
    ...(fault === null ? [] : [`${describeBundleFault(fault)}\n`]),
  ]
  return {
    result: {
      freshness,
      maxDaysUnchecked: MAX_DAYS_UNCHECKED,
      maxWorkingDaysUnchecked: MAX_WORKING_DAYS_UNCHECKED,
      certificates,
      lists: lists.map(({ described }) => described),
      bundle:
        bundle === null
          ? null
          : {
              version: bundle.version,
              sha256: bundle.sha256,
              appliedAt: formatTime(bundle.appliedAt),
              checkedAt: formatTime(bundle.checkedAt),
              fault: fault && { ...fault, at: formatTime(fault.at), sentence: describeBundleFault(fault) },
            },
    },
    words: told.join(''),
    status: freshness === 'stale' || fault !== null ? 1 : freshness === 'empty' ? 3 : 0,
  }
}

const KIND_WORDS: Readonly<Record<TrustFile['kind'], string>> = {
  MASTER_LIST: 'list',
  CERTIFICATE: 'certificate',
  REVOCATION_LIST: 'revocation list',
  DEFECT_LIST: 'defect list',
}

/** @param ms since 1970; null: never */
function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function formatOrigin({ bundleVersion }: TrustFile): string {
  return bundleVersion === null ? 'by hand' : `by the central service (bundle ${bundleVersion})`
}

function remove(store: Store, { files: [id, ...more], by, confirmedBy }: Asked): Told {
  if (id === undefined) throw new UsageError('remove needs the ID of a file')
  refuseMore(more)
  const people = { by: by ?? userInfo().username, confirmedBy: confirmedBy ?? null }
  try {
    const removed = removeTrustFile(store, id, people, getTimeNow(systemClock, store).latest, OPERATOR)
    return { result: { removed: describeFile(removed) }, words: `removed: ${formatFile(removed)}\n` }
  } catch (error) {
    const refused = explain(error)
    return { result: { refused }, words: `refused. ${refused}\n`, status: 1 }
  }
}

async function exportAll(store: Store, { to }: Asked): Promise<Told> {
  if (to === undefined) throw new UsageError('export needs --to FOLDER')
  const files = [
    ...store.trust
      .certificates()
      .map(({ country, sha256, der }) => ({ name: `${country}-${sha256}.cer`, bytes: der })),
    ...store.trust
      .contents('REVOCATION_LIST')
      .map(({ country, sha256, der }) => ({ name: `${country}-${sha256}.crl`, bytes: der })),
    ...store.trust
      .contents('DEFECT_LIST')
      .map(({ country, sha256, der }) => ({ name: `${country}-${sha256}.dl`, bytes: der })),
  ]
  const sources = store.trust.list().filter(({ replacedAt }) => replacedAt === null)
  await makeOutFolder(to)
  writeNewFile(join(to, 'trust.json'), `${JSON.stringify({ sources: sources.map(describeFile) }, null, 2)}\n`)
  for (const { name, bytes } of files) writeNewFile(join(to, name), bytes)
  return {
    result: { folder: to, files: files.length, sources: sources.length },
    words: `${files.length} files, and trust.json\n`,
  }
}

function describeFile({ id, kind, country, signer, authority, sha256, certificates, ...file }: TrustFile) {
  return {
    id,
    kind,
    country,
    signer,
    authority,
    sha256,
    signedAt: file.signedAt?.toISOString() ?? null,
    importedAt: file.importedAt.toISOString(),
    importedBy: file.importedBy,
    confirmedBy: file.confirmedBy,
    checkedAt: file.checkedAt.toISOString(),
    origin: file.bundleVersion === null ? ('HAND' as const) : ('CENTRAL_SERVICE' as const),
    bundleVersion: file.bundleVersion,
    replacedAt: file.replacedAt?.toISOString() ?? null,
    removedBy: file.removedBy,
    removalConfirmedBy: file.removalConfirmedBy,
    certificates,
  }
}

function formatFile(file: TrustFile): string {
  const { kind, country, signer, sha256, signedAt, importedAt, importedBy, confirmedBy } = file
  const people = confirmedBy === null ? importedBy : `${importedBy} and ${confirmedBy}`
  return [
    kind,
    country,
    signedAt?.toISOString() ?? '-',
    `SHA-256 ${sha256}`,
    `signed by ${signer}`,
    `imported ${importedAt.toISOString()} by ${people}`,
    formatOrigin(file),
    `checked ${file.checkedAt.toISOString()}`,
  ].join('  ')
}
