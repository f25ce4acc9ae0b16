/**
 * `npm run bench:connectors`: measures what the appliance adds to the time of a source outside. A simulated bureau runs in a process of
 * its own and reports its own time; the question takes the whole way: settings and secrets of a configuration, client certificate,
 * signature, circuit breaker, checks of the answer, and the audit event in the encrypted store.
 */
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import { UsageError } from '../../commands/usage.ts'
import { checkConfig } from '../../config/config.ts'
import type { Context } from '../../context.ts'
import { writeFileWhole } from '../../files/write-file.ts'
import { openServices } from '../../open-connectors.ts'
import type { ClaimData } from '../../proofing/evidence.ts'
import { createKey } from '../../store/crypto.ts'
import { openStore, type Store } from '../../store/open.ts'
import { noteCalls } from '../../workflows/evidence/outside-calls.ts'
import { readSpecimenRecords } from '../simulator/issuer.ts'
import type { SourceMessage, SourceSetup } from './connectors/messages.ts'
import { buildIdentity } from './bench-identity.ts'
import { quantile } from './error-rates.ts'
import { endBench } from './labelled-data.ts'

const HELP = `bench-connectors: measures what the appliance adds to the time of a source outside

  --calls N        questions                                      (default 500)
  --parallel N     questions at once                              (default 1)
  --json           one JSON object at the end
  --help           this text

A simulated bureau answers in a process of its own, with mutual TLS and signed requests. Times are milliseconds of one question:

  source   what the source itself needs, from the request that it received to its answer, as it reports it
  added    what is added by us: the whole time of the question without 'source' (signature, connection, circuit breaker, checks of
           the answer) and with 'audit'
  audit    a part of 'added': writing the event service.called, which states the call, into the encrypted and chained audit log

The first question, which opens the connection, is reported alone and counts in no row.

Example: npm run bench:connectors -- --calls 1000 --json
`

interface Spread {
  readonly p50: number
  readonly p95: number
  readonly max: number
}

interface ConnectorsBench {
  readonly calls: number
  readonly parallel: number
  readonly cores: number
  readonly unanswered: number
  /** Whole time of the first question. */
  readonly firstMs: number
  readonly sourceMs: Spread
  readonly addedMs: Spread
  /** Included in `addedMs`. */
  readonly auditMs: Spread
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      calls: { type: 'string', default: '500' },
      parallel: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [calls, parallel] = [Number(values.calls), Number(values.parallel)]
  if (![calls, parallel].every((number) => Number.isInteger(number) && number > 0))
    throw new UsageError('--calls and --parallel take whole numbers above 0.')
  const result = await bench(calls, parallel)
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : inWords(result))
  return endBench(result.calls - result.unanswered, result.unanswered === 0)
}

