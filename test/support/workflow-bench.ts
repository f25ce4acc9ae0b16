/**
 * The appliance without its listeners: a real store, real policies, pipelines and workflows, and the scripted
 * vision. Calls take milliseconds, jobs run on request, and the clock stands still until it is moved.
 */
import { generateKeyPairSync, randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import type { TimeStatement } from '../../server/clock.ts'
import { checkConfig } from '../../server/config/config.ts'
import { loadDocumentFaults } from '../../server/config/document-faults.ts'
import { loadAddressFormats } from '../../server/config/address-formats.ts'
import { loadDocumentTemplates } from '../../server/config/document-templates.ts'
import { loadPolicies } from '../../server/config/policies.ts'
import { loadPipelines } from '../../server/config/resources.ts'
import { loadSupportedEvidence } from '../../server/config/supported-evidence.ts'
import { loadLists } from '../../server/open-settings.ts'
import { NO_CARRIER } from '../../server/connectors/carrier.ts'
import { openVoiceGateway } from '../../server/connectors/voice/voice-gateway.ts'
import type { Context } from '../../server/context.ts'
import { JOB_HANDLERS } from '../../server/jobs/handlers.ts'
import { combineAddressRegisters } from '../../server/connectors/address-register/address-registers.ts'
import { combineBureaus } from '../../server/connectors/bureau/bureaus.ts'
import { loadIssuerParticipation } from '../../server/config/issuer-participation.ts'
import { combineSources } from '../../server/connectors/issuer/issuing-sources.ts'
import { createLiveSessions } from '../../server/live/live-sessions.ts'
import { addSigningKey } from '../../server/keys/rotation.ts'
import type { Log } from '../../server/log.ts'
import { openAdjudication, openCamera } from '../../server/open-connectors.ts'
import { createKeySigner } from '../../server/proof/sign.ts'
import type { Caller } from '../../server/proofing/types.ts'
import type { JobKind } from '../../server/store/jobs.ts'
import type { PublicJwk } from '../../server/store/signing-keys.ts'
import { loadLivenessLimits } from '../../server/verification/liveness-limits.ts'
import { readChipTrust } from '../../server/trust/chip-trust.ts'
import { createVerification } from '../../server/verification/pipeline.ts'
import { STEPS } from '../../server/verification/registry.ts'
import { loadThresholds } from '../../server/verification/thresholds.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { openWatchlists } from '../../server/watchlists/watchlists.ts'
import { createWorkflows, type Workflows } from '../../server/workflows/index.ts'
import { passDeadlines } from '../../server/workflows/pass-deadlines.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { AT, openTestStore, type TestStore } from './store.ts'

export interface WorkflowBench {
  readonly t: TestStore
  readonly ctx: Context
  readonly workflows: Workflows
  readonly caller: Caller
  /** The log: level, fields, message. */
  readonly logged: readonly (readonly [string, object, string])[]
  /** How often each part was woken. */
  readonly woken: { jobs: number; sync: number; webhooks: number }
  now(): Date
  tick(ms: number): void
  /** Null: the time is certain, by the clock. */
  doubt(statement: Partial<TimeStatement> | null): void
  /** Creates an identity with these consents for the bench's application. */
  anIdentity(...consents: readonly ('PORTRAIT' | 'ID_DOCUMENT' | 'ATTRIBUTES' | 'ADDRESS')[]): Promise<string>
  /** Passes deadlines first, then runs every due job, until none is left. */
  runJobs(): Promise<void>
  /** Types, bodies and authors of the log from here on. */
  events(...types: readonly string[]): readonly { type: string; body: unknown; actor: string }[]
  close(): void
}

export interface BenchOptions {
  readonly config?: object
  readonly vision?: Vision
  readonly parts?: Partial<Context>
}

/** For jobs that wait for one another. */
const MAX_ROUNDS = 20

/** Shared by all benches, because creating one takes longer than most tests. */
const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

export async function openWorkflowBench({
  config: own = {},
  vision = scriptedVision(),
  parts = {},
}: BenchOptions = {}): Promise<WorkflowBench> {
  const t = openTestStore()
  const { store, dataDir } = t
  const tenant = { id: 'tenant', name: 'Test', mode: 'test', policy: 'default' }
  const asked = { ...own, tenant: { ...tenant, ...(own as { tenant?: object }).tenant } }
  const config = checkConfig(asked, dataDir, 'test')
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(asked))
  let now = AT
  let doubt: Partial<TimeStatement> | null = null
  const clock = { now: () => now }
  const signer = createKeySigner(SIGNING_KEY)
  const publicJwk = (await signer.publicJwk()) as PublicJwk
  const kept = { source: 'key-file', publicJwk, privateKey: SIGNING_KEY } as const
  addSigningKey(store, { signer, kept, discard: () => undefined }, AT)
  const logged: (readonly [string, object, string])[] = []
  const logAs = (level: keyof Log) => (fields: object, message: string) =>
    void logged.push([level, fields, message])
  let policies = loadPolicies()
  const liveness = loadLivenessLimits()
  const woken = { jobs: 0, sync: 0, webhooks: 0 }
  const applicationId = t.applicationId
  const ctx: Context = {
    config,
    store,
    vision,
    verification: createVerification({
      vision,
      pipelines: loadPipelines([...STEPS.keys()]),
      thresholds: loadThresholds(),
      liveness,
      knowledge: loadDocumentTemplates(),
      addressFormats: loadAddressFormats(),
      getChipTrust: (countries) => readChipTrust(store, countries, now),
      clock,
    }),
    signer: { ...signer, current: () => signer },
    identityProviders: new Map(),
    biometrics: null,
    adjudication: openAdjudication(config, store, clock),
    documentRegister: null,
    fraudRegister: null,
    bureaus: combineBureaus([]),
    cardOwnership: null,
    addressRegisters: combineAddressRegisters([], loadAddressFormats()),
    issuers: combineSources([], loadIssuerParticipation()),
    chipReaders: null,
    documentCamera: openCamera(config, vision, clock),
    carriers: { mobile: NO_CARRIER, email: NO_CARRIER, landline: openVoiceGateway(undefined, clock) },
    operator: null,
    passcodeTexts: loadLists({ dataDir }).passcodeTexts,
    documentFaults: loadDocumentFaults(),
    supportedEvidence: loadSupportedEvidence(),
    live: createLiveSessions(),
    livenessLimits: liveness,
    sessionRecorder: null,
    draw: (below) => randomInt(below),
    watchlists: openWatchlists(store),
    emptyScene: null,
    clock,
    time: {
      ...clock,
      statement: () => ({
        source: 'SYSTEM',
        earliest: now,
        latest: now,
        uncertaintyMs: null,
        steps: 0,
        ...doubt,
      }),
      confirm: () => undefined,
      tick: () => undefined,
      keep: () => undefined,
    },
    timestamper: null,
    log: { info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    policy: () => {
      const policy = policies.get(config.tenant.policy)
      if (!policy) throw new Error('no policy')
      return policy
    },
    usePolicies: (others) => {
      policies = others
    },
    newId: () => uuidv7(),
    wakeJobs: () => void woken.jobs++,
    wakeSync: () => void woken.sync++,
    backups: () => null,
    listUpdates: () => null,
    wakeWebhooks: () => void woken.webhooks++,
    ...parts,
  }
  const workflows = createWorkflows(ctx)
  const caller: Caller = {
    tenantId: 'tenant',
    applicationId,
    role: 'RELYING_SERVICE',
    reach: { kind: 'APPLICATION' },
    correlationId: 'call 1',
    method: 'POST',
    uri: '/v1/identities/1',
    remoteAddress: null,
    startedAt: AT,
  }
  return {
    t,
    ctx,
    workflows,
    caller,
    logged,
    woken,
    now: () => now,
    tick: (ms) => {
      now = new Date(now.getTime() + ms)
    },
    doubt: (statement) => {
      doubt = statement
    },
    anIdentity: async (...consents) => {
      const { id } = await workflows.createIdentity(caller, { context: [] })
      if (consents.length > 0)
        await workflows.recordConsents(
          caller,
          id,
          consents.map((type) => ({ type, approved: true })),
        )
      return id
    },
    runJobs: async () => {
      for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
        passDeadlines(ctx)
        let deferred = 0
        for (let job = store.jobs.claim(now); job; job = store.jobs.claim(now)) {
          const result = await JOB_HANDLERS[job.kind as JobKind].run(ctx, job.identityId, job.payload)
          if (result !== 'deferred') store.jobs.finish(job, result, now)
          else {
            deferred++
            store.jobs.defer(job, new Date(now.getTime() + 1))
          }
        }
        if (deferred === 0) return
        now = new Date(now.getTime() + 1)
      }
      throw new Error('a job waits for another one for ever')
    },
    events: (...types) =>
      store.events
        .after(0, 10_000)
        .filter(({ type }) => types.length === 0 || types.some((wanted) => type.startsWith(wanted)))
        .map(({ type, body, actor }) => ({ type, body, actor })),
    close: () => t.close(),
  }
}
