/** `npm run chip`: checks recorded sessions with a chip against the protocol code. It opens no reader and stores nothing. */
import { parseArgs } from 'node:util'
import { MAX_RECORDING_BYTES, parseRecording, RecordingError } from '../chip/replay/recording.ts'
import { replayRecording, type ReplayReport } from '../chip/replay/replay.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'
import { FileError, readFileOrInput } from './verify-proof-files.ts'

const HELP = `Checks recorded sessions with the chip of a document against the protocol code of this program.

  npm run chip -- replay FILE|- [--json]

  replay      runs the protocol with the recorded secrets of the terminal and the recorded responses of the chip, and compares
              commands, session keys and counters
  FILE        a recording: a JSON object whose bytes are hexadecimal; - reads standard input
  --json      prints the report as one JSON object

The members of the recording decide which protocol it is (password: {type: "MRZ", documentNumber, dateOfBirth, dateOfExpiry} or
{type: "CAN", can}; sm: {alg: "TDES" or "AES", ksEnc, ksMac}; apdus: a list of {c, r}):
  PACE                   oid, parameterId, password, cardAccess, terminalKeys [{d}], apdus, sm, ssc
  BAC                    documentNumber, dateOfBirth, dateOfExpiry, rndIfd, kIfd, apdus, sm, ssc
  chip authentication    dg14, smBefore, sscBefore, terminalKeys [{d}], apdus, smAfter, sscAfter
  active authentication  dg15, rndIfd, smBefore, sscBefore, apdus, signature; dg14 if it names the hash
  passive                sod, dg1, dg2 … dg16, csca (a certificate or a list of them), at (a time in UTC)
  secure messaging       sm, ssc, steps [{plainCommand, c, r, plainData, sw, sscAfter}]

A success says that the recording follows the protocol. It does not say that the document is genuine: that needs passive
authentication of DG14, DG15 or EF.CardSecurity with certificates that you trust; a replay trusts those of the recording, and
judges their validity only at the recorded time. The report contains no key and no data of the document.

Exit status: 0 the session is reproduced, 1 it is not, 2 the command could not run.

Example: npm run chip -- replay session.json --json
`
const ACTIONS = { replay } as const

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [action, ...words] = positionals
  if (action === undefined) throw new UsageError('Give an action.')
  return getAction(ACTIONS, action)(words, values.json)
}

async function replay([file, ...more]: readonly string[], json: boolean): Promise<number> {
  if (file === undefined) throw new UsageError('Give one recording.')
  refuseMore(more)
  try {
    const report = await replayRecording(
      parseRecording((await readFileOrInput(file, MAX_RECORDING_BYTES)).toString('utf8')),
    )
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : toWords(report))
    return report.verdict === 'successful' ? 0 : 1
  } catch (error) {
    if (error instanceof RecordingError || error instanceof FileError)
      throw new UsageError(error.message, { cause: error })
    throw error
  }
}

function toWords({ kind, verdict, reason, statusWord, checks, commands }: ReplayReport): string {
  const { recorded, exact, equivalent, different, left } = commands
  const why = [reason, statusWord].filter((part) => part !== null).join(', status word ')
  return [
    `${kind.replaceAll('_', ' ')}: ${verdict}${why === '' ? '' : ` (${why})`}`,
    ...checks.map(({ name, passed }) => `  ${passed ? 'passed' : 'FAILED'}  ${name.replaceAll('_', ' ')}`),
    `  commands: ${recorded} recorded, ${exact} the same, ${equivalent} equivalent, ${different} different, ${left} not played`,
    '',
  ].join('\n')
}
