/** Examples of the OpenAPI text. A test checks each against its schema. */
import type { ContractName, EventType } from './contract.ts'

const PROOF_ID = '0199d3c4-7a10-7c3e-9d52-1f6f3a7b2c01'
const KIOSK_ID = '0199d3c4-1111-7c3e-9d52-1f6f3a7b2c02'
const IDENTITY_ID = '0199d3c4-2222-7c3e-9d52-1f6f3a7b2c03'
const WEBHOOK_ID = '0199d3c4-3333-7c3e-9d52-1f6f3a7b2c04'
const ALARM_ID = '0199d3c4-4444-7c3e-9d52-1f6f3a7b2c05'
const EVENT_ID = '0199d3c4-5555-7c3e-9d52-1f6f3a7b2c06'
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const AT = '2026-11-21T09:30:00.000Z'

const listed = {
  proofId: PROOF_ID,
  kioskId: KIOSK_ID,
  sequence: 42,
  line: 0,
  mark: null,
  identityId: IDENTITY_ID,
  levelOfAssurance: 'LOA2',
  test: false,
  sealedAt: '2026-11-21T09:28:10.000Z',
  storedAt: AT,
  deletedAt: null,
}
const proof = { ...listed, sha256: SHA256, acknowledgedAt: null }
const listedProof = { ...listed, kioskName: 'Harbour branch, kiosk 2' }
const hold = {
  holdId: ALARM_ID,
  proofId: PROOF_ID,
  kioskId: null,
  reference: 'case 12 O 345/26',
  placedAt: AT,
  placedBy: `consumer:${WEBHOOK_ID}`,
  releasedAt: null,
  releasedBy: null,
  releaseReference: null,
  kioskName: null,
}

const rollout = {
  rolloutId: ALARM_ID,
  version: '0.2.0',
  state: 'RUNNING',
  waits: 'SOAK',
  soakMinutes: 1440,
  maxFailedPercent: 5,
  startsAt: AT,
  changedAt: AT,
  changedBy: `consumer:${WEBHOOK_ID}`,
  reason: 'security update',
  rings: [
    {
      name: 'canary',
      share: 5,
      isReached: true,
      kiosks: 2,
      unable: 0,
      obstacles: [],
      offered: 0,
      installed: 2,
      failed: 0,
    },
    {
      name: 'all',
      share: 100,
      isReached: false,
      kiosks: 38,
      unable: 1,
      obstacles: ['DISABLED'],
      offered: 0,
      installed: 0,
      failed: 0,
    },
  ],
}

const BUNDLE = {
  settings: { otp: { digits: 8 } },
  policies: {},
  watchlists: { documents: { entries: [] } },
}

