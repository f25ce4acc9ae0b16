/**
 * The closed list of what relying services can be told, and which members of each event they are told: ids, states and
 * words of closed lists. What is not named here never leaves the audit log.
 */
import type { EventType } from '../store/events.ts'

/** Type, as it stands in the log and in the message → members of `data` beside `identityId` and `sequence`. */
export const WEBHOOK_EVENTS = {
  'identity.created': ['status', 'test'],
  'identity.marked_test': ['cause'],
  'identity.evaluated': ['status', 'levelOfAssurance'],
  'identity.paused': ['status'],
  'identity.resumed': ['status'],
  'identity.expired': [],
  'identity.erased': ['reason'],
  'consent.recorded': ['consentId', 'type', 'approved'],
  'evidence.submitted': ['evidenceId', 'type'],
  'evidence.decided': ['evidenceId', 'type', 'status', 'score'],
  'evidence.deleted': ['evidenceId'],
  'session.ended': ['evidenceId', 'state'],
  'otp.ended': ['evidenceId', 'status'],
  'adjudication.requested': ['evidenceId', 'adjudicationId', 'status'],
  'adjudication.claimed': ['evidenceId', 'adjudicationId'],
  'adjudication.released': ['evidenceId', 'adjudicationId'],
  'adjudication.decided': ['evidenceId', 'adjudicationId', 'status'],
  'adjudication.ended': ['evidenceId', 'adjudicationId', 'status'],
  'antifraud.decided': ['type', 'status'],
  'file.added': ['fileId'],
  'file.deleted': ['fileId'],
  'proof.sealed': ['proofId', 'levelOfAssurance', 'sha256', 'test'],
  'proof.retrieved': ['proofId'],
  'hold.placed': [],
  'hold.lifted': [],
} as const satisfies Partial<Record<EventType, readonly string[]>>

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS

export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as readonly WebhookEventType[]

/** Not of the log: sent when somebody asks whether the receiver hears. */
export const TEST_EVENT = 'webhook.test'

export function isWebhookEventType(type: string): type is WebhookEventType {
  return Object.hasOwn(WEBHOOK_EVENTS, type)
}
