/** npm run sync: this kiosk and its centre. Works while the appliance runs or not. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock } from '../clock.ts'
import { loadConfig, type Config } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import { AppError } from '../errors.ts'
import { openToken } from '../keys/token.ts'
import { silentLog } from '../log.ts'
import { EnrolmentAnswerSchema } from '../protocol/wire.ts'
import { lockDataDir } from '../store/lock.ts'
import { openStore, type Store } from '../store/open.ts'
import { exportPackets, importReceipts } from '../sync/by-hand.ts'
import { requestEnrolment } from '../sync/centre-client.ts'
import { createChunkSize } from '../sync/chunk-size.ts'
import { openConnections } from '../sync/connection.ts'
import { beginEnrolment, completeEnrolment, leaveCentre, type Joined } from '../sync/enrol.ts'
import { openPackets } from '../sync/packets.ts'
import { createTokenBucket } from '../sync/token-bucket.ts'
import { checkCentreUrl, CentreTroubleError, openTransport, readTlsAuthorities } from '../sync/transport.ts'
import { tellStatus } from '../sync/status.ts'
import { sendDue } from '../sync/uploader.ts'
import { openTrustedTime } from '../time/trusted-time.ts'
import { frozenSince } from '../workflows/freeze.ts'
import { openSigner } from '../workflows/open-signer.ts'
import { noteSyncState, restoredUnheardOf, settleRestore, syncState } from '../workflows/sync-state.ts'

const HELP = `Joins this kiosk to a central relying service, and shows what goes there.

  npm run sync -- enrol --url URL --code CODE [--name NAME] [--insecure-http]
  npm run sync -- enrol-request --code CODE --out FILE [--name NAME]
  npm run sync -- enrol-complete FILE
  npm run sync -- status
  npm run sync -- send
  npm run sync -- retry SEQUENCE
  npm run sync -- export --to DIR
  npm run sync -- import-receipts DIR
  npm run sync -- settle --last-sequence N
  npm run sync -- leave [--force]

  enrol            joins the centre at URL (https://) with a one-time code of the head office. Run again after an
                   interruption, it goes on with the same key. Proofs sealed before are sent, too.
  enrol-request    the same without a line: writes a request for the head office (the code is in it)
  enrol-complete   and takes the file that the head office gave back for it
  status           centre, last contact, what waits and what is parked
  send             sends what waits now, whatever pause is being kept
  retry            sends a parked proof again, packed anew
  export           seals everything that waits to DIR (a stick) for a branch with no line
  import-receipts  takes the receipts that the head office put there
  settle           after a backup was restored in a branch with no line: N is the highest number of this kiosk that the
                   head office knows; proofings go on behind it
  leave            forgets the centre; with proofs that wait for it only with --force

  --name           how the head office calls this kiosk (default: the tenant's name)
  --insecure-http  allows http:// to another machine: for a laboratory, never for a branch
  --data DIR       the appliance's data folder (default: ~/.local/share/counterproof)
  --json           one JSON object instead of words
`

const OPTIONS = {
  url: { type: 'string' },
  code: { type: 'string' },
  name: { type: 'string' },
  out: { type: 'string' },
  to: { type: 'string' },
  data: { type: 'string' },
  'last-sequence': { type: 'string' },
  force: { type: 'boolean', default: false },
  'insecure-http': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

interface Call {
  readonly store: Store
  readonly config: Config
  readonly clock: typeof systemClock
  readonly values: {
    readonly url?: string
    readonly code?: string
    readonly name?: string
    readonly out?: string
    readonly to?: string
    readonly 'last-sequence'?: string
    readonly force: boolean
    readonly 'insecure-http': boolean
  }
  /** Behind the action. */
  readonly argument: string | undefined
}

/** What is shown: as JSON, or in words. */
interface Shown {
  readonly json: object
  readonly words: string
}

class UsageError extends Error {}

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

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
  const [name, argument, ...rest] = positionals
  if (values.help || name === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!action || rest.length > 0) return usage(`there is no such action: ${[name, ...rest].join(' ')}`)
  const config = loadConfig(values.data === undefined ? {} : { dataDir: values.data })
  const store = openStore(config.dataDir, loadKek(config))
  try {
    const { id, name: tenantName, mode, policy } = config.tenant
    store.tenants.ensure({ id, name: tenantName, mode, policyId: policy }, new Date())
    const shown = await action({ store, config, clock: systemClock, values, argument })
    process.stdout.write(values.json ? `${JSON.stringify(shown.json)}\n` : `${shown.words}\n`)
    return 0
  } catch (error) {
    if (error instanceof UsageError) return usage(error.message)
    process.stderr.write(explain(error))
    return 1
  } finally {
    store.close()
  }
}

