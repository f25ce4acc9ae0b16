/** npm run central: the central service, and its operators' actions. */
import { hostname, userInfo } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { formatLogLine } from '../audit/log-lines.ts'
import type { ActionInput, ActionName } from '../central/admin/actions.ts'
import { perform, type PerformOptions } from '../central/admin/perform.ts'
import { rehearseRestore, restoreBackup } from '../central/backup/restore.ts'
import { getDefaultDataDir, loadCentralConfig, type CentralConfig } from '../central/config.ts'
import { ACCESS_AT_ONCE, type AccessRow } from '../central/head-office/access-log.ts'
import { SCOPES, text, type Erasure, type Scope } from '../central/head-office/contract.ts'
import { createCentralService } from '../central/index.ts'
import { toCsvLine, type Cell } from '../http/csv.ts'
import { AppError } from '../errors.ts'
import { readGivenFile } from '../files/read-file.ts'
import { writeFileWhole } from '../files/write-file.ts'
import { ensureRendererBuilt } from '../launch/renderer.ts'
import { startWatchdog } from '../launch/watchdog.ts'
import { createLog, describeError, openErrorStream, type Log } from '../log.ts'
import type { EnrolmentRequest } from '../protocol/wire.ts'
import { printResult } from './appliance.ts'
import { waitUntilAskedToStop } from './asked-to-stop.ts'
import { checkTrustFiles } from './central-trust.ts'
import { describeAddressInUse, type ListenError } from './failure.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `The central service: receives proofs from many kiosks, verifies and stores them, and serves them to the head office.

  npm run central -- start [--port N] [--host H]
  npm run central -- init
  npm run central -- backup --to DIR
  npm run central -- restore FILE
  npm run central -- drill FILE
  npm run central -- archives list --out FILE
  npm run central -- archives check [--list FILE]
  npm run central -- tenants create ID [--name NAME] [--test-proofs]
  npm run central -- tenants test-proofs ID yes|no
  npm run central -- tenants list
  npm run central -- enrol-code --tenant ID --name NAME [--hours N] [--kiosk KIOSK_ID]
  npm run central -- kiosks list [--tenant ID]
  npm run central -- kiosks revoke KIOSK_ID --reason WHY [--by NAME]
  npm run central -- lines list [--tenant ID]
  npm run central -- lines choose KIOSK_ID --first-proof ID --reason TEXT [--by NAME]
  npm run central -- lines deliver KIOSK_ID --first-proof ID --reason TEXT [--by NAME]
  npm run central -- alarms list [--all]
  npm run central -- alarms resolve ALARM_ID --reason WHY [--by NAME]
  npm run central -- consumers create --tenant ID --name NAME --scope SCOPE [--scope SCOPE …] [--days N]
  npm run central -- consumers list [--tenant ID]
  npm run central -- consumers revoke KEY_ID
  npm run central -- deliveries list [--tenant ID] [--after DELIVERY_ID]
  npm run central -- deliveries retry|drop DELIVERY_ID|--webhook ID|--tenant ID [--by NAME]
  npm run central -- retention set --tenant ID [--policy ID] --days N|keep|default [--by NAME]
  npm run central -- retention list [--tenant ID]
  npm run central -- erase --proof ID|--identity ID --reference TEXT [--confirm CODE] [--by NAME]
  npm run central -- holds place --tenant ID|--kiosk ID|--proof ID --reference TEXT [--by NAME]
  npm run central -- holds list [--tenant ID] [--all]
  npm run central -- holds release HOLD_ID --reference TEXT [--by NAME]
  npm run central -- receipts list [--tenant ID] [--after PROOF_ID]
  npm run central -- receipts export --out FILE [--tenant ID]
  npm run central -- receipts check FILE
  npm run central -- receipts apply FILE
  npm run central -- access-log [--tenant ID] [--from TIME] [--to TIME] [--after ID] [--syslog|--csv|--reasons]
  npm run central -- trust publish FILE… --tenant ID --confirmed-by NAME [--by NAME] [--remove]
  npm run central -- trust list [--tenant ID]
  npm run central -- releases add FILE.deb FILE.release.json [--by NAME]
  npm run central -- releases list
  npm run central -- rings set NAME=PERCENT… --tenant ID [--by NAME]
  npm run central -- rings assign KIOSK_ID RING|none [--by NAME]
  npm run central -- rings list --tenant ID
  npm run central -- rollouts start --tenant ID --version V --reason WHY [--soak MINUTES] [--max-failed PERCENT] [--at TIME]
  npm run central -- rollouts pause|resume|stop ROLLOUT_ID --reason WHY [--by NAME]
  npm run central -- rollouts list [--tenant ID]
  npm run central -- import DIR
  npm run central -- sign-enrolment FILE [--out FILE]
  npm run central -- keys rotate statement|packet

  start            starts the service; prints 'listening on http://HOST:PORT' when it is ready. SIGTERM stops it in order
  init             begins a new central service in an empty database with a key file that exists already, and prints its id
                   and fingerprint. Without a key file the first command makes both. An existing central service stays
  backup           writes the whole database into a file of the folder DIR, which must exist, from one snapshot, encrypted with a key of the master key, and
                   reads it back. The service may run. The file does not contain the master key: keep a copy of
                   keys/centre.key in another place
  restore          restores FILE into an empty database, with the copy of the key file in place, then compares every archive
                   with its SHA-256 and prints the minutes. The service must not run
  drill            the same in a temporary database that is removed at the end: it shows that FILE is good and how long a restore takes
  archives list    writes id and SHA-256 of every archive into FILE
  archives check   reads and decrypts every archive and compares it with its SHA-256; with --list, with that file, too. The
                   comparison after a recovery by the means of PostgreSQL
  tenants          creates and lists the tenants
  tenants test-proofs
                   says whether the tenant takes proofs of kiosks in test mode (default: no). A refused one stays parked on its
                   kiosk, and 'sync -- retry' sends it again
  enrol-code       prints a one-time code with which one kiosk joins (default: valid for 24 hours); with --kiosk, the code
                   gives a known kiosk a new key
  kiosks list      lists the kiosks with their state: ACTIVE, FROZEN (its data folder was copied: lines list) or REVOKED
  kiosks revoke    refuses every further request of this kiosk. A second revocation is refused and names the first
  lines list       lists the kiosks whose data folder was copied, the history (line) of each machine with the proof that names
                   it (firstProofId), and the decisions. The number of a line changes with a decision, the proof does not
  lines choose     decides once which line continues: it becomes line 0, its machine takes new proofings again, and the feed gets
                   its proofs. What the feed has of the line before is marked IN_DOUBT. A second decision is refused
  lines deliver    gives the head office the proofs of a line that does not continue, marked DELIVERED
  alarms           lists the open alarms (with --all also the resolved ones, with person and reason) and resolves one
  consumers        manages the keys of head-office systems; each key is shown once. SCOPE: proofs:read proofs:search
                   proofs:acknowledge proofs:erase proofs:hold fleet:read fleet:write webhooks:manage bundles:publish
                   access:read
  deliveries list  lists the parked webhook deliveries, oldest first (1000 at once): their receivers did not take them for a day
  deliveries retry sends a parked delivery again, or all of a webhook or tenant
  deliveries drop  deletes them: the receiver is not told of these events
  retention set    deletes the proofs of the tenant N days after they were stored; with --policy, only those of this policy, which
                   then has its own time. 'keep' keeps them without end, 'default' removes the rule. Without a rule,
                   'retention.days' of central.json applies; without that every proof is kept
  retention list   lists the rules and the default
  erase            shows the proofs that would be deleted, and a code; the same command with --confirm CODE deletes them. A
                   proof under a legal hold is refused. Copies in backups stay readable until the backups are destroyed
  holds            places, lists and releases legal holds: retention and erasure keep every proof of the hold
  receipts         lists the signed receipts of deletions (1000 at once), writes them to a file with the keys that verify them,
                   and checks such a file. 'apply' also deletes again what a restored backup has brought back
  access-log       prints the acts of head-office systems, of staff (with the name that the OpenID provider told), and of
                   operators at this command line, for a log collector (SIEM) or an auditor: a line of JSON each, without values of
                   applicants. Rows appear after a minute. --after continues after the id of the last line that arrived;
                   --from and --to (not included) take a time like 2026-11-30T08:00:00Z; --syslog prints lines of syslog
                   (RFC 5424). --csv prints a table for a spreadsheet, and --reasons the lines of JSON, with the reason or reference
                   of each act. People type it and may name a person, so the lines for a collector say only that there is one
  trust publish    signs FILE… as the trust bundle that the kiosks of the tenant verify chips with: master lists, certificates of
                   authorities, revocation lists and defect lists, as 'npm run trust -- import' takes them. A bundle is the
                   complete set, published by two people: every kiosk imports all its files with their names, or none
  trust list       lists the bundles with version, time, publishers, files, and the number of kiosks that have it in force
  releases add     stores a package for kiosks, if a release key of 'releaseKeys' in central.json signed its release file
  releases list    lists the stored releases
  rings set        sets the rings of the tenant for its next rollouts, in their order: 'canary=5 early=25 all=100'. Each share
                   counts the kiosks of the rings before, so the last one is 100. The example is also the default
  rings assign     names the ring of a kiosk; 'none': the hash of its id and the shares decide again
  rings list       lists the rings and the named kiosks
  rollouts start   gives the release to the kiosks of the tenant, ring after ring. The next ring begins when every kiosk of the
                   ring that is online has installed it and is well for --soak minutes (default: 1440). If the share of kiosks
                   that failed reaches --max-failed percent of a ring (default: 5), the rollout pauses with the alarm UPDATE.
                   --at starts it at a later time like 2026-11-30T20:00:00Z. A ring without a share and a named kiosk is refused
  rollouts pause   offers the release to no further kiosk; a kiosk that has begun to install it finishes
  rollouts resume  continues; kiosks that failed before do not count again, and do not try again
  rollouts stop    ends the rollout for good. Kiosks keep the version that they have
  rollouts list    lists the rollouts, newest first, with the numbers of kiosks of each ring. waits: INSTALL (a kiosk has not
                   answered), SOAK, UNWELL (a kiosk that installed it is not well, or silent), OFFLINE (all kiosks of the ring), NO_KIOSK
                   (no kiosk has shown that the release works: none of the ring can take it). unable: kiosks that cannot take it;
                   obstacles: UNKNOWN (not installed from a package, or no report yet), DISABLED (updates.enabled is off),
                   ARCHITECTURE (no package for its processor), TOO_OLD (its version)
  import           reads the packets of a branch without a network from a USB stick, and writes the receipts beside them. A
                   folder that holds links, devices, pipes or sockets is refused
  sign-enrolment   answers the enrolment request of a kiosk without a network, for its 'sync enrol-complete'; with --out
                   into a file that only your user can read
  keys rotate      creates a new key; the old key still decrypts and verifies

  --reference      the name of the case or of the request, not of a person
  --reason         why you decide so; it is recorded with your name
  --first-proof    the line: firstProofId of 'lines list'
  --by             your name (default: the name of your account on this machine)
  --confirmed-by   name of the second person, who compared the SHA-256 of each file with what its publisher states
  --remove         files of the bundle before that are not named go out of force on every kiosk
  --data DIR       the data folder (default: ~/.local/share/counterproof-central)
  --json           prints one JSON object instead of words
