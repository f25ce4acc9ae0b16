/** npm run sync: this kiosk and its central service. Works with or without a running appliance. */
import { parseArgs } from 'node:util'
import { systemClock } from '../clock.ts'
import type { Store } from '../store/open.ts'
import {
  readConfig,
  ensureTenant,
  NEW_OPTION,
  formatNewOptionHelp,
  refuseNew,
  printResult,
  withPresentStore,
  withStore,
} from './appliance.ts'
import { enrol, completeByHand, leave, requestByHand } from './sync-join.ts'
import { exportTo, importFrom, retryParked, sendNow, settleSequence } from './sync-proofs.ts'
import { showStatus } from './sync-status.ts'
import { explain } from './sync-trouble.ts'
import type { Call, Shown } from './sync-work.ts'
import { getAction, refuseMore } from './usage.ts'

const HELP = `Joins this kiosk to a central service and sends proofs to it.

  npm run sync -- enrol --url URL --code CODE [--insecure-http] [--new]
  npm run sync -- enrol-request --code CODE --out FILE [--new]
  npm run sync -- enrol-complete FILE
  npm run sync -- status
  npm run sync -- send
  npm run sync -- retry SEQUENCE
  npm run sync -- export --to DIR
  npm run sync -- import-receipts DIR
  npm run sync -- settle --last-sequence N
  npm run sync -- leave [--force]

  enrol            joins the central service at URL (https://) with a one-time code of the head office, which also gives the
                   kiosk its name there. After an interruption, run it again: it continues with the same key. Earlier proofs are sent too
  enrol-request    for a branch without a network: writes a request, which contains the code, for the head office
  enrol-complete   for a branch without a network: reads the file that the head office returned
  status           lists the central service, the last contact, the waiting proofs and the parked proofs
  send             sends all waiting proofs now, without waiting for the next retry
  retry            packs a parked proof again and sends it
  export           for a branch without a network: writes the encrypted packets of all waiting proofs into DIR (a USB
                   stick). A folder that is a link, or holds links, devices, pipes or sockets, is refused. On a file system
                   with owners (ext4) only your user can read the files
  import-receipts  reads the receipts that the head office wrote into such a folder
  settle           after a backup was restored in a branch without a network: N is the highest sequence number of this
                   kiosk that the head office knows; the next proof gets a higher one
  leave            forgets the central service; --force is needed while proofs wait

  --insecure-http  allows http:// to another machine; for a laboratory, never for a branch
  --data DIR       the appliance's data folder (default: ~/.local/share/counterproof)
${formatNewOptionHelp(19)}
  --json           prints one JSON object instead of words

Exit status: 0 done, 1 refused or not reached, 2 wrong use.

Example: npm run sync -- enrol --url https://central.example.com --code ABCD-1234
`

const OPTIONS = {
  url: { type: 'string' },
  code: { type: 'string' },
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
  settle: settleSequence,
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
      printResult(values.json, shown.json, `${shown.words}\n`)
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
