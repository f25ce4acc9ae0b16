/** The parts of the product that mutation testing changes, each with its own tests that must detect the changes. */

export interface Area {
  /** Folder, or one file. */
  readonly sources: string
  readonly tests: readonly string[]
  /** Processor time for one mutant; a mutant that no test has detected by then counts as undetected. */
  readonly secondsPerMutant: number
}

const server = (name: string, tests: readonly string[], secondsPerMutant: number): Area => ({
  sources: `server/${name}`,
  tests,
  secondsPerMutant,
})
const ownTests = (name: string): string => `test/server/${name}/**/*.test.ts`

const namedTests = (folder: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `test/server/${folder}/${name}.test.ts`)

export const AREAS: Readonly<Record<string, Area>> = {
  proofing: server('proofing', [ownTests('proofing')], 5),
  crypto: server('crypto', [ownTests('crypto')], 10),
  sealing: {
    sources: 'server/store/crypto.ts',
    tests: ['test/server/store/crypto.test.ts'],
    secondsPerMutant: 10,
  },
  verification: server('verification', [ownTests('verification')], 10),
  // Adds those tests of the whole appliance that go through one workflow each.
  workflows: server(
    'workflows',
    [
      ownTests('workflows'),
      ...namedTests('app', [
        'additional-files',
        'adjudication',
        'adjudication-answers',
        'adjudication-desk',
        'adjudication-proof',
        'antifraud',
        'audit',
        'capture-sessions',
        'claim',
        'claim-consistency',
        'compared-again',
        'creation',
        'data-evidence',
        'delegated-liveness',
        'derived-addresses',
        'duplicate-faces',
        'erasure',
        'fraud-checks',
        'health',
        'live-portraits',
        'mobile-otp',
        'pause-resume',
        'proof-captures',
        'proof-details',
        'proof-sealing',
        'proofing',
        'quotas',
        'reference-election',
        'retention',
        'supported-evidence',
        'test-mode',
        'trusted-claim',
        'webhooks',
        'withdrawn-consent',
      ]),
      // Tests of workflows that only the console calls.
      ...namedTests('counter', [
        'assist-rules',
        'audit-and-charts',
        'compared-rows',
        'desk',
        'desk-rules',
        'opened-proofing',
        'take-over-attendance',
      ]),
      // Tests of workflows that are reached in other ways.
      ...namedTests('capture', ['guidance', 'portrait']),
      ...namedTests('audit', ['export']),
    ],
    15,
  ),
  // The component and the callbacks from outside are tested with the workflows that they serve.
  capture: server(
    'capture',
    [
      ownTests('capture'),
      ...namedTests('app', ['capture-component', 'delegated-liveness', 'adjudication-answers']),
    ],
    40,
  ),
  live: server('live', [ownTests('live'), ownTests('capture')], 20),
  // Excludes staff-fuzz.test.ts, which checks for crashes and not for correct results.
  counter: server(
    'counter',
    namedTests('counter', [
      'assist',
      'assist-rules',
      'audit-and-charts',
      'branch',
      'compared-rows',
      'counter-photos',
      'desk',
      'desk-rules',
      'front',
      'key-requests',
      'keys-and-locks',
      'lists-and-bodies',
      'one-time-codes',
      'opened-proofing',
      'rules',
      'sessions',
      'staff-accounts',
      'staff-lock-out',
      'staff-passkeys',
      'staff-passwords',
      'staff-roles',
      'staff-sign-in',
      'sync-and-devices',
      'take-over-attendance',
      'today',
    ]),
    15,
  ),
  // Excludes tests that start a whole kiosk or central service or simulate network faults: each run takes minutes.
  sync: server(
    'sync',
    namedTests('sync', [
      'by-hand',
      'central-client',
      'connection',
      'deliver',
      'enrol',
      'kiosk-key',
      'loop',
      'packets',
      'parts',
      'quiet',
      'refusals',
      'rollback',
      'run',
      'take-bundle',
      'talks',
      'tls',
      'told-status',
      'transport',
      'trust',
    ]),
    10,
  ),
  // Excludes test/server/commands/signing-keys.test.ts: it takes twenty seconds, mostly for new RSA keys.
  keys: server('keys', [ownTests('keys'), ...namedTests('commands', ['kek', 'keys'])], 20),
  proof: server('proof', [ownTests('proof')], 20),
  // Excludes the pages, which need Chromium, and tests that draw at random or send for minutes.
  central: server(
    'central',
    [
      ...[
        'behind-a-proxy',
        'config',
        'foreign-eyes',
        'kiosk-rules',
        'kiosks',
        'limits',
        'revoked-keys',
        'storage',
        'trouble',
        'upload',
        'words',
      ],
      ...[
        'access',
        'bundles',
        'deliveries',
        'feed',
        'http',
        'kiosk-state',
        'lists',
        'verify-and-metrics',
        'webhooks',
      ].map((name) => `head-office/${name}`),
      'db/db',
      'db/retries',
    ].map((name) => `test/central/${name}.test.ts`),
    25,
  ),
  // Excludes the tests of load, of slow callers and of pages in Chromium: one run of all takes nearly three minutes.
  guard: {
    sources: 'server/api/guard.ts',
    tests: namedTests('api', ['guard', 'guard-rules', 'roles', 'canary']),
    secondsPerMutant: 10,
  },
}

/** Glob of every file of an area. */
export function toSourceGlob({ sources }: Area): string {
  return sources.endsWith('.ts') ? sources : `${sources}/**/*.ts`
}
