/** `npm run inspection`: records an inspection of the device; with or without a running appliance. */
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { openToken } from '../keys/token.ts'
import { deviceState, inspectionState, TAMPER_KINDS, type LedgerEntry } from '../proofing/antifraud/ledger.ts'
import type { Store } from '../store/open.ts'
import { getTimeNow } from '../time/trusted-time.ts'
import {
  clearTampering,
  doubtfulEntries,
  recordInspection,
  recordTampering,
} from '../workflows/fraud/device-ledger.ts'
import { openSigner } from '../workflows/proof/open-signer.ts'
import { readConfig, OPERATOR, printResult, withPresentStore } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `Inspections of the device and found tampering. Each entry is signed and in the audit log.

  npm run inspection -- record --outcome passed|failed [--data DIR] [--json]
  npm run inspection -- tamper --kind KIND [--data DIR] [--json]
  npm run inspection -- clear [--data DIR] [--json]
  npm run inspection -- status [--data DIR] [--json]

  record   records an inspection of case, seals, camera, cables and software; passed means that the device is sound
  tamper   records tampering: from now on the policy's cap for TAMPERED limits the level of every identity. Call it by hand,
           from a switch in the case, or from a system rule for the USB devices
  --kind   ${TAMPER_KINDS.slice(0, 4).join(', ')},
           ${TAMPER_KINDS.slice(4).join(', ')}
  clear    clears the tampering after a passed inspection
  status   prints the present state and verifies the signature of every entry
  --data   the appliance's data folder (default: ~/.local/share/counterproof)
  --json   prints the result as one JSON object

environment.inspection.everyDays in config.json requires inspections.
Exit status: 0 done and no problem, 1 refused, overdue or tampered with, 2 wrong use.

Example: npm run inspection -- record --outcome passed
`

interface Asked {
  readonly outcome: string | undefined
  readonly kind: string | undefined
}
interface Told {
  readonly result: unknown
  readonly words: string
  readonly code: number
}
type Action = (store: Store, config: Config, asked: Asked) => Promise<Told>

const ACTIONS: Readonly<Record<string, Action>> = { record, tamper, clear, status }

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    outcome: { type: 'string' },
    kind: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(more)
  const config = readConfig(values)
  const { outcome, kind } = values
  try {
    const told = await withPresentStore(config, (store) => action(store, config, { outcome, kind }))
    printResult(values.json, told.result, told.words)
    return told.code
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'transition_refused')) throw error
    process.stderr.write(`inspection: ${REFUSALS[String(error.details.reason)] ?? 'refused'}\n`)
    return 1
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  nothing_to_clear: 'there is no open tampering entry to clear',
  no_inspection_passed_since: 'first inspect the device and record that it has passed',
}

async function record(store: Store, config: Config, { outcome }: Asked): Promise<Told> {
  const found = outcome?.toUpperCase()
  if (found !== 'PASSED' && found !== 'FAILED') throw new UsageError('record needs --outcome passed|failed')
  return written(await withLedger(store, config, (ledger) => recordInspection(ledger, found)))
}

async function tamper(store: Store, config: Config, { kind }: Asked): Promise<Told> {
  const known = TAMPER_KINDS.find((name) => name === kind)
  if (!known) throw new UsageError(`tamper needs --kind, one of ${TAMPER_KINDS.join(', ')}`)
  return written(await withLedger(store, config, (ledger) => recordTampering(ledger, known)))
}

async function clear(store: Store, config: Config): Promise<Told> {
  return written(await withLedger(store, config, clearTampering))
}

type Ledger = Parameters<typeof clearTampering>[0]

async function withLedger<T>(store: Store, config: Config, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const time = getTimeNow(systemClock, store)
  const clock = { now: () => time.latest }
  const signer = await openSigner(store, clock, {
    source: config.signing.source,
    openToken: () => openToken(config),
  })
  try {
    return await work({ store, signer, time, author: OPERATOR, newId: () => uuidv7() })
  } finally {
    signer.close()
  }
}

function written(entry: LedgerEntry): Told {
  return { result: entry, words: `${formatEntry(entry)}\n`, code: 0 }
}

function formatEntry(entry: LedgerEntry): string {
  const detail = entry.entry === 'INSPECTED' ? entry.outcome : entry.entry === 'TAMPERED' ? entry.kind : ''
  return [entry.at.toISOString(), entry.entry.padEnd(9), detail].join('  ').trimEnd()
}

async function status(store: Store, config: Config): Promise<Told> {
  const entries = store.deviceLedger.list()
  const state = deviceState(entries)
  const { latest } = getTimeNow(systemClock, store)
  const inspection = inspectionState(state, config.environment.inspection?.everyDays, latest)
  const doubtful = await doubtfulEntries({ store })
  const isWell = state.open.length === 0 && inspection !== 'OVERDUE' && doubtful.length === 0
  const words = [
    ...entries.map(formatEntry),
    `inspection ${inspection.toLowerCase().replace('_', ' ')}; ${
      state.open.length === 0 ? 'no open tampering' : `not cleared: ${state.open.join(', ')}`
    }; ${doubtful.length === 0 ? 'every entry is signed' : `${doubtful.length} entries are not as they were signed`}`,
  ]
  const result = { inspection, lastPassedAt: state.lastPassedAt, open: state.open, doubtful, entries }
  return { result, words: `${words.join('\n')}\n`, code: isWell ? 0 : 1 }
}
