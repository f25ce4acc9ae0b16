/**
 * The receivers of webhooks: registered, rotated and removed beside a running server, with their deliveries.
 */
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors.ts'
import { DELIVERY_STATES, type DeliveryState } from '../store/webhook-deliveries.ts'
import type { Store } from '../store/open.ts'
import {
  assignWebhook,
  enableWebhook,
  selectAllWebhooks,
  listDeliveries,
  listWebhooks,
  registerWebhook,
  removeWebhook,
  resendDelivery,
  rotateWebhookSecret,
  testWebhook,
  type Asking,
  type WebhookRegistry,
} from '../workflows/webhooks/manage-webhooks.ts'
import { isWebhookEventType, WEBHOOK_EVENT_TYPES } from '../webhooks/event-types.ts'
import { readConfig, ensureTenant, OPERATOR, printResult, withPresentStore } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const DEFAULT_OVERLAP_HOURS = 24
const MAX_OVERLAP_HOURS = 168
/** As many as fit on a screen; --limit shows more. */
const SHOWN = 50
const MAX_SHOWN = 1_000

const HELP = `Endpoints that receive signed events (Standard Webhooks 1.0.0), at least once and in order per identity. A running server
applies a change within a second; otherwise the next start applies it.

  npm run webhooks -- add URL --application NAME [--events A,B]   registers an endpoint; shows its secret once
  npm run webhooks -- list                          lists the endpoints
  npm run webhooks -- assign ID --application NAME  gives an endpoint of an older version its application; until then
                                                    it receives nothing
  npm run webhooks -- rotate ID [--overlap HOURS]   makes a new secret; both secrets sign for HOURS (default ${DEFAULT_OVERLAP_HOURS})
  npm run webhooks -- enable ID                     sends again after a 410, from the event where it stopped
  npm run webhooks -- remove ID                     removes the endpoint and its pending deliveries
  npm run webhooks -- deliveries ID [--state PENDING|DELIVERED|PARKED] [--limit N]
                                                    lists the deliveries to an endpoint
  npm run webhooks -- resend DELIVERY               delivers again under the same webhook-id, with all retries
  npm run webhooks -- test ID                       sends one message of type webhook.test

  --application  owner of the endpoint, which receives the events of this application's identities and of those that
            the tenant shares with it (tenant.sharing). The application must have keys (npm run keys -- list); kiosk and
            counter are reserved for the appliance
  --events  event types with commas between them (default: all):
${columns(WEBHOOK_EVENT_TYPES)}
  --data    the appliance's data folder (default: ~/.local/share/counterproof)
  --json    prints the result as one JSON object

An address must be https and public; webhooks.allowHttp and webhooks.allowPrivateAddresses in config.json allow more.

Example: npm run webhooks -- add https://shop.example.com/events --application webshop --events proof.sealed
`

interface Asked {
  readonly ctx: WebhookRegistry & { readonly store: Store }
  /** The operator, with access to all webhooks of the tenant. */
  readonly asking: Asking
  readonly subject: string | undefined
  readonly values: {
    readonly application?: string | undefined
    readonly events?: string | undefined
    readonly overlap?: string | undefined
    readonly state?: string | undefined
    readonly limit?: string | undefined
  }
}
interface Told {
  readonly result: unknown
  readonly words: string
}

