/**
 * The process that tells relying services is killed (SIGKILL) at random moments, between tries and during them, many times
 * over: every event still arrives at least once, in order, under one id, or is parked and seen. Real processes, real
 * sockets. WEBHOOK_KILLS: how many times, WEBHOOK_SEED: another row of moments.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '../../server/clock.ts'
import { openStore, type Store } from '../../server/store/open.ts'
import { registerWebhook, rotateWebhookSecret } from '../../server/workflows/webhooks/manage-webhooks.ts'
import { ascending, firstSeen, OPERATOR, verified, type Told } from '../server/webhooks/rig.ts'
import { openTestStore } from '../support/store.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const KILLS = Number(process.env.WEBHOOK_KILLS ?? 20)
const SEED = Number(process.env.WEBHOOK_SEED ?? 1)
const IDENTITIES = 6
/** Counted from `ready`. A try takes a few milliseconds, a slow one 60, an unanswered one 100. */
const MAX_LIFE_MS = 500
/** The ten tries of a day take this long. */
const DAY_SECONDS = 2
/** Number of checks of 200 ms without progress, for a busy machine. */
const STILL_LOOKS = 450

/** Mulberry32: the same moments for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function begin(dataDir: string, kek: Buffer, identities: readonly string[]): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'telling-appliance.ts')
  const child = spawn(
    process.execPath,
    [program, dataDir, kek.toString('hex'), String(DAY_SECONDS), ...identities],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test(
  'every event arrives in order and under one id, or is parked, wherever the process was killed',
  async () => {
    const random = randomOf(SEED)
    const its = openTestStore()
    const identities = Array.from({ length: IDENTITIES }, () => its.addIdentity().id)
    const { applicationId } = its
    const receiver = await startReceiver()
    const within = <T>(work: (store: Store) => T): T => {
      const store = openStore(its.dataDir, its.kek)
      try {
        return work(store)
      } finally {
        store.close()
      }
    }
    const registryOf = (store: Store) => ({
      store,
      clock: systemClock,
      newId: () => uuidv7(),
      config: { webhooks: { allowHttp: true, allowPrivateAddresses: true, timeoutSeconds: 1 } },
    })
    const { id, secrets, from } = within((store) => {
      const { webhookId, secret } = registerWebhook(
        registryOf(store),
        { ...OPERATOR, applicationId },
        { url: receiver.url },
      )
      return { id: webhookId, secrets: [secret], from: store.events.head().seq }
    })
    its.store.close()

    const seen: Told[] = []
    const taken = new Map<string, Told>()
    /** Events that were not taken when a later one of their identity came: parked, or an overtaking. */
    const overtaken = new Set<string>()
    /** Every twentieth event is never taken: it has to end as parked, and hold up its identity only until then. */
    const isPoison = ({ sequence }: Told) => sequence % 20 === 0
    let isEnding = false
    receiver.answer = async (received, res) => {
      // During the overlap each of two secrets verifies it.
      const [told] = secrets.slice(-2).map((secret) => verified(received, secret))
      if (!told) throw new Error('not signed')
      for (const { id: earlier, identityId, sequence } of seen) {
        if (identityId === told.identityId && sequence < told.sequence && !taken.has(earlier))
          overtaken.add(earlier)
      }
      seen.push(told)
      if (isPoison(told)) return 500
      const chance = isEnding ? 1 : random()
      if (chance < 0.15) return 500
      if (chance < 0.25) return undefined
      if (chance < 0.35) await wait(60)
      taken.set(told.id, told)
      if (!res.destroyed) return 200
      return undefined
    }

    for (let killed = 0; killed < KILLS; killed++) {
      const child = await begin(its.dataDir, its.kek, identities)
      await wait(random() * MAX_LIFE_MS)
      await kill(child)
      if (killed === Math.floor(KILLS / 2)) {
        const { secret } = within((store) => rotateWebhookSecret(registryOf(store), OPERATOR, id, 1))
        secrets.push(secret)
      }
    }
    isEnding = true
    const last = await begin(its.dataDir, its.kek, [])
    const pending = () => within((store) => store.webhookDeliveries.count('PENDING'))
    const isRead = () =>
      within((store) => {
        const { events } = store.tenantEvents.after(OPERATOR.audience, ['identity.evaluated'], from, 100_000)
        return (
          store.webhookDeliveries.list(id, OPERATOR.audience, { limit: 100_000 }).length === events.length
        )
      })
    // One that is never taken holds up its identity for DAY_SECONDS: as long as something moves, there is hope.
    let left = pending()
    for (let looks = 0; looks < STILL_LOOKS && (left > 0 || !isRead()); looks++) {
      await wait(200)
      const now = pending()
      if (now < left) looks = 0
      left = now
    }
    await kill(last)

    const { log, deliveries, findings } = within((store) => ({
      log: store.tenantEvents.after(OPERATOR.audience, ['identity.evaluated'], from, 100_000).events,
      deliveries: store.webhookDeliveries.list(id, OPERATOR.audience, { limit: 100_000 }),
      findings: store.auditEvents(),
    }))
    const repeats = seen.length - new Set(seen.map(({ id: event }) => event)).size
    process.stdout.write(
      `webhooks: seed ${SEED}, ${KILLS} kills, ${log.length} events, ${seen.length} requests (${repeats} repeats), ` +
        `${deliveries.filter(({ state }) => state === 'PARKED').length} parked\n`,
    )
    expect(findings).toEqual([])
    expect(log.length).toBeGreaterThan(KILLS)
    // One delivery for each event; taken by the receiver, or parked.
    expect(deliveries.map(({ eventId }) => eventId).sort()).toEqual(log.map(({ id: event }) => event).sort())
    const lost = deliveries.filter(({ eventId, state }) => !taken.has(eventId) && state !== 'PARKED')
    expect(lost).toEqual([])
    const poisoned = log.filter(({ seq }) => seq % 20 === 0).map(({ id: event }) => event)
    const parked = deliveries.filter(({ state }) => state === 'PARKED').map(({ eventId }) => eventId)
    expect(parked).toEqual(expect.arrayContaining(poisoned))
    // None came before what is before it had been tried, nor before that was taken or parked.
    expect([...overtaken].filter((event) => !parked.includes(event))).toEqual([])
    for (const identityId of identities) {
      const first = firstSeen(seen, identityId)
      expect(first).toEqual(ascending(first))
    }
    // The id is that of the event, at every try; and no request was made that the row does not count.
    const idBySequence = new Map(log.map(({ seq, id: event }) => [seq, event]))
    expect(seen.filter((told) => idBySequence.get(told.sequence) !== told.id)).toEqual([])
    const requests = Map.groupBy(seen, ({ id: event }) => event)
    const uncounted = deliveries.filter(
      ({ eventId, attempts }) => (requests.get(eventId)?.length ?? 0) > attempts,
    )
    expect(uncounted).toEqual([])
    await receiver.close()
    its.store = openStore(its.dataDir, its.kek)
    its.close()
  },
  240_000 + KILLS * 8_000,
)
