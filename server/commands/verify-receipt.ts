/** `npm run verify-receipt`: verifies the receipt of a deletion with a key. It needs only the two files. */
import { parseArgs } from 'node:util'
import { verifyDeletionReceipt, type ReceiptReport } from '../proof/verify/deletion-receipt.ts'
import { KeyError } from '../proof/verify/keys.ts'
import { UsageError } from './usage.ts'
import { FileError, readFileOrInput, readTrustFiles } from './verify-proof-files.ts'

const HELP = `Verifies the signed receipt of a deletion with nothing but public keys, offline.

  npm run verify-receipt -- FILE|- --key PEM|JWKS [--key …] [--json]

  FILE        the receipt (a compact JWS), or the answer of GET /v1/deletion-receipts/{id}; - reads standard input
  --key FILE  a public key or certificate (PEM), or a key set (JWKS); may be repeated
  --json      prints the report as one JSON object

Exit status: 0 the receipt is valid, 1 it is not, 2 the command could not run.

Example: npm run verify-receipt -- receipt.json --key jwks.json
`
/** A thousand times the size of a receipt. */
const LARGEST_FILE = 4 * 1024 * 1024

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new UsageError('Give one receipt.')
  if (values.key.length === 0) throw new UsageError('Give the public key with --key.')
  try {
    const keys = await readTrustFiles({ keys: values.key, cas: [], tsaCas: [] })
    const report = verifyDeletionReceipt(
      receiptIn((await readFileOrInput(file, LARGEST_FILE)).toString('utf8')),
      keys,
    )
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : inWords(report))
    return report.valid ? 0 : 1
  } catch (error) {
    if (error instanceof KeyError || error instanceof FileError)
      throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** The JWS by itself, or inside the answer of the API. */
function receiptIn(text: string): string {
  if (!text.trimStart().startsWith('{')) return text.trim()
  const answer = parseJson(text, 'The receipt')
  const inside = (answer as { receipt?: unknown }).receipt
  return typeof inside === 'string' ? inside : ''
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new UsageError(`${what} is neither JSON nor of another form that is known here.`)
  }
}

function inWords({ valid, receipt, problems }: ReceiptReport): string {
  if (!valid || receipt === null) {
    return `receipt NOT valid:\n${problems.map(({ code, message }) => `  ${message} [${code}]\n`).join('')}`
  }
  const { identityId, erasedAt, reason, destroyed, proofId } = receipt
  const rows = Object.values(destroyed.rows).reduce((sum, count) => sum + count, 0)
  return [
    `receipt verified: identity ${identityId} was erased at ${erasedAt} UTC (${reason})`,
    `  its data key, ${rows} rows and ${destroyed.files} files were destroyed`,
    ...(proofId ? [`  its last proof was ${proofId}`] : []),
    '',
  ].join('\n')
}
