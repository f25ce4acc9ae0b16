/**
 * The closed list of events that relying services receive, and the members of each: ids, states and words of closed
 * lists. Anything not listed here never leaves the audit log.
 */
import type { EventType } from '../store/events.ts'

/** Event type, as in the log and in the message → members of `data` besides `identityId` and `sequence`. */
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

/** Not an event of the log; sent when a caller tests whether the receiver answers. */
export const TEST_EVENT = 'webhook.test'

export function isWebhookEventType(type: string): type is WebhookEventType {
  return Object.hasOwn(WEBHOOK_EVENTS, type)
}