async function bench(calls: number, parallel: number): Promise<ConnectorsBench> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-bench-connectors-'))
  const source = fork(join(import.meta.dirname, 'connectors', 'source.ts'))
  const store = openStore(dataDir, createKey())
  try {
    const ownTimes = new Map<string, number>()
    const url = await startSource(source, writeKeys(dataDir), ownTimes)
    return await measure(dataDir, store, url, ownTimes, { calls, parallel })
  } finally {
    source.disconnect()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Two certificates that sign themselves, each trusted by the other side alone, and the key of the requests. */
function writeKeys(dataDir: string): SourceSetup {
  const read = (name: string) => readFileSync(join(dataDir, name), 'utf8')
  for (const name of ['source', 'appliance']) {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`]
    const named = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...named], { cwd: dataDir, stdio: 'pipe' })
  }
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileWhole(join(dataDir, 'requests.key'), keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return {
    tls: { key: read('source.key'), cert: read('source.pem'), ca: read('appliance.pem') },
    publicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  }
}

/** Returns the address. `ownTimes` gets the source's time of each request. */
async function startSource(
  source: ChildProcess,
  setup: SourceSetup,
  ownTimes: Map<string, number>,
): Promise<string> {
  source.send(setup)
  const [started] = (await once(source, 'message')) as [SourceMessage]
  source.on('message', (message: SourceMessage) => {
    if ('requestId' in message) ownTimes.set(message.requestId, message.milliseconds)
  })
  if (!('url' in started)) throw new TypeError('the source has not started')
  return started.url
}

interface Call {
  readonly requestId: string
  readonly isAnswered: boolean
  readonly askedMs: number
  readonly auditMs: number
}

async function measure(
  dataDir: string,
  store: Store,
  url: string,
  ownTimes: ReadonlyMap<string, number>,
  { calls, parallel }: { readonly calls: number; readonly parallel: number },
): Promise<ConnectorsBench> {
  const clock = { now: () => new Date() }
  const [{ issuingCountry, values: person }] = readSpecimenRecords()
  const bureau = {
    id: 'bench',
    name: 'Bureau of the bench',
    url,
    clientCertificate: { certificateFile: 'appliance.pem', keyFile: 'appliance.key' },
    caFile: 'source.pem',
    signingKeyFile: 'requests.key',
    keyId: 'bench',
    countries: [issuingCountry],
    sends: ['givenNames', 'surname', 'dateOfBirth'],
  }
  const services = openServices(checkConfig({ connectors: { bureaus: [bureau] } }, dataDir, 'bench'), clock)
  const identityId = addIdentity(store, clock.now())
  const named = (value = '') => ({ value, verified: false })
  const claim: ClaimData = {
    attributesData: {
      givenNames: [named(person.givenName)],
      surname: named(person.surname),
      dateOfBirth: named(person.dateOfBirth),
      nationality: named(issuingCountry),
    },
  }
  const ctx = { store, clock } as Context
  const askOnce = async (): Promise<Call> => {
    const from = performance.now()
    const replies = await services.bureaus.ask(uuidv7(), claim)
    if ('unasked' in replies) throw new TypeError('the bench has a bureau')
    const [{ call, requestId }] = replies
    const asked = performance.now()
    store.transaction(() => noteCalls(ctx, identityId, null, [call]))
    const noted = performance.now()
    return { requestId, isAnswered: call.trouble === null, askedMs: asked - from, auditMs: noted - asked }
  }
  const first = await askOnce()
  const done: Call[] = []
  let left = calls
  const askInTurn = async (): Promise<void> => {
    while (left-- > 0) done.push(await askOnce())
  }
  await Promise.all(Array.from({ length: parallel }, askInTurn))
  for (const service of Object.values(services)) if (service && 'close' in service) service.close()
  // The last report of the source may still be on its way.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const measured = done.flatMap((call) => {
    const own = ownTimes.get(call.requestId)
    return own === undefined || !call.isAnswered ? [] : [{ ...call, own }]
  })
  return {
    calls: done.length,
    parallel,
    cores: availableParallelism(),
    unanswered: done.length - measured.length,
    firstMs: round(first.askedMs + first.auditMs),
    sourceMs: describeSpread(measured.map(({ own }) => own)),
    addedMs: describeSpread(measured.map(({ askedMs, auditMs, own }) => askedMs + auditMs - own)),
    auditMs: describeSpread(measured.map(({ auditMs }) => auditMs)),
  }
}

/** Calls are noted only for an identity that exists. */
function addIdentity(store: Store, at: Date): string {
  store.tenants.ensure({ id: 'bench', name: 'bench', mode: 'test', policyId: 'default' }, at)
  const applicationId = store.apiKeys.ensureApplication('bench', 'bench', at)
  const identity = buildIdentity('bench', applicationId, at)
  store.transaction(() => store.identities.add(identity, []))
  return identity.id
}

function describeSpread(times: readonly number[]): Spread {
  const at = (share: number): number => round(quantile(times, share) ?? 0)
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}

const round = (milliseconds: number): number => Math.round(milliseconds * 100) / 100

function inWords({ calls, parallel, unanswered, firstMs, ...spreads }: ConnectorsBench): string {
  const row = (name: string, { p50, p95, max }: Spread): string =>
    `${name.padEnd(14)}${[p50, p95, max].map((value) => value.toFixed(2).padStart(9)).join('')}\n`
  return (
    `${calls} questions, ${parallel} at once; ${unanswered} unanswered; the first one took ${firstMs} ms\n` +
    `${'ms'.padEnd(14)}${['p50', 'p95', 'max'].map((name) => name.padStart(9)).join('')}\n` +
    row('source', spreads.sourceMs) +
    row('added by us', spreads.addedMs) +
    row('  of it audit', spreads.auditMs)
  )
}