export const EXAMPLES: Readonly<Partial<Record<ContractName, unknown>>> = {
  Proof: proof,
  ProofFeed: { proofs: [proof], next: PROOF_ID, more: false },
  ProofSearch: { correlationId: 'order-2026-0815' },
  Acknowledgement: { proofId: PROOF_ID, acknowledgedAt: AT },
  DeletionFeed: {
    deletions: [
      {
        proofId: PROOF_ID,
        kioskId: KIOSK_ID,
        sequence: 42,
        identityId: IDENTITY_ID,
        reason: 'RETENTION',
        deletedAt: AT,
        receipt: 'eyJhbGciOiJFUzI1NiJ9…',
      },
    ],
    next: PROOF_ID,
    more: false,
  },
  ErasureOrder: { identityId: IDENTITY_ID, reference: 'request 2026-117' },
  Erasure: {
    proofs: [{ proofId: PROOF_ID, kioskId: KIOSK_ID, sequence: 42, storedAt: AT, isOnHold: false }],
    confirmation: '3f1c9a70d2b84e55',
    isErased: false,
  },
  LegalHoldOrder: { proofId: PROOF_ID, reference: 'case 12 O 345/26' },
  LegalHoldRelease: { reference: 'case 12 O 345/26 is closed' },
  LegalHold: hold,
  LegalHoldList: { holds: [hold], next: null },
  ListedProofs: { proofs: [listedProof], next: PROOF_ID },
  ListedDeletions: {
    deletions: [
      {
        proofId: PROOF_ID,
        kioskId: KIOSK_ID,
        kioskName: 'Harbour branch, kiosk 2',
        sequence: 42,
        reason: 'ERASURE',
        deletedBy: 'operator:Ada Example',
        reference: 'request 2026-117',
        deletedAt: AT,
      },
    ],
    next: null,
  },
  ListedWebhooks: {
    webhooks: [
      {
        webhookId: WEBHOOK_ID,
        system: 'archive',
        origin: 'https://archive.bank.example',
        events: ['proof.stored'],
        createdAt: AT,
        pending: 0,
        parked: 2,
      },
    ],
    next: null,
  },
  Kiosk: {
    kioskId: KIOSK_ID,
    name: 'Harbour branch, kiosk 2',
    state: 'LATE',
    reasons: ['not_seen', 'alarm_open'],
    enrolledAt: '2026-10-01T08:00:00.000Z',
    revokedAt: null,
    lastSeenAt: '2026-11-21T07:00:00.000Z',
    productVersion: '0.1.0',
    backlog: 3,
    oldestPendingAt: '2026-11-21T06:50:00.000Z',
    lastSequence: 42,
    frozen: [],
    health: { database: 'UP', disk: 'UP' },
    freeDiskBytes: 120_000_000_000,
    bundleVersion: 6,
    newestBundleVersion: 7,
    bundleProblems: [],
    alarmsOpen: 1,
    alarmKinds: ['GAP'],
    otherLines: 0,
    updates: {
      enabled: true,
      version: '0.1.0+git1540.0a1b2c3d4e5f',
      architecture: 'amd64',
      result: null,
      problem: 'OUTSIDE_HOURS',
    },
  },
  Rollout: rollout,
  RolloutList: { rollouts: [rollout], next: null },
  AccessList: {
    accesses: [
      {
        accessId: EVENT_ID,
        at: AT,
        consumer: null,
        keyId: null,
        person: 'a1b2c3',
        personName: 'Ada Example',
        operator: null,
        operation: 'acknowledgeAlarm',
        subject: ALARM_ID,
        result: 'OK',
        reason: null,
      },
    ],
    next: null,
  },
  KioskLines: {
    kioskId: KIOSK_ID,
    name: 'Harbour branch, kiosk 2',
    frozenAt: AT,
    lines: [
      {
        line: 0,
        from: 42,
        to: 42,
        firstProofId: PROOF_ID,
        inFeed: 1,
        quarantined: 0,
        sealedFrom: '2026-11-21T09:28:10.000Z',
        sealedTo: '2026-11-21T09:28:10.000Z',
        machine: null,
      },
      {
        line: 1,
        from: 42,
        to: 44,
        firstProofId: WEBHOOK_ID,
        inFeed: 0,
        quarantined: 3,
        sealedFrom: '2026-11-21T08:01:00.000Z',
        sealedTo: '2026-11-21T08:40:00.000Z',
        machine: { seenAt: AT, productVersion: '0.1.0', backlog: 0 },
      },
    ],
    decisions: [],
  },
  Reason: { reason: 'stolen from the branch' },
  EnrolmentCodeOrder: { name: 'Harbour branch, kiosk 2', validHours: 24 },
  Alarm: {
    alarmId: ALARM_ID,
    kioskId: KIOSK_ID,
    kioskName: 'Harbour branch, kiosk 2',
    kind: 'GAP',
    subject: '41',
    details: { sequence: 41 },
    raisedAt: AT,
    seenAt: AT,
    times: 1,
    resolvedAt: null,
    resolvedBy: null,
    resolution: null,
    acknowledgedAt: null,
  },
  Figures: {
    from: '2026-11-15',
    to: '2026-11-21',
    proofs: 640,
    tests: 0,
    levels: [
      { level: 'LOA1', test: false, proofs: 90 },
      { level: 'LOA2', test: false, proofs: 550 },
    ],
    delays: { minute: 610, tenMinutes: 20, hour: 8, day: 2, later: 0 },
    averageDurationMs: 184_000,
    failures: [{ indicator: 'DOCUMENT_EXPIRY_KO', proofs: 12 }],
    steps: [{ step: 'ID_DOCUMENT_CAPTURE', proofs: 640, averageMs: 2400 }],
    days: [{ day: '2026-11-21', proofs: 640 }],
  },
  WebhookOrder: { url: 'https://hooks.bank.example/counterproof', events: ['proof.stored', 'alarm.raised'] },
  Webhook: {
    webhookId: WEBHOOK_ID,
    url: 'https://hooks.bank.example/counterproof',
    events: ['proof.stored'],
    createdAt: AT,
    previousSecretValidUntil: null,
    pending: 0,
    parked: 0,
  },
  Delivery: {
    deliveryId: WEBHOOK_ID,
    eventId: EVENT_ID,
    type: 'proof.stored',
    state: 'PENDING',
    attempts: 2,
    lastStatus: 500,
    lastError: 'status',
    createdAt: AT,
    nextTryAt: '2026-11-21T09:30:21.000Z',
    deliveredAt: null,
  },
  BundleOrder: {
    ...BUNDLE,
    expectedVersion: 6,
  },
  BundleRollback: { expectedVersion: 7 },
  PublishedBundle: { version: 6, createdAt: AT, rolledBackTo: null, content: BUNDLE },
}

const event = (type: EventType, data: Readonly<Record<string, unknown>>) => ({ type, timestamp: AT, data })
export const EVENT_EXAMPLES: Readonly<Record<EventType, unknown>> = {
  'proof.stored': event('proof.stored', {
    proofId: PROOF_ID,
    kioskId: KIOSK_ID,
    sequence: 42,
    identityId: IDENTITY_ID,
    test: false,
  }),
  'proof.deleted': event('proof.deleted', {
    proofId: PROOF_ID,
    kioskId: KIOSK_ID,
    sequence: 42,
    reason: 'RETENTION',
  }),
  'proof.marked': event('proof.marked', {
    proofId: PROOF_ID,
    kioskId: KIOSK_ID,
    sequence: 42,
    mark: 'IN_DOUBT',
  }),
  'alarm.raised': event('alarm.raised', { alarmId: ALARM_ID, kioskId: KIOSK_ID, kind: 'GAP' }),
  'kiosk.revoked': event('kiosk.revoked', { kioskId: KIOSK_ID }),
  'kiosk.offline': event('kiosk.offline', { kioskId: KIOSK_ID, lastSeenAt: '2026-11-21T07:00:00.000Z' }),
}
