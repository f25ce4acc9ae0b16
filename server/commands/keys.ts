/** API keys of applications: created, listed and revoked, with or without a running appliance. */
import { AppError } from '../errors.ts'
import { RESERVED_APPLICATIONS } from '../proofing/applications.ts'
import type { KeyListing, NewKeys } from '../store/api-keys.ts'
import type { Store } from '../store/open.ts'
import { createApiKeys, revokeApiKey, type KeysAsked } from '../workflows/access/api-keys.ts'
import {
  readConfig,
  ensureTenant,
  NEW_OPTION,
  formatNewOptionHelp,
  OPERATOR,
  refuseNew,
  printResult,
  withPresentStore,
  withStore,
} from './appliance.ts'
import { readAction } from './read-action.ts'
import { refuseMore, UsageError } from './usage.ts'

const DAY_MS = 86_400_000
/** A hundred years; longer keys have no end date. */
const MAX_DAYS = 36_500

const HELP = `API keys with which applications call /v1. Each key is shown once, when it is created.

  npm run keys -- create --application NAME [--days N] [--data DIR] [--new] [--json]
  npm run keys -- list [--data DIR] [--json]
  npm run keys -- revoke KEY_ID [--data DIR] [--json]

  create   creates a pair: a back-end key (for the relying service) and a user-agent key. To rotate without a gap, create a
           second pair for the same application: both pairs work until you revoke the first.
           An application sees only the identities that it created, unless tenant.sharing in config.json says otherwise.
           The names kiosk and counter are reserved for the appliance
  --days   number of days for which the pair is valid (default: until it is revoked)
  --data   the appliance's data folder (default: ~/.local/share/counterproof)
${formatNewOptionHelp(11)}
  --json   prints the result as one JSON object

Example: npm run keys -- create --application webshop --days 90
`

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    application: { type: 'string' },
    days: { type: 'string' },
    ...NEW_OPTION,
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name: action, positionals, values } = command
  const [, keyId, ...more] = positionals
  refuseMore(more)
  if (action !== 'create') refuseNew(values.new, action)
  const config = readConfig(values)
  switch (action) {
    case 'create': {
      if (!values.application) throw new UsageError('create needs --application NAME')
      const days = values.days === undefined ? null : Number(values.days)
      if (days !== null && !(Number.isInteger(days) && days > 0 && days <= MAX_DAYS)) {
        throw new UsageError(`--days needs a whole number from 1 to ${MAX_DAYS}`)
      }
      const now = new Date()
      const expiresAt = days === null ? null : new Date(now.getTime() + days * DAY_MS)
      const application = values.application
      const { relyingServiceKey, userAgentKey } = await withStore(config, { isNew: values.new }, (store) => {
        ensureTenant(store, config)
        const asked = { tenantId: config.tenant.id, application, expiresAt }
        return makeKeys(store, asked, now)
      })
      const words = [
        `relying service key: ${relyingServiceKey}`,
        `user agent key:      ${userAgentKey}`,
        'Keep them now: they are not shown again.',
      ]
      printResult(values.json, { relyingServiceKey, userAgentKey }, `${words.join('\n')}\n`)
      return 0
    }
    case 'list': {
      const keys = await withPresentStore(config, (store) => store.apiKeys.list(config.tenant.id))
      const rows = keys.map((key) =>
        [key.keyId, key.role.padEnd(15), describeState(key).padEnd(8), key.application].join('  '),
      )
      printResult(values.json, { keys }, `${rows.join('\n') || 'no keys yet'}\n`)
      return 0
    }
    case 'revoke': {
      if (keyId === undefined) throw new UsageError('revoke needs a KEY_ID; see list')
      const now = new Date()
      const revoked = await withPresentStore(config, (store) => revokeApiKey(store, keyId, now, OPERATOR))
      if (!revoked) throw new UsageError('there is no valid key of that id')
      printResult(values.json, { revoked: keyId }, 'revoked\n')
      return 0
    }
    default:
      throw new UsageError(`there is no action '${action}'`)
  }
}

/** Reports an unavailable name as wrong use, in words. */
function makeKeys(store: Store, asked: KeysAsked, at: Date): NewKeys {
  try {
    return createApiKeys(store, asked, at, OPERATOR)
  } catch (error) {
    const [problem] = error instanceof AppError ? error.problems : []
    if (problem) throw new UsageError(`--application ${problem.message}`)
    throw error
  }
}

function describeState({
  application,
  revokedAt,
  expiresAt,
}: KeyListing): 'revoked' | 'reserved' | 'expired' | 'valid' {
  if (revokedAt) return 'revoked'
  // Such a key opens nothing.
  if (RESERVED_APPLICATIONS.includes(application)) return 'reserved'
  return expiresAt && expiresAt <= new Date() ? 'expired' : 'valid'
}