async function enrol(call: Call): Promise<Shown> {
  const { config, values } = call
  if (!values.url || !values.code) throw new UsageError('enrol needs --url URL and --code CODE')
  const centreUrl = checkCentreUrl(values.url, values['insecure-http'])
  const name = values.name ?? config.tenant.name
  await ensureProofKey(call)
  const request = await beginEnrolment(call, { code: values.code, centreUrl, name })
  const transport = openTransport({
    origin: centreUrl,
    authorities: readTlsAuthorities(config.dataDir, config.sync.caFile),
    timeoutMs: config.sync.timeoutMs,
    bucket: createTokenBucket(0),
  })
  try {
    return joined(await completeEnrolment(call, await requestEnrolment(transport, request)))
  } finally {
    await transport.close()
  }
}

/** An appliance that was never started has no key yet that signs proofs, and the centre has to know it. */
async function ensureProofKey({ store, config, clock }: Call): Promise<void> {
  if (store.signingKeys.publicKeys().length > 0) return
  const options = { source: config.signing.source, openToken: () => openToken(config) }
  const signer = await openSigner(store, clock, options)
  signer.close()
}

async function requestByHand(call: Call): Promise<Shown> {
  const { config, values } = call
  if (!values.code || !values.out) throw new UsageError('enrol-request needs --code CODE and --out FILE')
  const name = values.name ?? config.tenant.name
  await ensureProofKey(call)
  const request = await beginEnrolment(call, { code: values.code, centreUrl: '', name })
  writeFileSync(values.out, `${JSON.stringify(request, null, 2)}\n`, { mode: 0o600 })
  return { json: { request: values.out }, words: `Hand ${values.out} to the head office; the code is in it.` }
}

async function completeByHand(call: Call): Promise<Shown> {
  if (!call.argument) throw new UsageError('enrol-complete needs the FILE of the head office')
  const answer = EnrolmentAnswerSchema.safeParse(readJson(call.argument))
  if (!answer.success)
    throw new AppError('enrolment_refused', { reason: 'the file is no answer of a centre' })
  return joined(await completeEnrolment(call, answer.data))
}

function joined({ centreId, tenantId, queued }: Joined): Shown {
  return {
    json: { centreId, tenantId, queued },
    words: `Joined the centre ${centreId}, tenant ${tenantId}. Proofs from before that are sent now: ${queued}.`,
  }
}

function showStatus({ store }: Call): Shown {
  const enrolment = store.enrolments.find()
  const { backlog, oldestSealedAt, parked } = store.outbox.summary()
  const { lastContactAt, failingSince, lastError } = syncState({ store })
  const bundle = store.bundles.applied()
  const json = {
    kioskId: store.applianceId,
    centreUrl: enrolment?.centreUrl ?? null,
    centreId: enrolment?.membership?.trust.centreId ?? null,
    joined: (enrolment?.membership ?? null) !== null,
    backlog,
    oldestSealedAt: oldestSealedAt?.toISOString() ?? null,
    lastSequence: store.outbox.lastSequence(),
    lastContactAt: dateText(lastContactAt),
    failingSince: dateText(failingSince),
    lastError,
    frozen: frozenSince({ store }),
    bundleVersion: bundle?.version ?? 0,
    parked: store.outbox
      .pending()
      .filter(({ state }) => state === 'REFUSED')
      .map((entry) => ({ sequence: entry.sequence, proofId: entry.proofId, error: entry.lastError })),
  }
  const where = !json.joined
    ? 'No centre joined.'
    : json.centreUrl === ''
      ? `Joined the centre ${json.centreId}; packets travel by hand.`
      : `Joined the centre ${json.centreId} at ${json.centreUrl}.`
  const words = [
    where,
    `Waiting: ${backlog}${oldestSealedAt ? `, the oldest since ${oldestSealedAt.toISOString()}` : ''}; parked: ${parked}.`,
    `Last contact: ${json.lastContactAt ?? 'never'}${lastError ? `; failing since ${json.failingSince}: ${lastError}` : ''}.`,
    ...(json.frozen.length > 0 ? [`Nothing new may begin: ${json.frozen.join(', ')}.`] : []),
    ...json.parked.map(({ sequence, proofId, error }) => `  parked ${sequence}  ${proofId}  ${error ?? ''}`),
  ]
  return { json, words: words.join('\n') }
}

/** A server that runs does it; two that send the same would only be in each other's way. */
async function sendNow(call: Call): Promise<Shown> {
  const { store, config, clock } = call
  for (const { sequence, state } of store.outbox.pending()) {
    if (state === 'QUEUED' || state === 'PACKED') store.outbox.hurry(sequence)
  }
  const lock = lockOrNull(config)
  if (!lock) {
    noteSyncState({ store }, { wantedAt: clock.now().getTime() })
    return { json: { sentBy: 'server' }, words: 'The running server sends what waits now; see status.' }
  }
  const log = silentLog
  const connections = openConnections(call)
  try {
    const connection = connections.current()
    if (!connection)
      throw new AppError('enrolment_refused', { reason: 'this kiosk has joined no centre with a line' })
    // First of all: the centre has to know the keys of what it is sent.
    const time = openTrustedTime(systemClock, store)
    await tellStatus({ store, config, clock, time, log }, connection, {})
    const { timeoutMs, chunkBytes, bytesPerSecond } = config.sync
    const parts = {
      packets: openPackets(call),
      chunkSize: createChunkSize(chunkBytes, timeoutMs, bytesPerSecond),
    }
    const { settled, parked } = await sendDue({ store, clock, log }, connection, parts)
    const waiting = store.outbox.summary().backlog - parked
    return {
      json: { sentBy: 'command', settled, parked, waiting },
      words: `Settled: ${settled}; parked: ${parked}; still waiting: ${waiting}.`,
    }
  } finally {
    await connections.close()
    lock.release()
  }
}

