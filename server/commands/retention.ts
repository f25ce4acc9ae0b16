/**
 * `npm run retention`: stored data with its reasons, legal holds, and receipts of deletions; with or without
 * a running appliance.
 */
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { createLiveSessions } from '../live/live-sessions.ts'
import { decideRetention, plannedErasure } from '../proofing/retention.ts'
import { TENANT_MODES } from '../proofing/types.ts'
import { lockDataDir } from '../store/lock.ts'
import type { Store } from '../store/open.ts'
import { APPLIANCE } from '../store/scope.ts'
import { readContent, validateBundle } from '../sync/bundles.ts'
import { getTimeNow } from '../time/trusted-time.ts'
import { beginErasure } from '../workflows/retention/erase-identity.ts'
import { isOnHold, liftHold, placeHold } from '../workflows/retention/legal-hold.ts'
import { readRetentionFacts } from '../workflows/retention/apply-retention.ts'
import { readConfig, printResult, withPresentStore } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `Retention of identities: stored data with its reasons, legal holds, receipts of deletions.

  npm run retention -- list [--data DIR] [--json]
  npm run retention -- hold ID --reference TEXT [--until TIME] [--data DIR] [--json]
  npm run retention -- lift ID [--data DIR] [--json]
  npm run retention -- receipts [--data DIR] [--json]
  npm run retention -- receipt ID [--data DIR] [--json]
  npm run retention -- run [--data DIR] [--json]
  npm run retention -- erase-open --mode test|production [--data DIR] [--json]

  list         lists every identity with the time from which the policy erases it and the time at which the policy looks at
               it next; prints ids, modes, states and times only
  hold         prevents the erasure of an identity by a call or by the policy; replaces an earlier hold
  --reference  the office's reference of the case; stored encrypted
  --until      end of the hold, such as 2027-01-31T00:00:00Z (default: until it is lifted)
  lift         ends the hold and lets the policy look at the identity again
  receipts     lists every erasure, started or finished
  receipt      prints the signed receipt of one erasure, for npm run verify-receipt
  run          makes the appliance look at every identity: within seconds if it runs, otherwise at its next start
  erase-open   erases every open identity of this mode, so that the tenant's mode can be changed. The appliance must be
               stopped. Identities on hold are kept, and the command then ends with status 1
  --data       the appliance's data folder (default: ~/.local/share/counterproof)
  --json       prints the result as one JSON object

Exit status: 0 done, 1 refused, 2 wrong use.

Example: npm run retention -- hold 0190f2c4-7d1e-7a3b-9c55-2f6a1d8e4b01 --reference "Case 17/2027" --until 2027-12-31T00:00:00Z
`

interface Asked {
  readonly id: string | undefined
  readonly reference: string | undefined
  readonly until: string | undefined
  readonly mode: string | undefined
}
interface Told {
  readonly result: unknown
  readonly words: string
  /** Default: 0. */
  readonly status?: number
}
type Action = (store: Store, config: Config, asked: Asked) => Told

const ACTIONS: Readonly<Record<string, Action>> = {
  list,
  hold,
  lift,
  receipts,
  receipt,
  run: lookNow,
  'erase-open': eraseOpen,
}

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    reference: { type: 'string' },
    until: { type: 'string' },
    mode: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, id, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(more)
  const config = readConfig(values)
  try {
    const { reference, until, mode } = values
    const asked = { id: id?.toLowerCase(), reference, until, mode }
    const {
      result,
      words,
      status = 0,
    } = await withPresentStore(config, (store) => action(store, config, asked))
    printResult(values.json, result, words)
    return status
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error
    process.stderr.write(`retention: there is no such ${String(error.details.resource ?? 'identity')}\n`)
    return 1
  }
}

function list(store: Store, own: Config): Told {
  const config = configInForce(store, own)
  const statement = getTimeNow(systemClock, store)
  const time = { statement: () => statement }
  const identities = store.identities.listIds().flatMap((id) => {
    const identity = store.identities.find(APPLIANCE, id)
    if (!identity) return []
    const facts = readRetentionFacts({ store, config, time }, identity)
    const decision = decideRetention(facts, config.retention, statement.earliest)
    return [
      {
        identityId: id,
        tenantId: identity.tenantId,
        mode: identity.mode,
        status: identity.status,
        lastChangeAt: facts.lastChangeAt,
        onHold: facts.hold !== null,
        holdUntil: facts.hold?.until ?? null,
        ...decision,
        erasedFrom: plannedErasure(facts, config.retention),
        nextLookAt: store.deadlines.find('retention', id),
      },
    ]
  })
  const rows = identities.map(({ identityId, mode, status, onHold, action, erasedFrom, nextLookAt }) =>
    [
      identityId,
      mode.padEnd(10),
      status.padEnd(15),
      (onHold ? 'on hold' : action).padEnd(10),
      (erasedFrom ? `erased from ${moment(erasedFrom)}` : 'no date of erasure').padEnd(32),
      `looked at ${moment(nextLookAt)}`,
    ].join('  '),
  )
  return { result: { identities }, words: `${rows.join('\n') || 'no identities'}\n` }
}

