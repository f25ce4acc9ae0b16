/**
 * Accounts of the counter: created, listed and repaired, with or without a running appliance. Never shows a
 * password.
 */
import { v7 as uuidv7 } from 'uuid'
import { systemClock } from '../clock.ts'
import { ROLES, type Role } from '../counter/access.ts'
import { NewStaff } from '../counter/contract/staff.ts'
import {
  openAccounts,
  normaliseLogin,
  readRoles,
  type Accounts,
  type Asker,
} from '../counter/staff/accounts.ts'
import { AppError } from '../errors.ts'
import { findLastPort } from '../store/last-port.ts'
import type { Store } from '../store/open.ts'
import type { StaffAccount } from '../store/staff.ts'
import { getTimeNow } from '../time/trusted-time.ts'
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

const HELP = `Accounts of the staff for the counter, with their roles.

  npm run staff -- create --login NAME --name "FULL NAME" --role ROLE… [--language TAG] [--data DIR] [--new]
                         [--json]
  npm run staff -- list [--data DIR] [--json]
  npm run staff -- roles LOGIN --role ROLE… [--data DIR] [--json]
  npm run staff -- reset LOGIN | disable LOGIN | enable LOGIN | unlock LOGIN | remove LOGIN [--data DIR] [--json]

  create      creates an account and prints a set-up code. With the code, the person signs in once, within 24 hours, and
              chooses a password and an authenticator app, or a passkey
  reset       removes password, app, passkeys and recovery codes, and prints a new set-up code
  disable     blocks the account and ends its sessions immediately; enable reverses it
  unlock      unlocks an account that was locked after too many wrong sign-ins
  remove      deletes the account; its actions stay in the audit log under its id
  --login     2 to 40 of a-z, 0-9, dot, hyphen, underscore
  --role      officer, supervisor, auditor, administrator or display; may be repeated. --roles takes a list with commas
  --language  language of the console for this person (default: en)
  --data      the appliance's data folder (default: ~/.local/share/counterproof)
${formatNewOptionHelp(14)}
  --json      prints the result as one JSON object

The command may run beside a running appliance: a session that must end ends at its next request.

Example: npm run staff -- create --login a.smith --name "Ann Smith" --role officer
`

const BY_OPERATOR: Asker = { author: OPERATOR, staffId: null }

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    login: { type: 'string' },
    name: { type: 'string' },
    role: { type: 'string', multiple: true },
    roles: { type: 'string', multiple: true },
    language: { type: 'string' },
    ...NEW_OPTION,
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name: action, positionals, values } = command
  const role = [...(values.role ?? []), ...(values.roles ?? []).flatMap((list) => list.split(','))]
  const [, login, ...more] = positionals
  refuseMore(action === 'create' || action === 'list' ? positionals.slice(1) : more)
  if (action !== 'create') refuseNew(values.new, action)
  const config = readConfig(values)
  const say = (result: unknown, words: string): void => printResult(values.json, result, words)
  /** Runs with the accounts of the data folder. */
  const within = <T>(work: (accounts: Accounts, list: () => readonly StaffAccount[]) => T): Promise<T> => {
    const act = (store: Store): T => {
      if (action === 'create') ensureTenant(store, config)
      const clock = { now: () => getTimeNow(systemClock, store).latest }
      return work(openAccounts({ store, clock, newId: () => uuidv7() }), () => store.staff.list())
    }
    return action === 'create' ? withStore(config, { isNew: values.new }, act) : withPresentStore(config, act)
  }
  /** Runs on the account of that login name. */
  const toOne = <T>(work: (accounts: Accounts, id: string) => T): Promise<T> => {
    if (login === undefined) throw new UsageError(`${action} needs a LOGIN; see list`)
    return within((accounts, list) => {
      const account = list().find((known) => known.login === normaliseLogin(login))
      if (!account) throw new UsageError('there is no account of that login name; see list')
      return inWords(() => work(accounts, account.id))
    })
  }
  switch (action) {
    case 'create': {
      const given = newStaff({ ...values, role })
      const { account, setUpCode } = await within((accounts) =>
        inWords(() => accounts.create(given, BY_OPERATOR)),
      )
      say({ ...shown(account), setUpCode }, handOver(setUpCode, findLastPort(config.dataDir) ?? config.port))
      return 0
    }
    case 'list': {
      const staff = (await within((_, list) => list())).map(shown)
      const rows = staff.map((account) =>
        [account.login.padEnd(20), account.state.padEnd(8), account.roles.join(','), account.name].join('  '),
      )
      say({ staff }, `${rows.join('\n') || 'no accounts yet'}\n`)
      return 0
    }
    case 'roles': {
      const roles = rolesGiven(role)
      const account = await toOne((accounts, id) => accounts.setRoles(id, roles, BY_OPERATOR))
      say(shown(account), `${readRoles(account).join(', ')}\n`)
      return 0
    }
    case 'reset': {
      const { account, setUpCode } = await toOne((accounts, id) => accounts.reset(id, BY_OPERATOR))
      say({ ...shown(account), setUpCode }, handOver(setUpCode, findLastPort(config.dataDir) ?? config.port))
      return 0
    }
    case 'disable':
    case 'enable':
    case 'unlock': {
      const account = await toOne((accounts, id) => accounts[action](id, BY_OPERATOR))
      say(shown(account), `${action}d\n`.replace('unlockd', 'unlocked'))
      return 0
    }
    case 'remove': {
      await toOne((accounts, id) => accounts.remove(id, BY_OPERATOR))
      say({ removed: true }, 'removed\n')
      return 0
    }
    default:
      throw new UsageError(`there is no action '${action}'`)
  }
}

