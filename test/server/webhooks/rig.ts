/** A real store, the real runner and real sockets; the day of the schedule passes in a few seconds. */
import { Webhook } from 'standardwebhooks'
import { v7 as uuidv7 } from 'uuid'
import { systemClock, type Clock } from '../../../server/clock.ts'
import { checkConfig } from '../../../server/config/config.ts'
import { silentLog } from '../../../server/log.ts'
import { STANDARD_SCHEDULE_MS } from '../../../server/outgoing/back-off.ts'
import { createSender, type SenderOptions } from '../../../server/outgoing/send.ts'
import type { WebhookDelivery } from '../../../server/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../../../server/store/webhook-endpoints.ts'
import type { WebhookEventType } from '../../../server/webhooks/event-types.ts'
import { startWebhooks, type WebhookOptions, type WebhookRunner } from '../../../server/webhooks/runner.ts'
import { scopeOfApplication } from '../../../server/workflows/access/reach.ts'
import {
  selectAllWebhooks,
  registerWebhook,
  type WebhookRegistry,
} from '../../../server/workflows/webhooks/manage-webhooks.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'
import type { Received } from '../../support/webhook-receiver.ts'

/** 24 h become 2.4 s. */
export const QUICK_SCHEDULE = STANDARD_SCHEDULE_MS.map((ms) => ms / 36_000)
export const OPERATOR = { ...selectAllWebhooks('tenant'), actor: 'operator' }
const LAN = { allowHttp: true, allowPrivateAddresses: true }

export interface RigOptions {
  readonly sender?: Partial<SenderOptions>
  readonly runner?: Partial<WebhookOptions>
  readonly clock?: Clock
}

export interface Rig {
  readonly store: TestStore
  readonly registry: WebhookRegistry
  /** Registered beside the check of the address, which the tests of the API are about. */
  register(
    url: string,
    events?: readonly WebhookEventType[],
  ): { readonly id: string; readonly secret: string }
  /** Appends so many events about one identity, each in a transaction. */
  tell(identityId: string, count?: number): void
  deliveries(endpointId: string): readonly WebhookDelivery[]
  start(options?: RigOptions): void
  stop(): Promise<void>
  close(): Promise<void>
}

export function startRig(options: RigOptions = {}): Rig {
  const test = openTestStore()
  const { tenant } = checkConfig({}, test.dataDir, 'config.json')
  const clock = options.clock ?? systemClock
  let runner: WebhookRunner | null = null
  const registry: WebhookRegistry = {
    get store() {
      return test.store
    },
    clock,
    newId: () => uuidv7(),
    config: { webhooks: { ...LAN, timeoutSeconds: 20 } },
  }
  const rig: Rig = {
    store: test,
    registry,
    register: (url, events) => {
      const { webhookId, secret } = registerWebhook(
        registry,
        { ...OPERATOR, applicationId: test.applicationId },
        { url, events },
      )
      return { id: webhookId, secret }
    },
    tell: (identityId, count = 1) => {
      for (let each = 0; each < count; each++) {
        test.store.transaction(() => {
          const body = { status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA1' } as const
          test.store.events.append('identity.evaluated', identityId, body, new Date())
        })
      }
    },
    deliveries: (endpointId) =>
      [...test.store.webhookDeliveries.list(endpointId, OPERATOR.audience, { limit: 10_000 })].reverse(),
    start: (again = options) => {
      const sender = createSender({ ...LAN, timeoutMs: 20_000, ...again.sender }, 'Counterproof/test')
      const findAudience = ({ tenantId, applicationId }: WebhookEndpoint) => ({
        allCases: false,
        scope: scopeOfApplication(
          { store: test.store, config: { tenant } },
          { tenantId, applicationId: applicationId ?? '' },
          'READ',
        ),
      })
      const ctx = { store: test.store, clock, log: silentLog, newId: () => uuidv7(), findAudience }
      const started = startWebhooks(ctx, sender, {
        schedule: QUICK_SCHEDULE,
        pollMs: 10,
        stopMs: 200,
        ...again.runner,
      })
      test.store.onCommit(() => {
        started.wake()
      })
      runner = started
    },
    stop: async () => {
      await runner?.stop()
      runner = null
    },
    close: async () => {
      await rig.stop()
      test.close()
    },
  }
  rig.start()
  return rig
}

export interface Told {
  readonly id: string
  readonly type: string
  readonly identityId: string
  readonly sequence: number
}

/** Throws when its signature is not by this secret. */
export function verified({ body, headers }: Received, secret: string): Told {
  const event = new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string
    data: { identityId: string; sequence: number }
  }
  return { ...event.data, id: String(headers['webhook-id']), type: event.type }
}

/** The sequence numbers in which an identity's events came for the first time. */
export function firstSeen(told: readonly Told[], identityId: string): number[] {
  return [...new Set(told.filter((one) => one.identityId === identityId).map(({ sequence }) => sequence))]
}

export function ascending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b)
}
