/** npm run sync: this kiosk and its central service. Works with or without a running appliance. */
import { parseArgs } from 'node:util'
import { systemClock } from '../clock.ts'
import type { Store } from '../store/open.ts'
import {
  readConfig,
  ensureTenant,
  NEW_OPTION,
  newInHelp,
  refuseNew,
  tell,
  withPresentStore,
  withStore,
} from './appliance.ts'
import { enrol, completeByHand, leave, requestByHand } from './sync-join.ts'
import { exportTo, importFrom, retryParked, sendNow, settle } from './sync-proofs.ts'
import { showStatus } from './sync-status.ts'
import { explain } from './sync-trouble.ts'
import type { Call, Shown } from './sync-work.ts'
import { getAction, refuseMore } from './usage.ts'

const HELP = `Joins this kiosk to a central service, and shows the proofs for it.

  npm run sync -- enrol --url URL --code CODE [--name NAME] [--insecure-http] [--new]
  npm run sync -- enrol-request --code CODE --out FILE [--name NAME] [--new]
  npm run sync -- enrol-complete FILE
  npm run sync -- status
  npm run sync -- send
  npm run sync -- retry SEQUENCE
  npm run sync -- export --to DIR
  npm run sync -- import-receipts DIR
  npm run sync -- settle --last-sequence N
  npm run sync -- leave [--force]

  enrol            joins the central service at URL (https://) with a one-time code of the head office. Run again after an
                   interruption, it goes on with the same key. Proofs sealed before are sent, too.
  enrol-request    the same without a line: writes a request for the head office (the code is in it)
  enrol-complete   and takes the file that the head office gave back for it
  status           centre, last contact, what waits and what is parked
  send             sends what waits now, whatever pause is being kept
  retry            sends a parked proof again, packed anew
  export           seals everything that waits to DIR (a stick) for a branch with no line. A folder that holds links,
                   devices, pipes or sockets, or is a link itself, is refused. On a stick whose file system keeps owners
                   (ext4), the files are for you alone to read
  import-receipts  takes the receipts that the head office put there, from such a folder alone
  settle           after a backup was restored in a branch with no line: N is the highest number of this kiosk that the
                   head office knows; proofings go on behind it
  leave            forgets the central service; with proofs that wait for it only with --force

  --name           how the head office calls this kiosk (default: the tenant's name)
  --insecure-http  allows http:// to another machine: for a laboratory, never for a branch
  --data DIR       the appliance's data folder (default: ~/.local/share/counterproof)
${newInHelp(19)}
  --json           one JSON object instead of words

Exit status: 0 done, 1 refused or not reached, 2 the command was not understood.
`

const OPTIONS = {
  url: { type: 'string' },
  code: { type: 'string' },
  name: { type: 'string' },
  out: { type: 'string' },
  to: { type: 'string' },
  data: { type: 'string' },
  ...NEW_OPTION,
  'last-sequence': { type: 'string' },
  force: { type: 'boolean', default: false },
  'insecure-http': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const ACTIONS: Readonly<Record<string, (call: Call) => Promise<Shown> | Shown>> = {
  enrol,
  'enrol-request': requestByHand,
  'enrol-complete': completeByHand,
  status: showStatus,
  send: sendNow,
  retry: retryParked,
  export: exportTo,
  'import-receipts': importFrom,
  settle,
  leave,
}

/** The argument after the name: a file, a folder, a number. */
const TAKES_A_WORD = new Set(['enrol-complete', 'retry', 'import-receipts'])
/** An appliance that was never started may join, too. */
const MAY_BE_NEW = new Set(['enrol', 'enrol-request'])

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
  const [name, argument, ...rest] = positionals
  if (values.help || name === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const action = getAction(ACTIONS, name)
  refuseMore(TAKES_A_WORD.has(name) ? rest : positionals.slice(1))
  const config = readConfig(values)
  const mayBeNew = MAY_BE_NEW.has(name)
  if (!mayBeNew) refuseNew(values.new, name)
  const act = async (store: Store): Promise<number> => {
    ensureTenant(store, config)
    try {
      const shown = await action({ store, config, clock: systemClock, values, argument })
      tell(values.json, shown.json, `${shown.words}\n`)
      return 0
    } catch (error) {
      const words = explain(error)
      if (words === null) throw error
      process.stderr.write(words)
      return 1
    }
  }
  return mayBeNew ? withStore(config, { isNew: values.new }, act) : withPresentStore(config, act)
}