interface Given {
  readonly login?: string
  readonly name?: string
  readonly role?: readonly string[]
  readonly language?: string
}

/** Formats of options that the help does not state. */
const FORMS: Readonly<Record<string, string>> = {
  login: '--login needs 2 to 40 of a-z, 0-9, dot, hyphen and underscore',
  name: '--name needs the full name, of a usual length',
  language: '--language needs a tag of a language, e.g. en or fr-CA',
}

function newStaff({ login, name, role, language }: Given): NewStaff {
  if (!login || !name) throw new UsageError('create needs --login NAME, --name "FULL NAME" and --role ROLE')
  const parsed = NewStaff.safeParse({
    login,
    name,
    roles: rolesGiven(role),
    ...(language ? { language } : {}),
  })
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => String(path[0]))
  throw new UsageError(
    [...new Set(fields)].map((field) => FORMS[field] ?? `--${field} is not of its form`).join('\n'),
  )
}

function rolesGiven(given: readonly string[] | undefined): Role[] {
  const roles = ROLES.filter((role) => given?.includes(role))
  if (roles.length === 0 || roles.length !== new Set(given).size) {
    throw new UsageError(`--role needs one of ${ROLES.join(', ')}`)
  }
  return roles
}

function shown(account: StaffAccount) {
  const { id, login, name, language, createdAt, lastSignInAt, setUpUntil } = account
  const state = account.enabled ? (setUpUntil ? 'invited' : 'active') : 'disabled'
  return {
    staffId: id,
    login,
    name,
    language,
    roles: readRoles(account),
    state,
    createdAt,
    lastSignInAt,
    setUpUntil,
  }
}

function handOver(code: string, port: number): string {
  return (
    `set-up code: ${code}\n` +
    'Good once, for 24 hours, and not shown again. Hand it to the person; at the counter console\n' +
    // Uses the host name, because passkeys cannot be bound to an IP address.
    `(http://localhost:${port}/counter/ on this machine)\n` +
    'it is given with the login name.\n'
  )
}

/** Reports a violated rule of the accounts as wrong use, in words. */
function inWords<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const problem = error instanceof AppError ? error.problems.at(0) : undefined
    if (problem) throw new UsageError(problem.message, { cause: error })
    throw error
  }
}
