/** Counterproof's extension for webhooks. Nothing is received here: the kit opens no port. */
import { at, field, unless } from '../kit.ts'
import { webhook, webhookDelivery, webhookList, webhookPage } from '../spec.ts'
import type { Chapter } from './common.ts'

const REGISTER = 'POST /v1/webhooks'
const LIST = 'GET /v1/webhooks'
const SHOW = 'GET /v1/webhooks/{webhookId}'
const REMOVE = 'DELETE /v1/webhooks/{webhookId}'
const ROTATE = 'POST /v1/webhooks/{webhookId}/secret'
const ENABLE = 'POST /v1/webhooks/{webhookId}/enable'
const TEST = 'POST /v1/webhooks/{webhookId}/test'
const DELIVERIES = 'GET /v1/webhooks/{webhookId}/deliveries'
const RESEND = 'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend'

/** RFC 2606: a name that never resolves. */
const json = { url: 'https://hooks.bank.example/kit', events: ['proof.sealed'] }

export const webhooks: Chapter = async (kit) => {
  // A server without this extension is asked once, and reported as lacking it.
  const present = { status: 200, shape: webhookList }
  if (!kit.target.own && (await kit.call(LIST, 'whether there are any', {}, present)).status !== 200) return
  for (const [words, url] of [
    ['to this machine', 'https://127.0.0.1/'],
    ['without TLS', 'http://hooks.bank.example/'],
  ] as const) {
    await kit.call(REGISTER, `an address ${words}`, { json: { url } }, { status: 400 })
  }
  const unknown = { url: json.url, events: ['key.created'] }
  await kit.call(REGISTER, 'an event that does not exist', { json: unknown }, { status: 400 })
  const made = await kit.must(REGISTER, 'an address', { json }, { status: 200, shape: webhook })
  kit.claim(REGISTER, 'shows the secret', unless(/^whsec_/.test(field(made, 'secret')), 'no secret came'))
  const params = { webhookId: field(made, 'webhookId') }
  const listed = await kit.call(LIST, 'with one', {}, present)
  kit.claim(LIST, 'shows no secret', unless(!JSON.stringify(listed.json).includes('whsec_'), 'a secret came'))
  await kit.call(SHOW, 'the one', { params }, { status: 200, shape: webhook })
  await kit.call(
    ROTATE,
    'for an hour',
    { params, json: { overlapHours: 1 } },
    { status: 200, shape: webhook },
  )
  await kit.call(ROTATE, 'for a year', { params, json: { overlapHours: 9_000 } }, { status: 400 })
  await kit.call(ENABLE, 'what is in use', { params }, { status: 200, shape: webhook })
  const tested = await kit.must(TEST, 'of the one', { params }, { status: 200, shape: webhookDelivery })
  const deliveryId = field(tested, 'deliveryId')
  const page = await kit.call(DELIVERIES, 'of the one', { params }, { status: 200, shape: webhookPage })
  const [first] = (at(page.json, 'deliveries') ?? []) as readonly unknown[]
  kit.claim(DELIVERIES, 'shows the test', unless(at(first, 'deliveryId') === deliveryId, 'another came'))
  const again = { params: { ...params, deliveryId } }
  await kit.call(RESEND, 'of the test', again, { status: 200, shape: webhookDelivery })
  await kit.call(REMOVE, 'the one', { params }, { status: 204 })
  for (const operation of [SHOW, REMOVE, ENABLE, TEST, DELIVERIES] as const) {
    await kit.call(operation, 'of one that is gone', { params }, { status: 404 })
  }
}
