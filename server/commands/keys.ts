/** API keys of applications: made, listed and revoked while the server runs or not. */
import { parseArgs } from 'node:util'
import { loadConfig } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import type { KeyListing } from '../store/api-keys.ts'
import { openStore, type Store } from '../store/open.ts'

const DAY_MS = 86_400_000
/** A hundred years: whoever wants more names none. */
const MAX_DAYS = 36_500
const OPERATOR = { actor: 'operator' }

const HELP = `Keys with which applications call the /v1 API. A key is shown once, when it is made.

  npm run keys -- create --application NAME [--days N] [--data DIR] [--json]
  npm run keys -- list [--data DIR] [--json]
  npm run keys -- revoke KEY_ID [--data DIR]

  create   a pair: the back-end key (relying service) and the key of the user agent. Run it again for a second
           pair of the same application: both work until you revoke the first (rotation without a gap).
  --days   how many days the pair is valid (default: until it is revoked)
  --data   the appliance's data folder (default: ~/.local/share/counterproof)
`

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      application: { type: 'string' },
      days: { type: 'string' },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [action, keyId] = positionals
  if (values.help || action === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const config = loadConfig(values.data === undefined ? {} : { dataDir: values.data })
  const open = (): Store => {
    const store = openStore(config.dataDir, loadKek(config))
    const { id, name, mode, policy } = config.tenant
    store.tenants.ensure({ id, name, mode, policyId: policy }, new Date())
    return store
  }
  switch (action) {
    case 'create': {
      if (!values.application) return usage('create needs --application NAME')
      const days = values.days === undefined ? null : Number(values.days)
      if (days !== null && !(Number.isInteger(days) && days > 0 && days <= MAX_DAYS)) {
        return usage(`--days needs a whole number from 1 to ${MAX_DAYS}`)
      }
      const now = new Date()
      const expiresAt = days === null ? undefined : new Date(now.getTime() + days * DAY_MS)
      const store = open()
      const application = values.application
      const pair = store.transaction(() => {
        const made = store.apiKeys.createPair(config.tenant.id, application, now, expiresAt)
        const body = { keyIds: [...made.keyIds], expiresAt: expiresAt?.getTime() ?? null }
        store.events.append('apikey.created', null, body, now, OPERATOR)
        return made
      })
      store.close()
      const shown = { relyingServiceKey: pair.relyingServiceKey, userAgentKey: pair.userAgentKey }
      process.stdout.write(
        values.json
          ? `${JSON.stringify(shown)}\n`
          : `relying service key: ${shown.relyingServiceKey}\nuser agent key:      ${shown.userAgentKey}\nKeep them now: they are not shown again.\n`,
      )
      return 0
    }
    case 'list': {
      const store = open()
      const keys = store.apiKeys.list(config.tenant.id)
      store.close()
      const rows = keys.map((key) =>
        [key.keyId, key.role.padEnd(15), stateOf(key).padEnd(7), key.application].join('  '),
      )
      process.stdout.write(
        values.json ? `${JSON.stringify({ keys })}\n` : `${rows.join('\n') || 'no keys yet'}\n`,
      )
      return 0
    }
    case 'revoke': {
      if (keyId === undefined) return usage('revoke needs a KEY_ID; see list')
      const store = open()
      const now = new Date()
      const revoked = store.transaction(() => {
        const done = store.apiKeys.revoke(keyId, now)
        if (done) store.events.append('apikey.revoked', null, { keyId }, now, OPERATOR)
        return done
      })
      store.close()
      if (!revoked) return usage('there is no valid key of that id')
      process.stdout.write(values.json ? `${JSON.stringify({ revoked: keyId })}\n` : 'revoked\n')
      return 0
    }
    default:
      return usage(`there is no action '${action}'`)
  }
}

function stateOf({ revokedAt, expiresAt }: KeyListing): 'revoked' | 'expired' | 'valid' {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= new Date() ? 'expired' : 'valid'
}

function usage(problem: string): number {
  process.stderr.write(`${problem}\n\n${HELP}`)
  return 2
}