/** A central service may have sent another policy than config.json has. */
function configInForce(store: Store, own: Config): Config {
  const applied = store.bundles.applied()
  const validated = applied && validateBundle(readContent(applied.jws), own)
  return validated && !validated.problems ? validated.config : own
}

function hold(store: Store, _config: Config, { id, reference, until }: Asked): Told {
  const identityId = required(id, 'hold')
  const wanted = reference?.trim()
  if (!wanted) throw new UsageError('hold needs --reference TEXT')
  const end = until === undefined ? undefined : new Date(until)
  if (end && !(end > new Date()))
    throw new UsageError('--until needs a time in the future (2027-01-31T00:00:00Z)')
  store.transaction(() => {
    if (!store.identities.find(APPLIANCE, identityId))
      throw new AppError('not_found', { resource: 'identity' })
    const input = { reference: wanted, ...(end ? { until: end.toISOString() } : {}) }
    placeHold({ store, clock: systemClock }, identityId, input, 'operator')
  })
  return { result: { held: identityId, until: end ?? null }, words: 'held\n' }
}

function lift(store: Store, _config: Config, { id }: Asked): Told {
  const identityId = required(id, 'lift')
  store.transaction(() => {
    liftHold({ store, clock: systemClock }, identityId, 'operator')
  })
  return { result: { lifted: identityId }, words: 'lifted\n' }
}

const AT_ONCE = 500

function receipts(store: Store): Told {
  const erasures = []
  for (let page = store.erasures.list(AT_ONCE); page.length > 0;) {
    erasures.push(...page)
    page = store.erasures.list(AT_ONCE, page.at(-1)?.identityId)
  }
  const rows = erasures.map(({ identityId, reason, erasedAt }) =>
    [identityId, reason.padEnd(9), erasedAt ? moment(erasedAt) : 'begun'].join('  '),
  )
  const shown = erasures.map(({ receipt: _receipt, ...facts }) => facts)
  return { result: { erasures: shown }, words: `${rows.join('\n') || 'nothing was erased yet'}\n` }
}

function receipt(store: Store, _config: Config, { id }: Asked): Told {
  const erasure = store.erasures.find(APPLIANCE, required(id, 'receipt'))
  if (!erasure?.receipt) throw new AppError('not_found', { resource: 'receipt' })
  const { identityId, erasedAt, reason } = erasure
  return { result: { identityId, erasedAt, reason, receipt: erasure.receipt }, words: `${erasure.receipt}\n` }
}

function lookNow(store: Store): Told {
  const looked = store.transaction(() => store.deadlines.setForAll('retention', new Date()))
  const words = `${looked} identities are looked at: within seconds where the appliance runs, else at its next start\n`
  return { result: { looked }, words }
}

function eraseOpen(store: Store, { dataDir, tenant }: Config, { mode: asked }: Asked): Told {
  const mode = TENANT_MODES.find((known) => known === asked)
  if (!mode) throw new UsageError('erase-open needs --mode test or --mode production')
  // A running appliance would continue these proofings, so there each is deleted by an API call.
  const lock = lockDataDir(dataDir)
  try {
    const statement = getTimeNow(systemClock, store)
    const facing = { store, time: { statement: () => statement } }
    const open = store.identities.listOpenOfMode(tenant.id, mode)
    const held = open.filter(({ id }) => isOnHold(facing, id))
    const erased = open.filter((identity) => !held.includes(identity))
    const ctx = { store, clock: systemClock, live: createLiveSessions(), wakeSync: () => undefined }
    for (const identity of erased) {
      store.transaction(() => beginErasure(ctx, identity, 'DELETE', 'operator'))
      store.vault.destroy(identity.id)
    }
    const onHold = held.length === 0 ? '' : `; ${held.length} on hold are kept: lift their holds first`
    return {
      result: { erased: erased.map(({ id }) => id), onHold: held.map(({ id }) => id) },
      words: `${erased.length} erased: nothing of them can be read any more; the next start removes what is left${onHold}\n`,
      status: held.length === 0 ? 0 : 1,
    }
  } finally {
    lock.release()
  }
}

function required(id: string | undefined, action: string): string {
  if (id === undefined) throw new UsageError(`${action} needs the ID of an identity`)
  return id
}

function moment(at: Date | null): string {
  return at?.toISOString() ?? '-'
}