const ACTIONS: Readonly<Record<string, (asked: Asked) => Told>> = {
  add: ({ ctx, asking, subject, values }) => {
    if (subject === undefined) throw new UsageError('add needs a URL')
    const events = values.events?.split(',').map((type) => type.trim())
    const unknown = events?.find((type) => !isWebhookEventType(type))
    if (unknown !== undefined) throw new UsageError(`there is no event '${unknown}'; see --help`)
    const applicationId = findApplicationId(ctx, asking, 'add', values.application)
    const input = { url: subject, events: events?.filter(isWebhookEventType) }
    const result = registerWebhook(ctx, { ...asking, applicationId }, input)
    return { result, words: shown(result.webhookId, result.secret) }
  },
  list: ({ ctx, asking }) => {
    const webhooks = listWebhooks(ctx, asking).map((webhook) => ({
      ...webhook,
      application: nameOfOwner(ctx, asking, webhook.webhookId),
    }))
    const rows = webhooks.map(({ webhookId, url, pending, parked, disabledBecause, application }) => {
      const state = application === null ? 'of no application' : (disabledBecause ?? 'in use')
      return [webhookId, `${pending} pending`, `${parked} parked`, state, application ?? '-', url].join('  ')
    })
    return { result: { webhooks }, words: lines(rows, 'no webhook is registered yet') }
  },
  assign: ({ ctx, asking, subject, values }) => {
    const applicationId = findApplicationId(ctx, asking, 'assign', values.application)
    const id = requireId('assign', subject)
    return {
      result: assignWebhook(ctx, asking, id, applicationId),
      words: 'assigned: it continues where it stopped\n',
    }
  },
  rotate: ({ ctx, asking, subject, values }) => {
    const hours = parseNumber('overlap', values.overlap, DEFAULT_OVERLAP_HOURS, 0, MAX_OVERLAP_HOURS)
    const id = requireId('rotate', subject)
    const result = rotateWebhookSecret(ctx, asking, id, hours)
    return { result, words: shown(id, result.secret) }
  },
  enable: ({ ctx, asking, subject }) => ({
    result: enableWebhook(ctx, asking, requireId('enable', subject)),
    words: 'sends again\n',
  }),
  remove: ({ ctx, asking, subject }) => {
    const id = requireId('remove', subject)
    removeWebhook(ctx, asking, id)
    return { result: { removed: id }, words: 'removed\n' }
  },
  deliveries: ({ ctx, asking, subject, values }) => {
    const state = values.state
    if (state !== undefined && !isState(state)) throw new UsageError(`there is no state '${state}'`)
    const limit = parseNumber('limit', values.limit, SHOWN, 1, MAX_SHOWN)
    const result = listDeliveries(ctx, asking, requireId('deliveries', subject), { state, limit })
    const rows = result.deliveries.map((delivery) =>
      [
        delivery.deliveryId,
        delivery.state.padEnd(9),
        delivery.type.padEnd(22),
        `${delivery.attempts} tries`,
        `last ${delivery.lastError ?? '-'} ${delivery.lastStatus ?? '-'}`,
        delivery.nextTryDateTime === undefined ? '' : `next ${delivery.nextTryDateTime} UTC`,
      ].join('  '),
    )
    return { result, words: lines(rows, 'no deliveries') }
  },
  resend: ({ ctx, asking, subject }) => {
    const id = requireId('resend', subject)
    const delivery = ctx.store.webhookDeliveries.findInTenant(asking.tenantId, id)
    if (!delivery) throw new UsageError('there is no delivery of that id; see deliveries')
    const result = resendDelivery(ctx, asking, delivery.endpointId, id)
    return { result, words: 'will be sent again\n' }
  },
  test: ({ ctx, asking, subject }) => {
    const result = testWebhook(ctx, asking, requireId('test', subject))
    return { result, words: `delivery ${result.deliveryId}; see deliveries for how it went\n` }
  },
}

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    application: { type: 'string' },
    events: { type: 'string' },
    overlap: { type: 'string' },
    state: { type: 'string' },
    limit: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name: action, positionals, values } = command
  const [, subject, ...more] = positionals
  refuseMore(action === 'list' && subject !== undefined ? positionals.slice(1) : more)
  const act = getAction(ACTIONS, action)
  const config = readConfig(values)
  const { result, words } = await withPresentStore(config, (store) => {
    ensureTenant(store, config)
    const asking = { ...selectAllWebhooks(config.tenant.id), ...OPERATOR }
    return acting(() => act({ ctx: openRegistry(store, config), asking, subject, values }))
  })
  printResult(values.json, result, words)
  return 0
}

function openRegistry(store: Store, config: Config): WebhookRegistry {
  return { store, config, clock: systemClock, newId: () => uuidv7() }
}

/** Returns the id of the named application. A mistyped name would never receive anything. */
function findApplicationId(
  { store }: WebhookRegistry,
  { tenantId }: Asking,
  action: string,
  name: string | undefined,
): string {
  const known = store.apiKeys.applications(tenantId)
  const found = known.find((application) => application.name === name)
  if (found) return found.id
  const names = known.map((application) => application.name).join(', ') || 'none yet (npm run keys -- create)'
  if (name === undefined) throw new UsageError(`${action} needs --application NAME; there are: ${names}`)
  throw new UsageError(`there is no application '${name}'; there are: ${names}`)
}

/** Null: created by an older version, without an application. */
function nameOfOwner({ store }: WebhookRegistry, asking: Asking, webhookId: string): string | null {
  const owner = store.webhookEndpoints.find(asking, webhookId)?.applicationId ?? null
  return owner === null ? null : store.apiKeys.findApplicationName(asking.tenantId, owner)
}

/** Reports the caller's mistakes as wrong use, in words. */
function acting<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'transition_refused') throw new UsageError('this webhook has an application; see list')
    if (error.code === 'not_found') throw new UsageError('there is no webhook of that id; see list')
    const [problem] = error.problems
    if (error.code === 'validation_failed' && problem) {
      throw new UsageError(`${problem.field ?? 'this'} ${problem.message}`)
    }
    throw error
  }
}

function requireId(action: string, subject: string | undefined): string {
  if (subject === undefined) throw new UsageError(`${action} needs an ID; see list`)
  return subject.toLowerCase()
}

function isState(state: string): state is DeliveryState {
  return (DELIVERY_STATES as readonly string[]).includes(state)
}

function parseNumber(name: string, given: string | undefined, otherwise: number, min: number, max: number) {
  const value = given === undefined ? otherwise : Number(given)
  if (Number.isFinite(value) && value >= min && value <= max) return value
  throw new UsageError(`--${name} needs a number from ${min} to ${max}`)
}

function shown(webhookId: string, secret: string): string {
  return `webhook: ${webhookId}\nsecret:  ${secret}\nKeep the secret now: it is not shown again.\n`
}

function lines(rows: readonly string[], otherwise: string): string {
  return `${rows.join('\n') || otherwise}\n`
}

function columns(types: readonly string[]): string {
  const rows: string[] = []
  for (let at = 0; at < types.length; at += 4) rows.push(`            ${types.slice(at, at + 4).join(', ')}`)
  return rows.join(',\n')
}
