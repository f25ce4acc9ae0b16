/**
 * The webhook part of the appliance, without the rest, until it is killed. A separate process: `node
 * telling-appliance.ts DATA_DIR KEK_HEX SECONDS_OF_THE_DAY IDENTITY…`. Creates an event about one of these
 * identities every few milliseconds, none without any. Writes `ready` when it has begun.
 */
import { writeSync } from 'node:fs'
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '../../server/clock.ts'
import { silentLog } from '../../server/log.ts'
import { STANDARD_SCHEDULE_MS } from '../../server/outgoing/back-off.ts'
import { createSender } from '../../server/outgoing/send.ts'
import { openStore } from '../../server/store/open.ts'
import { startWebhooks } from '../../server/webhooks/runner.ts'
import { selectAllWebhooks } from '../../server/workflows/webhooks/manage-webhooks.ts'

const STANDARD_OUTPUT = 1
const DAY_SECONDS = 86_400

const [dataDir = '', kek = '', daySeconds = '', ...identities] = process.argv.slice(2)
const store = openStore(dataDir, Buffer.from(kek, 'hex'))
const sender = createSender(
  { allowHttp: true, allowPrivateAddresses: true, timeoutMs: 100 },
  'Counterproof/test',
)
const findAudience = () => selectAllWebhooks('tenant').audience
const ctx = { store, clock: systemClock, log: silentLog, newId: () => uuidv7(), findAudience }
const runner = startWebhooks(ctx, sender, {
  schedule: STANDARD_SCHEDULE_MS.map((ms) => (ms * Number(daySeconds)) / DAY_SECONDS),
  pollMs: 20,
})
store.onCommit(() => {
  runner.wake()
})
writeSync(STANDARD_OUTPUT, 'ready\n')

const happen = (): void => {
  const identityId = identities[Math.floor(Math.random() * identities.length)]
  if (identityId !== undefined) {
    store.transaction(() => {
      const body = { status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA1' } as const
      store.events.append('identity.evaluated', identityId, body, new Date())
    })
  }
  setTimeout(happen, Math.random() * 12)
}
happen()
