/**
 * The conformance kit of the relying service API: calls every operation of a running server and reports the
 * differences from the specification. It uses only Node and imports nothing of any server.
 */
import { parseArgs } from 'node:util'
import type { Chapter } from './chapters/common.ts'
import { BESIDE, CHAPTERS } from './chapters/index.ts'
import { ChapterStoppedError, Kit } from './kit.ts'
import type { Keys, Target } from './kit.ts'
import { startOwnServer } from './own-server.ts'
import { describe, summarise } from './report.ts'

const HELP = `Calls every operation of a server of the identity proofing relying service API and compares the answers with the specification.

  npm run conformance -- [--url URL] [--idp ID] [--strict] [--json]

Without --url (or COUNTERPROOF_URL) the command starts a Counterproof of its own in a temporary folder and stops it at the end.
With it, the keys come from the environment:
  COUNTERPROOF_BACK_END_KEY, COUNTERPROOF_USER_AGENT_KEY   a key of each role
  COUNTERPROOF_OTHER_BACK_END_KEY, COUNTERPROOF_OTHER_USER_AGENT_KEY   keys of another application; without them, that part
                is skipped
  --url URL     the server to test
  --idp ID      an identity provider that the server knows (default: COUNTERPROOF_IDP; without it, that part is skipped)
  --strict      also tests decisions of Counterproof where the specification is silent (always on with its own server)
  --json        prints one JSON object instead of the table

Exit status: 0 everything passed, 1 something failed, 2 the command could not start.

Example: npm run conformance -- --url http://127.0.0.1:8717 --json
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      url: { type: 'string' },
      idp: { type: 'string' },
      strict: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { COUNTERPROOF_BACK_END_KEY: backEnd, COUNTERPROOF_USER_AGENT_KEY: userAgent } = process.env
  const url = values.url ?? process.env.COUNTERPROOF_URL
  const idpIdentifier = values.idp ?? process.env.COUNTERPROOF_IDP ?? null
  const tell = progressLine()
  if (url === undefined) {
    tell('starting a server')
    const server = await startOwnServer()
    try {
      return await drive(server.target, { ...values, strict: true }, tell)
    } finally {
      await server.stop()
    }
  }
  if (!backEnd || !userAgent) {
    process.stderr.write(
      'Set COUNTERPROOF_BACK_END_KEY and COUNTERPROOF_USER_AGENT_KEY, or leave --url away.\n',
    )
    return 2
  }
  const target: Target = {
    url: url.replace(/\/+$/, ''),
    keys: { backEnd, userAgent },
    otherKeys: readOtherKeys(process.env),
    own: null,
    idpIdentifier,
  }
  return drive(target, values, tell)
}

function readOtherKeys(env: NodeJS.ProcessEnv): Keys | null {
  const { COUNTERPROOF_OTHER_BACK_END_KEY: backEnd, COUNTERPROOF_OTHER_USER_AGENT_KEY: userAgent } = env
  return backEnd && userAgent ? { backEnd, userAgent } : null
}

interface Wishes {
  readonly strict: boolean
  readonly json: boolean
}

async function drive(
  target: Target,
  { strict, json }: Wishes,
  tell: (line: string) => void,
): Promise<number> {
  const kit = new Kit(target, tell)
  const runChapter = async ([title, chapter]: readonly [string, Chapter]): Promise<void> => {
    try {
      await chapter(kit)
    } catch (error) {
      if (!(error instanceof ChapterStoppedError)) throw error
      tell(`${title} stopped at: ${error.message}`)
    }
  }
  const beside = runChapter(BESIDE)
  // Its own failure is thrown below.
  beside.catch(() => undefined)
  for (const chapter of CHAPTERS) await runChapter(chapter)
  await beside
  tell('')
  const summary = summarise(kit.outcomes, { strict, idpKnown: target.idpIdentifier !== null })
  process.stdout.write(json ? `${JSON.stringify(summary)}\n` : describe(summary))
  return summary.passed ? 0 : 1
}

/** One line that is overwritten, only on a terminal. */
function progressLine(): (line: string) => void {
  const { stderr } = process
  if (!stderr.isTTY) return () => undefined
  return (line) => stderr.write(`\r\x1b[2K${line.slice(0, (stderr.columns || 80) - 1)}`)
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2))
