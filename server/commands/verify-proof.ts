/** `npm run verify-proof`: is this archive a whole proof, signed by this key? Needs nothing but the two files. */
import { open, readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { extractArchive } from '../proof/multipart.ts'
import { KeyError, type KeySource, readKeys, type VerificationReport, verifyProof } from '../proof/verify.ts'
import { LIMITS } from '../proof/verify/read-zip.ts'

const USAGE = `Usage: npm run verify-proof -- FILE --key PEM|JWKS [--key …] [--json]

Checks a proof archive with nothing but public keys: its structure, every hash, the signature.

  FILE        the archive (.zip), or the multipart body as GET …/proof returns it
  --key FILE  a public key or certificate (PEM), or a key set (JWKS); may be repeated
  --json      print the report as one JSON object
  --help      this text

Exit status: 0 the proof is valid, 1 it is not, 2 the command could not run.
`
const VALID = 0
const NOT_VALID = 1
const USAGE_PROBLEM = 2
const LARGEST_KEY_FILE = 1024 * 1024 // a key set of a thousand keys

/** A sentence for the person at the terminal: the command could not even start its work. */
class UsageError extends Error {}

export async function run(argv: string[]): Promise<number> {
  try {
    const options = readOptions(argv)
    if (options === 'help') {
      process.stdout.write(USAGE)
      return VALID
    }
    const keys = await readKeyFiles(options.keys)
    const archive = extractArchive(await readLimited(options.file, LIMITS.archiveBytes))
    const report = archive === null ? notAnArchive() : await verifyProof(archive, keys)
    process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : inWords(report))
    return report.valid ? VALID : NOT_VALID
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof KeyError)) throw error
    process.stderr.write(`verify-proof: ${error.message}\n`)
    return USAGE_PROBLEM
  }
}

function readOptions(argv: string[]): 'help' | { file: string; keys: string[]; json: boolean } {
  let parsed
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'unknown option')
  }
  const { key: keys = [], json = false, help = false } = parsed.values
  if (help) return 'help'
  const [file, ...more] = parsed.positionals
  if (file === undefined || more.length > 0) throw new UsageError('Give one archive. See --help.')
  if (keys.length === 0) throw new UsageError('Give the public key with --key. See --help.')
  return { file, keys, json }
}

/** PEM and JWKS files together. A file without a usable key stops the command: it was given for a reason. */
async function readKeyFiles(paths: readonly string[]): Promise<KeySource> {
  const pems: string[] = []
  const jwks: unknown[] = []
  for (const path of paths) {
    const text = (await readLimited(path, LARGEST_KEY_FILE)).toString('utf8')
    if (text.includes('-----BEGIN ')) {
      readKeys({ pem: text })
      pems.push(text)
    } else {
      const parsed = parseJson(text)
      readKeys({ jwks: parsed })
      jwks.push(...keysOf(parsed))
    }
  }
  return {
    ...(pems.length > 0 && { pem: pems.join('\n') }),
    ...(jwks.length > 0 && { jwks: { keys: jwks } }),
  }
}

function keysOf(parsed: unknown): unknown[] {
  const isSet =
    typeof parsed === 'object' && parsed !== null && 'keys' in parsed && Array.isArray(parsed.keys)
  return isSet ? (parsed.keys as unknown[]) : [parsed]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new UsageError('The key file is neither PEM nor JSON.')
  }
}

async function readLimited(path: string, limit: number): Promise<Buffer> {
  try {
    const handle = await open(path)
    try {
      const { size } = await handle.stat()
      if (size > limit) throw new UsageError(`${path} has ${size} bytes; ${limit} are the most that is read.`)
    } finally {
      await handle.close()
    }
    return await readFile(path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new UsageError(`${path} cannot be read (${code}).`)
  }
}

function notAnArchive(): VerificationReport {
  const message = 'The file is neither a zip archive nor a whole multipart body with one in it.'
  return {
    valid: false,
    proofId: null,
    identityId: null,
    levelOfAssurance: null,
    problems: [{ code: 'archive_unreadable', message }],
  }
}

function inWords(report: VerificationReport): string {
  if (report.valid) {
    const warning = report.test ? 'Sealed for a test tenant: it proves nothing about a real person.\n' : ''
    return `${warning}proof verified: ${report.proofId} ${report.levelOfAssurance}\n`
  }
  const lines = report.problems.map(({ code, message }) => `  ${message} [${code}]\n`)
  return `proof NOT valid:\n${lines.join('')}`
}