The service uses PostgreSQL if DATABASE_URL is set, and an embedded database otherwise. See server/central/README.md.

Exit status: 0 done, 1 refused, 2 wrong use.

Example: npm run central -- enrol-code --tenant acme --name "Branch 7" --hours 48
`

const OPTIONS = {
  data: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  tenant: { type: 'string' },
  name: { type: 'string' },
  hours: { type: 'string' },
  kiosk: { type: 'string' },
  proof: { type: 'string' },
  webhook: { type: 'string' },
  identity: { type: 'string' },
  policy: { type: 'string' },
  version: { type: 'string' },
  soak: { type: 'string' },
  'max-failed': { type: 'string' },
  at: { type: 'string' },
  reference: { type: 'string' },
  confirm: { type: 'string' },
  scope: { type: 'string', multiple: true },
  days: { type: 'string' },
  out: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  list: { type: 'string' },
  by: { type: 'string' },
  reason: { type: 'string' },
  'confirmed-by': { type: 'string' },
  'first-proof': { type: 'string' },
  remove: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  after: { type: 'string' },
  syslog: { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
  reasons: { type: 'boolean', default: false },
  'test-proofs': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parse>['values']

/** A hundred times the size of a request. */
const LARGEST_REQUEST = 1024 * 1024

type Perform = <A extends ActionName>(
  name: A,
  input: ActionInput<A>,
  options?: Omit<PerformOptions, 'by'>,
) => Promise<unknown>

interface Call {
  /** Performs an action in the name of `--by`. */
  readonly perform: Perform
  readonly config: CentralConfig
  readonly log: Log
  readonly values: Values
  /** The argument after the action. */
  readonly argument: string | undefined
  /** All arguments after the action. */
  readonly all: readonly string[]
}

type Action = (call: Call) => Promise<unknown>

const ACTIONS: Readonly<Record<string, Action>> = {
  backup: ({ perform, values }) =>
    perform('createBackup', {
      folder: resolve(needed(values.to, '--to, a folder on another disk')),
    }),
  restore: ({ config, log, values, argument }) =>
    restoreBackup(config, log, resolve(needed(argument, 'the file of the backup')), nameOperator(values)),
  drill: ({ config, log, argument }) =>
    rehearseRestore(config, log, resolve(needed(argument, 'the file of the backup'))),
  'archives list': ({ perform, values }) =>
    perform('listArchives', { file: resolve(needed(values.out, '--out')) }),
  'archives check': ({ perform, values }) => {
    const listFile = values.list === undefined ? null : resolve(values.list)
    return perform('checkArchives', { listFile })
  },
  init: ({ perform }) => perform('init', {}, { mayBeNew: true }),
  'tenants create': ({ perform, values, argument }) =>
    perform('createTenant', {
      tenantId: needed(argument ?? values.tenant, 'the id of the tenant'),
      name: values.name,
      takesTestProofs: values['test-proofs'],
    }),
  'tenants test-proofs': ({ perform, all }) => {
    const [tenantId, answer, ...more] = all
    refuseMore(more)
    return perform('setTestProofs', {
      tenantId: needed(tenantId, 'the id of the tenant'),
      takesTestProofs: parseYesNo(answer),
    })
  },
  'tenants list': ({ perform }) => perform('listTenants', {}),
  'enrol-code': ({ perform, values }) =>
    perform('createEnrolmentCode', {
      tenantId: needed(values.tenant, '--tenant'),
      name: needed(values.name, '--name'),
      hours: parseCount('--hours', values.hours),
      forKiosk: values.kiosk,
    }),
  'kiosks list': ({ perform, values }) => perform('listKiosks', { tenantId: values.tenant }),
  'kiosks revoke': ({ perform, argument, values }) =>
    perform('revokeKiosk', {
      kioskId: needed(argument, 'the id of the kiosk'),
      reason: needed(values.reason, '--reason'),
    }),
  'lines list': ({ perform, values }) => perform('listLines', { tenantId: values.tenant }),
  'lines choose': (call) => call.perform('chooseLine', readLineDecision(call)),
  'lines deliver': (call) => call.perform('deliverLine', readLineDecision(call)),
  'alarms list': ({ perform, values }) => perform('listAlarms', { all: values.all }),
  'alarms resolve': ({ perform, argument, values }) =>
    perform('resolveAlarm', {
      alarmId: needed(argument, 'the id of the alarm'),
      reason: needed(values.reason, '--reason'),
    }),
  'consumers create': ({ perform, values }) =>
    perform('createConsumer', {
      tenantId: needed(values.tenant, '--tenant'),
      name: needed(values.name, '--name'),
      scopes: parseScopes(values.scope),
      days: parseCount('--days', values.days),
    }),
  'consumers list': ({ perform, values }) => perform('listConsumers', { tenantId: values.tenant }),
  'consumers revoke': ({ perform, argument }) =>
    perform('revokeConsumerKey', { keyId: needed(argument, 'the id of the key') }),
  'deliveries list': ({ perform, values }) =>
    perform('listDeliveries', { tenantId: values.tenant, after: values.after }),
  'deliveries retry': (call) => call.perform('retryDeliveries', readDeliveryChoice(call)),
  'deliveries drop': (call) => call.perform('dropDeliveries', readDeliveryChoice(call)),
  'retention set': ({ perform, values }) =>
    perform('setRetention', {
      tenantId: needed(values.tenant, '--tenant'),
      policyId: values.policy,
      days: parseRetention(needed(values.days, '--days')),
    }),
  'retention list': ({ perform, values }) => perform('listRetention', { tenantId: values.tenant }),
  erase: ({ perform, values }) => {
    const order = {
      proofId: values.proof,
      identityId: values.identity,
      reference: needed(values.reference, '--reference'),
    }
    return values.confirm === undefined
      ? perform('previewErasure', order)
      : perform('eraseProofs', { ...order, confirmation: values.confirm })
  },
  'holds place': ({ perform, values }) =>
    perform('placeHold', {
      tenantId: values.tenant,
      kioskId: values.kiosk,
      proofId: values.proof,
      reference: needed(values.reference, '--reference'),
    }),
  'holds list': ({ perform, values }) => perform('listHolds', { tenantId: values.tenant, all: values.all }),
  'holds release': ({ perform, values, argument }) =>
    perform('releaseHold', {
      holdId: needed(argument, 'the id of the hold'),
      reference: needed(values.reference, '--reference'),
    }),
  'receipts list': ({ perform, values }) =>
    perform('listReceipts', { tenantId: values.tenant, after: values.after }),
  'receipts export': ({ perform, values }) =>
    perform('exportReceipts', {
      tenantId: values.tenant,
      file: resolve(needed(values.out, '--out')),
    }),
  'receipts check': ({ perform, argument }) =>
    perform('checkReceipts', { file: resolve(needed(argument, 'the file')) }),
  'receipts apply': ({ perform, argument }) =>
    perform('applyReceipts', { file: resolve(needed(argument, 'the file')) }),
  'trust publish': async ({ perform, values, all }) => {
    const tenantId = needed(values.tenant, '--tenant')
    const publishedBy = nameOperator(values)
    const confirmedBy = needed(values['confirmed-by'], '--confirmed-by, the second person')
    const files = await checkTrustFiles(all, { by: publishedBy, confirmedBy })
    const order = { tenantId, publishedBy, confirmedBy, mayRemove: values.remove, files }
    return perform('publishTrustBundle', order)
  },
  'trust list': ({ perform, values }) => perform('listTrustBundles', { tenantId: values.tenant }),
  'releases add': ({ perform, all }) => {
    const [packageFile, releaseFile, ...more] = all
    refuseMore(more)
    return perform('addRelease', {
      packageFile: resolve(needed(packageFile, 'the package')),
      releaseFile: resolve(needed(releaseFile, 'its release file')),
    })
  },
  'releases list': ({ perform }) => perform('listReleases', {}),
  'rings set': ({ perform, values, all }) =>
    perform('setRings', {
      tenantId: needed(values.tenant, '--tenant'),
      rings: all.map(parseRing),
    }),
  'rings assign': ({ perform, all }) => {
    const [kioskId, ring, ...more] = all
    refuseMore(more)
    return perform('assignRing', {
      kioskId: needed(kioskId, 'the id of the kiosk'),
      ring: needed(ring, 'the ring, or none') === 'none' ? null : (ring ?? null),
    })
  },
  'rings list': ({ perform, values }) =>
    perform('listRings', { tenantId: needed(values.tenant, '--tenant') }),
  'rollouts start': ({ perform, values }) =>
    perform('startRollout', {
      tenantId: needed(values.tenant, '--tenant'),
      version: needed(values.version, '--version'),
      soakMinutes: parseCount('--soak', values.soak),
      maxFailedPercent: parseCount('--max-failed', values['max-failed']),
      startsAt: values.at,
      reason: needed(values.reason, '--reason'),
    }),
  'rollouts pause': (call) => call.perform('pauseRollout', readRolloutDecision(call)),
  'rollouts resume': (call) => call.perform('resumeRollout', readRolloutDecision(call)),
  'rollouts stop': (call) => call.perform('stopRollout', readRolloutDecision(call)),
  'rollouts list': ({ perform, values }) => perform('listRollouts', { tenantId: values.tenant }),
  import: ({ perform, argument }) =>
    perform('importPackets', { folder: resolve(needed(argument, 'the folder')) }),
  'sign-enrolment': async ({ perform, values, argument }) => {
    const request = await readRequest(needed(argument, 'the file'))
    const answer = await perform('signEnrolment', { request })
    if (values.out === undefined) return answer
    writeFileWhole(values.out, JSON.stringify(answer))
    return { written: values.out }
  },
  'keys rotate': ({ perform, argument }) =>
    perform('rotateKey', {
      purpose: parsePurpose(argument),
    }),
}
/** These actions take several arguments. */
const FOR_MANY = new Set([
  'trust publish',
  'tenants test-proofs',
  'releases add',
  'rings set',
  'rings assign',
])
/** These actions always answer in JSON. */
const FOR_MACHINES = new Set(['sign-enrolment'])

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parse(argv)
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const config = loadCentralConfig({
    dataDir: values.data ?? getDefaultDataDir(),
    ...(values.port === undefined ? {} : { port: Number(values.port) }),
    ...(values.host === undefined ? {} : { host: values.host }),
  })
  const log = createLog(openErrorStream(), config.logLevel)
  if (positionals[0] === 'start') {
    refuseMore(positionals.slice(1))
    return start(config, log)
  }
  if (positionals[0] === 'access-log') {
    refuseMore(positionals.slice(1))
    return printAccess(config, values)
  }
  const words = [2, 1].find((count) => Object.hasOwn(ACTIONS, positionals.slice(0, count).join(' ')))
  const name = positionals.slice(0, words).join(' ')
  const all = positionals.slice(words)
  const [argument, ...more] = all
  const action = getAction(ACTIONS, name)
  if (!FOR_MANY.has(name)) refuseMore(more)
  const quiet = createLog(openErrorStream(), 'error')
  const performAsOperator: Perform = (actionName, input, options) =>
    perform(config, quiet, actionName, input, { by: nameOperator(values), ...options })
  const result = await action({ perform: performAsOperator, config, log: quiet, values, argument, all })
  printResult(values.json || FOR_MACHINES.has(name), result, inWords(result))
  if (isHeld(result)) process.stderr.write(HELD)
  return hasProblems(result) || isHeld(result) ? 1 : 0
}

function parse(argv: string[]) {
  return parseArgs({ args: argv, allowPositionals: true, options: OPTIONS })
}

const CSV_COLUMNS = [
  'at',
  'tenantId',
  'person',
  'personName',
  'consumer',
  'keyId',
  'operator',
  'operation',
  'subject',
  'result',
  'reason',
  'id',
] as const

async function printAccess(config: CentralConfig, values: Values): Promise<number> {
  const { tenant, after, from, to, syslog, csv, reasons } = values
  if ([syslog, csv, reasons].filter(Boolean).length > 1)
    throw new UsageError('Choose one of --syslog, --csv and --reasons; --csv has the reasons.')
  const log = createLog(openErrorStream(), 'error')
  if (csv) process.stdout.write(toCsvLine(CSV_COLUMNS))
  for (let last = after; ;) {
    const input = {
      ...(tenant === undefined ? {} : { tenantId: tenant }),
      ...(last === undefined ? {} : { after: last }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }
    const { rows } = (await perform(config, log, 'listAccess', input, {
      by: nameOperator(values),
    })) as AccessPage
    if (csv)
      process.stdout.write(rows.map((row) => toCsvLine(CSV_COLUMNS.map((name): Cell => row[name]))).join(''))
    else
      for (const { at, operation, reason, ...row } of rows) {
        const facts = { ...row, ...(reasons ? { reason } : { reasonGiven: reason !== null }) }
        const line = { at: new Date(at), program: 'counterproof-central', kind: operation, facts }
        process.stdout.write(`${formatLogLine(line, syslog ? 'syslog' : 'json', hostname())}\n`)
      }
    if (rows.length < ACCESS_AT_ONCE) return 0
    last = rows.at(-1)?.id
  }
}

/** As JSON: the times are text. */
interface AccessPage {
  readonly rows: readonly (Omit<AccessRow, 'at'> & { readonly at: string })[]
}

async function start(config: CentralConfig, log: Log): Promise<number> {
  // Also while the start waits for its database: as the first process of a container it would ignore the signal otherwise.
  const asked = waitUntilAskedToStop()
  let isReady = false
  void asked.then(() => isReady || process.exit(0))
  const screensDir = await buildScreens(log)
  const central = await createCentralService({
    config,
    log,
    ...(screensDir === null ? {} : { screensDir }),
  }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const option = 'CENTRE_PORT or the option port of central.json'
    const sentence = describeAddressInUse(error as Partial<ListenError>, option).trimEnd()
    throw new AppError('configuration_invalid', { field: 'port' }, { cause: error, sentence })
  })
  isReady = true
  process.stdout.write(`listening on ${central.url}\n`)
  const watchdog = startWatchdog(new URL('/healthcheck', central.url).href)
  log.info({ signal: await asked }, 'the server was asked to stop')
  watchdog.stop()
  await central.close()
  return 0
}

/** Null when they cannot be built: kiosks and head-office systems need no pages. */
async function buildScreens(log: Log): Promise<string | null> {
  try {
    return await ensureRendererBuilt({ progress: (line) => process.stderr.write(`${line}\n`) })
  } catch (error) {
    log.warn(describeError(error), 'the pages /fleet/ and /verify/ are not built: run npm run build')
    return null
  }
}

async function readRequest(path: string): Promise<EnrolmentRequest> {
  const content = await readGivenFile(path, { mostBytes: LARGEST_REQUEST })
  try {
    // The action validates it.
    return JSON.parse(content.toString('utf8')) as EnrolmentRequest
  } catch (cause) {
    throw new AppError('malformed_body', { file: path }, { cause })
  }
}

function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Name ${what}.`)
  return value
}

