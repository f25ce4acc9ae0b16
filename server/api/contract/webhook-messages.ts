/** The messages that webhooks send, one schema per type of event. The log compares events with schemas of its own. */
import { z } from 'zod'
import {
  ADJUDICATION_STATUSES,
  CONSENT_TYPES,
  EVIDENCE_STATUSES,
  EVIDENCE_TYPES,
  FRAUD_CHECK_TYPES,
  IDENTITY_STATUSES,
  LEVELS,
  OTP_STATUSES,
  TEST_CAUSES,
} from '../../proofing/types.ts'
import { TEST_EVENT, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../webhooks/event-types.ts'

const id = (of: string) => z.uuid().describe(`Id of the ${of}`)
const evidenceId = id('evidence')
const evidenceType = z.enum(EVIDENCE_TYPES).describe('Kind of evidence')
const identityStatus = z.enum(IDENTITY_STATUSES).describe('Status of the identity')
const evidenceStatus = z.enum(EVIDENCE_STATUSES).describe('Status of the evidence')
const adjudicationStatus = z.enum(ADJUDICATION_STATUSES).describe('Status of the adjudication request')
const levelOfAssurance = z
  .string()
  .regex(/^LOA\d$/)
  .describe('Level of assurance after the event')
const test = z.boolean().optional().describe('True if the identity proves nothing about a real person')
const adjudication = { evidenceId, adjudicationId: id('adjudication request') }

/** Maps each type of event to its meaning and to the members of `data` other than `identityId` and `sequence`. */
const EVENTS: Readonly<Record<WebhookEventType, readonly [meaning: string, members: z.ZodRawShape]>> = {
  'identity.created': ['An identity was opened', { status: identityStatus, test }],
  'identity.marked_test': [
    'The identity proves nothing about a real person',
    { cause: z.enum(TEST_CAUSES).describe('Cause of the mark') },
  ],
  'identity.evaluated': ['The status or the level has changed', { status: identityStatus, levelOfAssurance }],
  'identity.paused': ['The transaction was paused', { status: identityStatus }],
  'identity.resumed': ['The transaction was resumed', { status: identityStatus }],
  'identity.expired': ['The lifetime of the identity is over', {}],
  'identity.erased': [
    'All data of the identity was destroyed',
    {
      reason: z
        .enum(['DELETE', 'RETENTION', 'ABANDONED', 'RESTORED', 'LOST'])
        .describe(
          'DELETE: by a call; RETENTION: by the policy; ABANDONED: it was never finished; RESTORED, LOST: by its keys',
        ),
    },
  ],
  'consent.recorded': [
    'A consent was given or refused',
    {
      consentId: id('consent'),
      type: z.enum(CONSENT_TYPES).describe('Type of the consent'),
      approved: z.boolean().describe('Whether the consent was given'),
    },
  ],
  'evidence.submitted': ['Evidence was submitted', { evidenceId, type: evidenceType }],
  'evidence.decided': [
    'Evidence was verified, or decided again',
    {
      evidenceId,
      type: evidenceType,
      status: evidenceStatus,
      score: z.enum(LEVELS).describe('Score of the evidence'),
    },
  ],
  'evidence.deleted': ['Evidence was deleted', { evidenceId }],
  'session.ended': [
    'A capture session has ended',
    { evidenceId, state: z.enum(['DONE', 'EXPIRED', 'CANCELLED', 'FAILED']).describe('Reason of the end') },
  ],
  'otp.ended': [
    'A passcode was typed, or is no longer valid',
    { evidenceId, status: z.enum(OTP_STATUSES).describe('Status of the passcode') },
  ],
  'adjudication.requested': [
    'An adjudication was requested',
    { ...adjudication, status: adjudicationStatus },
  ],
  'adjudication.claimed': ['An adjudicator has claimed the request', adjudication],
  'adjudication.released': ['The adjudicator has released the request', adjudication],
  'adjudication.decided': ['An adjudicator has decided', { ...adjudication, status: adjudicationStatus }],
  'adjudication.ended': [
    'The request has ended, with or without a decision',
    { ...adjudication, status: adjudicationStatus },
  ],
  'antifraud.decided': [
    'An antifraud check is decided',
    { type: z.enum(FRAUD_CHECK_TYPES).describe('Type of the check'), status: evidenceStatus },
  ],
  'file.added': ['An additional file was attached', { fileId: id('file') }],
  'file.deleted': ['An additional file was deleted', { fileId: id('file') }],
  'proof.sealed': [
    'The proof was sealed; the transaction is closed',
    {
      proofId: id('proof'),
      levelOfAssurance,
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe('SHA-256 of the archive'),
      test,
    },
  ],
  'proof.retrieved': ['The proof was retrieved', { proofId: id('proof') }],
  'hold.placed': ['A legal hold keeps the identity', {}],
  'hold.lifted': ['The legal hold was lifted', {}],
}

/** The form is `yyyy-MM-ddTHH:mm:ss.SSSZ`: messages follow Standard Webhooks, not the date-times of the API. */
const timestamp = z.iso.datetime().describe('Time of the event (UTC, with Z)')

function messageSchema(type: WebhookEventType) {
  const [meaning, members] = EVENTS[type]
  return z
    .object({
      type: z.literal(type).describe('Type of the event'),
      timestamp,
      data: z
        .object({
          identityId: id('identity'),
          sequence: z
            .int()
            .describe('Number of the event in the audit log; after a resend it shows which event is newer'),
          ...members,
        })
        .describe('Ids and states only. New members may be added: ignore unknown ones'),
    })
    .describe(meaning)
}

const WebhookTestMessage = z
  .object({
    type: z.literal(TEST_EVENT).describe('Type of the message'),
    timestamp,
    data: z.object({ webhookId: id('webhook') }).describe('Id of the tested endpoint'),
  })
  .describe('Test message, sent on POST /v1/webhooks/{webhookId}/test')

/** Turns `identity.marked_test` into `IdentityMarkedTestEvent`. */
export function messageName(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** Maps each type of event, including the test event, to the schema of its message. */
export const WEBHOOK_MESSAGES: Readonly<Record<string, z.ZodObject>> = {
  ...Object.fromEntries(WEBHOOK_EVENT_TYPES.map((type) => [type, messageSchema(type)])),
  [TEST_EVENT]: WebhookTestMessage,
}