function retryParked({ store, clock, argument }: Call): Shown {
  const sequence = Number(argument)
  const entry = Number.isInteger(sequence) ? store.outbox.find(sequence) : null
  if (!entry) throw new UsageError('retry needs the SEQUENCE of a parked proof; see status')
  if (entry.state !== 'REFUSED') throw new UsageError(`proof ${sequence} is not parked: ${entry.state}`)
  const { proofId, identityId } = entry
  const now = clock.now()
  store.transaction(() => {
    store.outbox.requeue(sequence, now)
    const author = { actor: 'operator', reason: 'REQUEUED' } as const
    store.events.append('outbox.queued', identityId, { proofId, sequence }, now, author)
  })
  return { json: { queued: sequence }, words: `Proof ${sequence} is packed anew and sent again.` }
}

async function exportTo(call: Call): Promise<Shown> {
  if (!call.values.to) throw new UsageError('export needs --to DIR')
  const exported = await exportPackets(call, call.values.to)
  const { packets, withdrawn, damaged } = exported
  return {
    json: exported,
    words: `Packets: ${packets}; withdrawn numbers: ${withdrawn}; damaged proofs, now parked: ${damaged}.`,
  }
}

async function importFrom(call: Call): Promise<Shown> {
  if (!call.argument) throw new UsageError('import-receipts needs the DIR with the receipts')
  const imported = await importReceipts(call, call.argument)
  const { acknowledged, withdrawn, refused, known, forged } = imported
  return {
    json: imported,
    words: `Acknowledged: ${acknowledged}; withdrawn: ${withdrawn}; refused and parked: ${refused}; settled before: ${known}; not believed: ${forged}.`,
  }
}

function settle({ store, clock, values }: Call): Shown {
  const given = values['last-sequence'] ?? ''
  if (!/^\d{1,9}$/.test(given))
    throw new UsageError('settle needs --last-sequence N, as the head office sees it')
  if (restoredUnheardOf({ store }) === null) {
    throw new AppError('transition_refused', { reason: 'no restored backup waits to be settled' })
  }
  const last = Number(given)
  store.transaction(() => settleRestore({ store }, last, clock.now()))
  const next = store.outbox.lastSequence() + 1
  return { json: { settled: true, next }, words: `Settled. The next proof has number ${next}.` }
}

function leave(call: Call): Shown {
  const waiting = leaveCentre(call, call.values.force)
  return {
    json: { left: true, waiting },
    words: `Left the centre. Proofs that stay here unsent: ${waiting}.`,
  }
}

function lockOrNull(config: Config) {
  try {
    return lockDataDir(config.dataDir)
  } catch {
    return null
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function dateText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

const TROUBLES: Readonly<Record<string, string>> = {
  connection_refused: 'Nobody answers at this address.',
  name_not_found: 'There is no machine of this name.',
  no_answer_in_time: 'The centre did not answer in time.',
  tls_refused: 'The certificate of the centre is not trusted; name its authority in sync.caFile.',
  not_the_centre: 'Something answers at this address, but it is no centre.',
  enrolment_refused: 'The centre does not accept this code. Ask the head office for a new one.',
  unauthorized: 'The centre does not accept this kiosk (any longer).',
}

/** A sentence and what is behind it. */
function explain(error: unknown): string {
  if (error instanceof CentreTroubleError) {
    return `${TROUBLES[error.code] ?? 'The centre could not be asked.'}\n  ${error.code}\n`
  }
  if (error instanceof AppError) {
    const problems = error.problems.map(({ field, message }) => `  ${field ?? ''}: ${message}`)
    const { reason, waiting } = error.details
    const sentence =
      typeof reason === 'string'
        ? `Refused: ${reason}.`
        : error.code === 'transition_refused'
          ? `Proofs wait for the centre: ${String(waiting)}. Send or export them first, or use --force.`
          : error.code === 'statement_refused'
            ? 'Refused: the answer is not signed by the centre of this code.'
            : `Failed: ${error.code}.`
    return [sentence, ...problems, ''].join('\n')
  }
  throw error
}

function usage(problem: string): number {
  process.stderr.write(`${problem}\n\n${HELP}`)
  return 2
}
