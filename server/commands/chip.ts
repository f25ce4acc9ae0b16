/** `npm run chip`: reads a chip, verifies files that were read from one, and checks recorded sessions. Stores nothing unless asked. */
import { parseArgs } from 'node:util'
import { MAX_RECORDING_BYTES, parseRecording, RecordingError } from '../chip/replay/recording.ts'
import { replayRecording, type ReplayReport } from '../chip/replay/replay.ts'
import { systemClock } from '../clock.ts'
import { readChip } from './chip-read.ts'
import { verifyFiles } from './chip-verify.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'
import { FileError, readFileOrInput } from './verify-proof-files.ts'

const HELP = `Reads the chip of a document, verifies the files of one, and checks recorded sessions.

  npm run chip -- read [--mrz-file FILE|-] [--can-file FILE|-] [--reader NAME] [--trust FOLDER] [--out FOLDER] [--data DIR] [--json]
  npm run chip -- replay FILE|- [--json]
  npm run chip -- verify --sod FILE [--dg N=FILE]… [--com FILE] [--card-security FILE] --trust FOLDER [--at DATE]
                         [--require-revocation-list] [--json]

  read        inspects the chip on a reader, for an administrator: each step with its verdict and reason. Prints no data of the
              document. Without --trust no authority is trusted, so the verdict is undetermined at best
  --mrz-file  file with the two or three lines of the printed MRZ, which open the chip; - reads standard input. Without it and without
              --can-file the command asks for them. No option takes a key itself, because other users see the command line
  --can-file  file with the card access number (six digits), instead
  --reader    begins the name of the reader; npm run readers -- list shows them
  --out       empty or new folder to which the files of the chip and the portraits are written, readable only by you: they are
              personal data
  --data      the appliance's data folder, whose configuration names pcscd's socket (default: ~/.local/share/counterproof)
  replay      runs the protocol with the recorded secrets of the terminal and the recorded responses of the chip, and compares
              commands, session keys and counters
  FILE        a recording: a JSON object whose bytes are hexadecimal; - reads standard input
  verify      passive authentication: whether the issuing state signed these files
  --sod       EF.SOD as it was read (binary, also the other files)
  --dg        a data group, such as --dg 1=DG1.bin; once for each that you use. Without DG1 the country is undetermined
  --com       EF.COM, whose list of groups must be that of EF.SOD
  --card-security  EF.CardSecurity, verified by the same rules
  --trust     folder with the authorities that you trust: master lists, certificates, revocation lists, defect lists, in DER or
              PEM. Of each state the newest list counts. Its signer must lead to an authority of that state in the folder, if
              there is one. Files that end in .json .md .txt .tsv .csv .pdf .html are passed over, and the report names them.
              npm run trust -- export writes such a folder
  --at        date of reading, such as 2026-11-29 (default: now)
  --require-revocation-list  the verdict is undetermined without a revocation list of the issuer in force; by default that
              leaves the indicator CHIP_REVOCATION_UNVERIFIED
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

Verdicts of verify: successful, failed, undetermined (a source is missing, such as the authority), each check with its reason. The
verdict of --json and the exit status count both files, EF.SOD and EF.CardSecurity; the member cardSecurity has that of the second. It
says nothing of the chip: a copy of all files passes, too. The report of verify contains certificates and hashes of lists, and no
data of the document.

Exit status: 0 the session is reproduced, or the verdict is successful; 1 it is not; 2 the command could not run.

Example: npm run chip -- read --mrz-file mrz.txt --trust masterlists --json
Example: npm run chip -- replay session.json --json
Example: npm run chip -- verify --sod EF_SOD.bin --dg 1=DG1.bin --dg 2=DG2.bin --trust masterlists --at 2026-11-29
`
const ACTIONS = { read, replay, verify } as const
const READ_OPTIONS = {
  'mrz-file': { type: 'string' },
  'can-file': { type: 'string' },
  reader: { type: 'string' },
  trust: { type: 'string' },
  out: { type: 'string' },
  data: { type: 'string' },
} as const
const VERIFY_OPTIONS = {
  sod: { type: 'string' },
  dg: { type: 'string', multiple: true },
  com: { type: 'string' },
  'card-security': { type: 'string' },
  trust: { type: 'string' },
  at: { type: 'string' },
  'require-revocation-list': { type: 'boolean' },
} as const
type Values = ReturnType<typeof parseArgs<{ options: typeof VERIFY_OPTIONS & typeof READ_OPTIONS }>>['values']

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      ...VERIFY_OPTIONS,
      ...READ_OPTIONS,
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [action, ...words] = positionals
  if (action === undefined) throw new UsageError('Give an action.')
  return getAction(ACTIONS, action)(words, values.json, values)
}

async function replay([file, ...more]: readonly string[], json: boolean, options: Values): Promise<number> {
  if (file === undefined) throw new UsageError('Give one recording.')
  refuseMore(more)
  refuseOthers('replay', options, {})
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

function read(words: readonly string[], json: boolean, options: Values): Promise<number> {
  refuseMore(words)
  refuseOthers('read', options, READ_OPTIONS)
  const { reader, trust, out, data } = options
  const files = { mrzFile: options['mrz-file'], canFile: options['can-file'] }
  return readChip({ ...files, reader, trust, out, data }, systemClock.now(), json)
}

/** An option of another action is a mistake that must not pass silently. */
function refuseOthers(action: string, options: Values, own: Readonly<Record<string, unknown>>): void {
  const given = Object.keys({ ...VERIFY_OPTIONS, ...READ_OPTIONS }).filter(
    (name) => name in options && !(name in own),
  )
  if (given.length > 0) throw new UsageError(`${action} has no option --${given.join(', --')}.`)
}

function verify(words: readonly string[], json: boolean, options: Values): Promise<number> {
  refuseMore(words)
  refuseOthers('verify', options, VERIFY_OPTIONS)
  const { sod, com, trust, at } = options
  return verifyFiles(
    {
      sod,
      com,
      trust,
      at,
      dg: options.dg ?? [],
      cardSecurity: options['card-security'],
      requireRevocationList: options['require-revocation-list'] ?? false,
    },
    systemClock.now(),
    json,
  )
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