function parseCount(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^\d{1,6}$/.test(value)) throw new UsageError(`${option} needs a whole number`)
  return Number(value)
}

function nameOperator({ by }: Values): string {
  const name = text(100).safeParse(by ?? userInfo().username)
  if (!name.success)
    throw new UsageError('--by takes a name of 1 to 100 characters, without control characters.')
  return name.data
}

function parseRetention(word: string): number | null | 'default' {
  if (word === 'keep') return null
  if (word === 'default') return word
  const days = /^[1-9]\d{0,4}$/.test(word) ? Number(word) : 0
  if (days < 1 || days > 36_500) throw new UsageError('--days takes 1 to 36500, keep or default')
  return days
}

function readLineDecision({ values, argument }: Call) {
  return {
    kioskId: needed(argument, 'the id of the kiosk'),
    firstProof: needed(values['first-proof'], '--first-proof, which lines list prints as firstProofId'),
    reason: needed(values.reason, '--reason'),
  }
}

function readRolloutDecision({ values, argument }: Call) {
  return {
    rolloutId: needed(argument, 'the id of the rollout'),
    reason: needed(values.reason, '--reason'),
  }
}

function parseRing(word: string): { name: string; share: number } {
  const [, name, share] = /^([a-z0-9][a-z0-9-]*)=(\d{1,3})$/.exec(word) ?? []
  if (name === undefined) throw new UsageError('rings set takes rings like canary=5 early=25 all=100')
  return { name, share: Number(share) }
}

