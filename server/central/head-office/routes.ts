/**
 * Every operation of the head-office API as data: scope, input and output. The server is mounted from this
 * table, and the OpenAPI text is generated from it.
 */
import type { z } from 'zod'
import {
  AccessQuery,
  AlarmQuery,
  DeletionQuery,
  DeliveryQuery,
  FeedQuery,
  KioskQuery,
  LegalHoldQuery,
  type ContractName,
  type Scope,
} from './contract.ts'

export const BASE_PATH = '/head-office/v1'

export interface Route {
  readonly method: 'get' | 'post' | 'delete'
  /** Relative to BASE_PATH; `{id}`: a UUID, `{version}`: a whole number. */
  readonly path: string
  /** null: any valid key. */
  readonly scope: Scope | null
  readonly chapter: 'Proofs' | 'Deletion' | 'Fleet' | 'Access' | 'Webhooks' | 'Bundles' | 'Keys'
  readonly summary: string
  readonly note?: string
  readonly query?: z.ZodType
  readonly body?: ContractName
  /** `archive`: the zip itself; `none`: 204. */
  readonly answer: ContractName | 'archive' | 'none'
  readonly status?: 200 | 201
  /** Staff who signed in at the OpenID provider may call it, too. */
  readonly people?: true
  /** Refusals in addition to the common ones. */
  readonly failures?: readonly number[]
}

