/**
 * Turns an event of the log into a message body (Standard Webhooks: type, timestamp, data). Pure; each body is written
 * once and sent unchanged.
 */
import type { TenantEvent } from '../store/tenant-events.ts'
import { TEST_EVENT, WEBHOOK_EVENTS, type WebhookEventType } from './event-types.ts'

/** `data.sequence` is the place in the audit log; it tells a receiver which message is newer after a manual resend. */
export function buildMessage(type: WebhookEventType, event: TenantEvent): string {
  const { seq, identityId, reason, at } = event
  const known: Readonly<Record<string, unknown>> = { ...event.body, ...(reason === null ? {} : { reason }) }
  const told = WEBHOOK_EVENTS[type].flatMap((member) => {
    const value = known[member]
    return value === undefined ? [] : [[member, value] as const]
  })
  const data = { identityId, sequence: seq, ...Object.fromEntries(told) }
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}

export function testMessage(webhookId: string, at: Date): string {
  return JSON.stringify({ type: TEST_EVENT, timestamp: at.toISOString(), data: { webhookId } })
}