function readDeliveryChoice({ values, argument }: Call) {
  const chosen = [argument, values.webhook, values.tenant].filter((each) => each !== undefined)
  if (chosen.length !== 1) throw new UsageError('Name one delivery, or --webhook, or --tenant.')
  return {
    deliveryId: argument,
    webhookId: values.webhook,
    tenantId: values.tenant,
  }
}

function parseYesNo(word: string | undefined): boolean {
  if (word === 'yes' || word === 'no') return word === 'yes'
  throw new UsageError('tenants test-proofs takes the id of the tenant and yes or no')
}

function parsePurpose(word: string | undefined): 'STATEMENT' | 'PACKET' {
  if (word === 'statement') return 'STATEMENT'
  if (word === 'packet') return 'PACKET'
  throw new UsageError('keys rotate takes statement or packet')
}

function parseScopes(given: readonly string[] = []): Scope[] {
  const known = given.filter((scope): scope is Scope => SCOPES.some((name) => name === scope))
  if (known.length === 0 || known.length < given.length) {
    throw new UsageError(`--scope takes one of: ${SCOPES.join(' ')}`)
  }
  return known
}

const HELD =
  'A legal hold keeps at least one of these proofs, so none can be erased. holds list names the hold; release it, then repeat the command.\n'

/** True if the proofs of an erasure cannot be erased. */
function isHeld(result: unknown): boolean {
  const { proofs } = result as Partial<Erasure>
  return Array.isArray(proofs) && proofs.some(({ isOnHold }) => isOnHold === true)
}

/** True if an import refused something on the stick. */
function hasProblems(result: unknown): boolean {
  const { problems } = result as { readonly problems?: unknown }
  return Array.isArray(problems) && problems.length > 0
}

/** One line per member; a list has one line per row, its members by name, and a list in a row has indented lines below it. */
function inWords(result: unknown, indent = ''): string {
  return Object.entries(result as Record<string, unknown>)
    .map(([name, value]) => {
      if (!Array.isArray(value)) return `${indent}${name}: ${shown(value)}\n`
      if (value.length === 0) return `${indent}no ${name}\n`
      return value
        .map((row: unknown) => {
          const members = Object.entries(row as Record<string, unknown>).filter(
            ([, member]) => member !== null,
          )
          const own = members.filter(([, member]) => !isRows(member))
          const below = members.filter(([, member]) => isRows(member))
          const line = own.map(([member, content]) => `${member}=${shown(content)}`).join('  ')
          return `${indent}${line}\n${inWords(Object.fromEntries(below), `${indent}  `)}`
        })
        .join('')
    })
    .join('')
}

const isRows = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'object'

function shown(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