export const ROUTES = {
  me: {
    method: 'get',
    path: '/me',
    scope: null,
    chapter: 'Keys',
    summary: 'Whose key this is, and what it may do',
    answer: 'Me',
  },
  listProofs: {
    method: 'get',
    path: '/proofs',
    scope: 'proofs:read',
    chapter: 'Proofs',
    summary: 'The proofs stored since a cursor',
    note:
      'A feed: in the order in which proofs became visible, each once per walk. Keep `next` together with what you ' +
      'took; after a crash the same proofs come again (at least once), and the proof id tells them apart. A proof also ' +
      'comes again when its `mark` has changed.',
    query: FeedQuery,
    answer: 'ProofFeed',
  },
  getProof: {
    method: 'get',
    path: '/proofs/{proofId}',
    scope: 'proofs:read',
    chapter: 'Proofs',
    summary: 'What is known of one proof',
    answer: 'Proof',
  },
  getArchive: {
    method: 'get',
    path: '/proofs/{proofId}/archive',
    scope: 'proofs:read',
    chapter: 'Proofs',
    summary: 'The archive, byte for byte as the kiosk sealed it',
    note: 'Its SHA-256 is the ETag. Who fetched which archive is kept. Verify it with `/jwks/{kioskId}`.',
    answer: 'archive',
    failures: [404],
  },
  searchProofs: {
    method: 'post',
    path: '/proofs/search',
    scope: 'proofs:search',
    chapter: 'Proofs',
    summary: 'Proofs by id, by identity or by correlation id',
    note: 'In a body, so that no address and no log contains a correlation id. At most 100 proofs, newest first.',
    body: 'ProofSearch',
    answer: 'ProofList',
  },
  acknowledgeProof: {
    method: 'post',
    path: '/proofs/{proofId}/acknowledgement',
    scope: 'proofs:acknowledge',
    chapter: 'Proofs',
    summary: 'Note that this consumer has the proof',
    note: 'Repeatable: the first time stays.',
    answer: 'Acknowledgement',
    failures: [404],
  },
  jwks: {
    method: 'get',
    path: '/jwks/{kioskId}',
    scope: 'proofs:read',
    chapter: 'Proofs',
    summary: 'The public keys that sign the proofs of a kiosk',
    note: 'Former keys stay listed: proofs that they signed are still to be verified. Revoked ones stand apart.',
    answer: 'Jwks',
    failures: [404],
  },
  listDeletions: {
    method: 'get',
    path: '/deletions',
    scope: 'proofs:read',
    chapter: 'Deletion',
    summary: 'The proofs deleted since a cursor, with their signed receipts',
    note: 'A feed of its own, because a deletion does not move the place of its proof. After a crash some come again.',
    query: DeletionQuery,
    answer: 'DeletionFeed',
  },
  eraseProofs: {
    method: 'post',
    path: '/erasures',
    people: true,
    scope: 'proofs:erase',
    chapter: 'Deletion',
    summary: 'Delete a proof, or every proof of an identity',
    note:
      'In two calls: the first returns the proofs and a `confirmation`; the same call with it deletes exactly these. Final. ' +
      'Number and hashes stay, so that the chain of the kiosk stays provable. 403 under a legal hold, 409 if the proofs ' +
      'are others than before.',
    body: 'ErasureOrder',
    answer: 'Erasure',
    failures: [404, 409],
  },
  listLegalHolds: {
    method: 'get',
    path: '/legal-holds',
    people: true,
    scope: 'proofs:hold',
    chapter: 'Deletion',
    summary: 'The legal holds, newest first',
    query: LegalHoldQuery,
    answer: 'LegalHoldList',
  },
  placeLegalHold: {
    method: 'post',
    path: '/legal-holds',
    people: true,
    scope: 'proofs:hold',
    chapter: 'Deletion',
    summary: 'Keep a proof, the proofs of a kiosk, or all of them',
    note: 'No retention and no erasure deletes them until the hold is released.',
    body: 'LegalHoldOrder',
    answer: 'LegalHold',
    status: 201,
    failures: [404],
  },
  releaseLegalHold: {
    method: 'post',
    path: '/legal-holds/{holdId}/release',
    people: true,
    scope: 'proofs:hold',
    chapter: 'Deletion',
    summary: 'Release a legal hold',
    note: 'Repeatable: the first release stays. Proofs whose time is over are deleted within an hour.',
    body: 'LegalHoldRelease',
    answer: 'LegalHold',
    failures: [404],
  },
  listKiosks: {
    method: 'get',
    path: '/kiosks',
    people: true,
    scope: 'fleet:read',
    chapter: 'Fleet',
    summary: 'The kiosks and how they are',
    query: KioskQuery,
    answer: 'KioskList',
  },
  getKiosk: {
    method: 'get',
    path: '/kiosks/{kioskId}',
    people: true,
    scope: 'fleet:read',
    chapter: 'Fleet',
    summary: 'One kiosk',
    answer: 'Kiosk',
    failures: [404],
  },
  listLines: {
    method: 'get',
    path: '/kiosks/{kioskId}/lines',
    people: true,
    scope: 'fleet:read',
    chapter: 'Fleet',
    summary: 'The histories of a kiosk whose data folder was copied',
    note: 'The operator of the central service decides which one continues.',
    answer: 'KioskLines',
    failures: [404],
  },
  revokeKiosk: {
    method: 'post',
    path: '/kiosks/{kioskId}/revocation',
    people: true,
    scope: 'fleet:write',
    chapter: 'Fleet',
    summary: 'Refuse everything of this kiosk from now on',
    note: 'Permanent: to come back, a kiosk must be enrolled again. Its stored proofs stay valid. Repeatable.',
    body: 'Reason',
    answer: 'Revocation',
    failures: [404],
  },
  createEnrolmentCode: {
    method: 'post',
    path: '/enrolment-codes',
    people: true,
    scope: 'fleet:write',
    chapter: 'Fleet',
    summary: 'A code with which one kiosk may join',
    body: 'EnrolmentCodeOrder',
    answer: 'EnrolmentCode',
    status: 201,
  },
  listAlarms: {
    method: 'get',
    path: '/alarms',
    people: true,
    scope: 'fleet:read',
    chapter: 'Fleet',
    summary: 'Alarms, newest first',
    query: AlarmQuery,
    answer: 'AlarmList',
  },
  acknowledgeAlarm: {
    method: 'post',
    path: '/alarms/{alarmId}/acknowledgement',
    people: true,
    scope: 'fleet:write',
    chapter: 'Fleet',
    summary: 'Acknowledge an alarm',
    answer: 'AlarmAcknowledgement',
    failures: [404],
  },
  listAccess: {
    method: 'get',
    path: '/access',
    people: true,
    scope: 'access:read',
    chapter: 'Access',
    summary: 'Who did what in this tenant, newest first',
    note: 'Reads of a person are listed once per sign-in. The command `central -- access-log` exports all tenants.',
    query: AccessQuery,
    answer: 'AccessList',
  },
  createWebhook: {
    method: 'post',
    path: '/webhooks',
    scope: 'webhooks:manage',
    chapter: 'Webhooks',
    summary: 'Have events sent to an address',
    note:
      'Signed by the rules of Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Only a 2xx ' +
      'answer within 15 seconds counts; anything else is tried again with growing pauses for 24 hours, then parked. ' +
      'Redirects are not followed. The same event may come twice: `webhook-id` tells. At most 20 per consumer.',
    body: 'WebhookOrder',
    answer: 'NewWebhook',
    status: 201,
  },
  listWebhooks: {
    method: 'get',
    path: '/webhooks',
    scope: 'webhooks:manage',
    chapter: 'Webhooks',
    summary: 'The webhooks of this consumer',
    answer: 'WebhookList',
  },
  deleteWebhook: {
    method: 'delete',
    path: '/webhooks/{webhookId}',
    scope: 'webhooks:manage',
    chapter: 'Webhooks',
    summary: 'Send nothing there any more; what waits is dropped',
    answer: 'none',
    failures: [404],
  },
  rotateSecret: {
    method: 'post',
    path: '/webhooks/{webhookId}/secret',
    scope: 'webhooks:manage',
    chapter: 'Webhooks',
    summary: 'A new secret; the former one signs as well for a while',
    body: 'SecretOrder',
    answer: 'NewWebhook',
    status: 201,
    failures: [404],
  },
  listDeliveries: {
    method: 'get',
    path: '/webhooks/{webhookId}/deliveries',
    scope: 'webhooks:manage',
    chapter: 'Webhooks',
    summary: 'What was sent, or is to be sent, to a webhook',
    query: DeliveryQuery,
    answer: 'DeliveryList',
    failures: [404],
  },
  resendDelivery: {
    method: 'post',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/resend',
    scope: 'webhooks:manage',
    chapter: 'Webhooks',
    summary: 'Send it again, now and for another 24 hours',
    answer: 'Delivery',
    failures: [404],
  },
  publishBundle: {
    method: 'post',
    path: '/bundles',
    scope: 'bundles:publish',
    chapter: 'Bundles',
    summary: 'Configuration, policies and watchlists for all kiosks of the tenant',
    note: 'Signed by the central service; kiosks fetch it with their next status. The whole content each time.',
    body: 'BundleOrder',
    answer: 'BundleSummary',
    status: 201,
  },
  listBundles: {
    method: 'get',
    path: '/bundles',
    scope: 'bundles:publish',
    chapter: 'Bundles',
    summary: 'The last 100 versions, newest first',
    answer: 'BundleList',
  },
  rollBackBundle: {
    method: 'post',
    path: '/bundles/{version}/rollback',
    scope: 'bundles:publish',
    chapter: 'Bundles',
    summary: 'Publish the content of a former version again, as a new and higher one',
    answer: 'BundleSummary',
    status: 201,
    failures: [404],
  },
} as const satisfies Readonly<Record<string, Route>>

export type Operation = keyof typeof ROUTES
export const ROUTE_LIST = Object.entries(ROUTES) as [Operation, Route][]
