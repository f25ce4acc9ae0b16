/**
 * `npm run verify-proof`: verifies that archives are complete proofs, signed with this key or under this CA.
 * It needs only the files and no network. It is also the command of the package that `npm run verifier`
 * creates, so it imports only the verifier, the rules that derive levels, the envelope of the API, the
 * reading of files, and its own neighbours.
 */
import { parseArgs } from 'node:util'
import { extractArchive } from '../proof/multipart.ts'
import { KeyError, type KeySource, type VerificationReport, verifyProof } from '../proof/verify.ts'
import { LIMITS } from '../proof/verify/read-zip.ts'
import { FileError, listArchives, readLimited, readTrustFiles } from './verify-proof-files.ts'
import { reassess, type Reassessment } from '../reassess/reassess.ts'
import {
  describeReport,
  describeReportInOneLine,
  describeReassessment,
  summary,
} from './verify-proof-words.ts'

const usage = (command: string): string => `Usage: ${command} FILE|FOLDER… --key PEM|JWKS [options]

Verifies proof archives with nothing but public keys or a CA: structure, every hash, the signature, the time stamp.

  FILE             an archive (.zip), or the multipart body that GET …/proof returns; several are allowed
  FOLDER           verifies every .zip in it and in its subfolders
  --key FILE       public keys or certificates (PEM), or a key set (JWKS); may be repeated
  --ca FILE        CA certificates (PEM) that certify only signing keys of proofs. With them, an archive that contains its
                   certificate is verified without its key; may be repeated
  --tsa-ca FILE    CA certificates (PEM) of time-stamping authorities; may be repeated
  --revoked KID=DATE
                   does not trust the key of this id (kid of the key set) from DATE on (ISO 8601), unless a time stamp
                   proves that the proof is older; may be repeated
  --re-evaluate    also derives the level of assurance again from the archive alone, by the policy in it, and names each
                   difference from the archive's statement
  --json           prints the report as one JSON object
  --help           prints this text

Exit status: 0 every proof is valid (and, with --re-evaluate, its level is the derived one), 1 a proof is not,
2 the command could not run.

Example: ${command} proof.zip --key jwks.json --re-evaluate
`
const VALID = 0
const NOT_VALID = 1
const USAGE_PROBLEM = 2

interface Options {
  readonly paths: readonly string[]
  readonly keys: readonly string[]
  readonly cas: readonly string[]
  readonly tsaCas: readonly string[]
  readonly revoked: Readonly<Record<string, Date>>
  readonly json: boolean
  readonly reEvaluate: boolean
}

/** Adds the derived level if requested and if the archive is a valid proof. */
type Checked = VerificationReport & { readonly reevaluation?: Reassessment }

/** A sentence for the terminal: the command could not start its work. */
class UsageError extends Error {}

/** @param command how it was called, for its help */
export async function run(argv: string[], command = 'npm run verify-proof --'): Promise<number> {
  try {
    const options = readOptions(argv)
    if (options === 'help') {
      process.stdout.write(usage(command))
      return VALID
    }
    const trust: KeySource = { ...(await readTrustFiles(options)), revoked: options.revoked }
    const { files, several } = await listArchives(options.paths)
    return several ? await verifyAll(files, trust, options) : await verifyOne(files[0], trust, options)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof KeyError || error instanceof FileError)) throw error
    process.stderr.write(`verify-proof: ${error.message}\n`)
    return USAGE_PROBLEM
  }
}

async function verifyOne(file: string, trust: KeySource, options: Options): Promise<number> {
  const report = await verifyFile(file, trust, options)
  const words = describeReport(report) + describeReassessment(report.reevaluation)
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : words)
  return isSound(report) ? VALID : NOT_VALID
}

function isSound({ valid, reevaluation }: Checked): boolean {
  return valid && (reevaluation === undefined || (reevaluation.possible && reevaluation.agrees))
}

/**
 * Holds one archive in memory at a time; an unreadable archive counts as invalid, and the others are still
 * checked.
 */
async function verifyAll(files: readonly string[], trust: KeySource, options: Options): Promise<number> {
  const { json } = options
  const archives: ({ file: string } & Checked)[] = []
  for (const file of files) {
    const report: Checked = await verifyFile(file, trust, options).catch((error: unknown) => {
      if (error instanceof FileError) return unreadable(error.message)
      throw error
    })
    archives.push({ file, ...report })
    if (!json)
      process.stdout.write(describeReportInOneLine(file, report) + describeReassessment(report.reevaluation))
  }
  const verified = archives.filter(isSound).length
  const refused = archives.length - verified
  process.stdout.write(
    json ? `${JSON.stringify({ archives, verified, refused })}\n` : summary(verified, refused),
  )
  return refused === 0 ? VALID : NOT_VALID
}

async function verifyFile(file: string, trust: KeySource, { reEvaluate }: Options): Promise<Checked> {
  const archive = extractArchive(await readLimited(file, LIMITS.archiveBytes))
  if (archive) {
    const report = await verifyProof(archive, trust)
    // An invalid archive proves nothing, so no level is derived from it.
    return report.valid && reEvaluate ? { ...report, reevaluation: reassess(archive) } : report
  }
  return unreadable('The file is neither a zip archive nor a whole multipart body with one in it.')
}

function unreadable(message: string): VerificationReport {
  return {
    valid: false,
    proofId: null,
    identityId: null,
    levelOfAssurance: null,
    problems: [{ code: 'archive_unreadable', message }],
  }
}

function readOptions(argv: string[]): 'help' | Options {
  const { values, positionals } = parse(argv)
  if (values.help) return 'help'
  const { key: keys = [], ca: cas = [], 'tsa-ca': tsaCas = [], revoked = [], json = false } = values
  const reEvaluate = values['re-evaluate'] ?? false
  if (positionals.length === 0) throw new UsageError('Give an archive or a folder of them. See --help.')
  if (keys.length + cas.length === 0) {
    throw new UsageError('Give the public key with --key, or the CA with --ca. See --help.')
  }
  return {
    paths: positionals,
    keys,
    cas,
    tsaCas,
    json,
    reEvaluate,
    revoked: Object.fromEntries(revoked.map(readRevocation)),
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: withValues(argv),
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        ca: { type: 'string', multiple: true },
        'tsa-ca': { type: 'string', multiple: true },
        revoked: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        're-evaluate': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    const [what = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${what}. See --help.`)
  }
}

/** The id of a key may begin with a hyphen, as an option does. */
function withValues(argv: readonly string[]): string[] {
  return argv.flatMap((text, index) => {
    if (text === '--revoked' && index + 1 < argv.length) return [`--revoked=${argv[index + 1]}`]
    return argv[index - 1] === '--revoked' ? [] : [text]
  })
}

const REVOCATION = /^([A-Za-z0-9_-]{43})=(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z)?)$/

/**
 * A typing error here would accept a stolen key, so the id must be a thumbprint, and the date a date in UTC.
 */
function readRevocation(text: string): [string, Date] {
  const [, keyId = '', date = ''] = REVOCATION.exec(text) ?? []
  const since = new Date(date)
  if (keyId !== '' && !Number.isNaN(since.getTime())) return [keyId, since]
  throw new UsageError(
    '--revoked wants KID=DATE: the kid of a key set, and 2026-11-20 or 2026-11-20T10:00:00Z.',
  )
}
