/** `npm run demo`: makes one whole proofing on a fresh appliance over HTTP, and verifies its proof independently. */
import { existsSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { UsageError } from '../../commands/usage.ts'
import { RefusedError, RelyingService } from './client.ts'
import { drawHolder } from './live-session.ts'
import { CHIP_POLICIES, GOAL_POLICIES, runChip, runEverything } from './everything.ts'
import { runProofing, type DemoInput, type DemoRecord } from './proofing.ts'
import { createKeys, startServerProcess, useTemporaryFolder } from './server-process.ts'
import { defaultSpecimen } from './specimens.ts'

const HELP = `Runs one whole proofing on a new appliance in a temporary folder and verifies the sealed proof.

  npm run demo -- [--document FILE [--back FILE] --portrait FILE] [--json] [--keep DIR]
  npm run demo -- --all [--policy ID] [--json] [--keep DIR]
  npm run demo -- --chip [--policy ID] [--json] [--keep DIR]

  --document FILE   photograph of an identity document (default: a bundled specimen passport)
  --back FILE       photograph of its back
  --portrait FILE   photograph of the holder. It is uploaded, so it does not prove a live person. Without it, the bundled
                    specimen person follows the prompts of a live session in front of a simulated camera
  --json            prints the whole record as one JSON object, last on standard output
  --all             reaches the highest level without a chip of each policy, with every kind of evidence, against simulated
                    services outside (npm run simulator -- --help); for nist-800-63a before an officer. It takes no
                    pictures of yours, because these services know the bundled specimen person alone
  --chip            reaches LOA4 of the policy default and LOA3 (high) of eidas: the appliance reads the simulated chip of the
                    document over a pcscd of its own, with a virtual reader. It needs the Debian packages pcscd,
                    vsmartcard-vpcd and bubblewrap. Without them it says so and reaches LOA3 of default by the files of the
                    chip in place of its issuer. The authority of the chip is made for this run and imported by two people
  --policy ID       of --all and --chip: one of their policies alone
  --keep DIR        writes each archive and jwks.json into DIR for npm run verify-proof; only your user can read them

Prints a line per step: the decision, its reason and the milliseconds. Ends with 'proof verified: ID LOA', or with an exit
status other than 0. Exit status 0 means that the proof is complete and signed, not that the person was verified: read the LOA.

Example: npm run demo -- --keep my-proof
`

const OPTIONS = {
  document: { type: 'string' },
  back: { type: 'string' },
  portrait: { type: 'string' },
  keep: { type: 'string' },
  json: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  chip: { type: 'boolean', default: false },
  policy: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const parse = (argv: string[]) => parseArgs({ args: argv, options: OPTIONS }).values
type Options = ReturnType<typeof parse>

export async function run(argv: string[]): Promise<number> {
  const values = parse(argv)
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const refusal = findWrongOption(values)
  if (refusal !== null) throw new UsageError(refusal)
  return demonstrate(values)
}

/** Null if the options go together. */
function findWrongOption({ all, chip, policy, document, back, portrait, keep }: Options): string | null {
  if (keep !== undefined && existsSync(keep) && !statSync(keep).isDirectory())
    return `--keep needs a folder, and ${keep} is a file`
  if (all && chip) return '--all and --chip are two demonstrations: give one of them'
  if ((all || chip) && (document ?? back ?? portrait) !== undefined)
    return '--all and --chip take no --document, --back and --portrait: the simulated services know the bundled specimen person alone'
  if (!all && !chip && policy !== undefined) return '--policy belongs to --all and --chip'
  return null
}

async function demonstrate(values: Options): Promise<number> {
  if ((values.document === undefined) !== (values.portrait === undefined)) {
    process.stderr.write(`--document and --portrait go together.\n\n${HELP}`)
    return 2
  }
  const images =
    values.document !== undefined && values.portrait !== undefined
      ? {
          document: values.document,
          portrait: values.portrait,
          ...(values.back ? { back: values.back } : {}),
        }
      : { ...defaultSpecimen() }
  for (const file of Object.values(images)) {
    if (existsSync(file)) continue
    process.stderr.write(`There is no file ${file}\n`)
    return 2
  }
  // Progress is for a person; the record is for the program that asked for --json.
  const out = values.json ? process.stderr : process.stdout
  const say = (line: string): void => {
    out.write(`${line}\n`)
  }
  if (values.all || values.chip) {
    const possible = values.chip ? CHIP_POLICIES : GOAL_POLICIES
    const policies = values.policy === undefined ? possible : [values.policy]
    if (!policies.every((policy) => possible.includes(policy))) {
      process.stderr.write(`--policy is one of ${possible.join(', ')}\n`)
      return 2
    }
    const { records, isReached } = await (values.chip ? runChip : runEverything)(policies, values.keep, say)
    if (values.json) process.stdout.write(`${JSON.stringify(records)}\n`)
    return isReached ? 0 : 1
  }
  try {
    const keep = values.keep ? { keepDir: values.keep } : {}
    const record = await useTemporaryFolder('demo', (dataDir) =>
      drive(dataDir, { ...images, ...keep }, values.portrait === undefined, say),
    )
    say(
      record.proof.valid
        ? `proof verified: ${record.proof.proofId} ${record.proof.levelOfAssurance}`
        : `the proof did not verify: ${record.proof.problems.join(' ')}`,
    )
    if (values.json) process.stdout.write(`${JSON.stringify(record)}\n`)
    return record.proof.valid ? 0 : 1
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    say(`the appliance refused: ${error.message}`)
    if (values.json)
      process.stdout.write(`${JSON.stringify({ refused: error.message, status: error.status })}\n`)
    return 1
  }
}

/** `isLive`: the person of the portrait is in front of the camera; otherwise the file is uploaded. */
async function drive(
  dataDir: string,
  input: Omit<DemoInput, 'portrait'> & { readonly portrait: string },
  isLive: boolean,
  say: (line: string) => void,
): Promise<DemoRecord> {
  const from = performance.now()
  const server = await startServerProcess(dataDir)
  try {
    const keys = await createKeys(dataDir, 'demo')
    say(`server     ready on ${server.url}, keys made  [${Math.round(performance.now() - from)} ms]`)
    const portrait = isLive ? await drawHolder(input.portrait) : input.portrait
    return await runProofing(new RelyingService(server.url, keys), { ...input, portrait }, say)
  } finally {
    await server.stop()
  }
}
