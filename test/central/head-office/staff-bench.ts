/** Staff of the fleet page: a real OpenID provider, a central service that knows it, and browsers with cookies. */
import type { Shown } from './support.ts'
import { startOffice, type OfficeOptions, type TestOffice } from './support.ts'
import {
  startIdentityProvider,
  walkLogin,
  type IdentityProvider,
} from '../../../server/tools/simulator/oidc.ts'
import type { StaffOidc } from '../../../server/central/head-office/index.ts'
import type { StaffSessionView } from '../../../server/central/head-office/contract.ts'
import { findFreePort } from '../../support/postgres.ts'

export const SECRET = 'the secret of the client'

/** Claims by account; a test may change them. */
export type Accounts = Record<string, Record<string, unknown>>

export interface StaffBench {
  readonly office: TestOffice
  readonly idp: IdentityProvider
  readonly accounts: Accounts
  readonly oidc: StaffOidc
  stop(): Promise<void>
}

export async function startStaffBench(
  accounts: Accounts,
  roles: StaffOidc['roles'],
  { config, ...options }: OfficeOptions = {},
  more: Partial<StaffOidc> = {},
): Promise<StaffBench> {
  const idp = await startIdentityProvider({
    clients: { central: SECRET },
    account: (id) => accounts[id] ?? {},
  })
  const port = await findFreePort()
  const address = `${config?.tls ? 'https' : 'http'}://127.0.0.1:${port}`
  idp.serve(`${address}/staff/callback`, `${address}/fleet/`)
  const oidc: StaffOidc = {
    address,
    issuer: idp.issuer,
    clientId: 'central',
    clientSecret: SECRET,
    scope: 'openid profile',
    nameClaim: 'name',
    rolesClaim: 'groups',
    sessionMinutes: 480,
    idleMinutes: 30,
    timeoutMs: 5000,
    roles: [...roles],
    ...more,
  }
  const office = await startOffice({ ...options, config: { ...config, port, staff: { oidc } } })
  return {
    office,
    idp,
    accounts,
    oidc,
    stop: async () => {
      await office.stop()
      await idp.goDown()
    },
  }
}

/** A browser of a member of staff, as far as cookies and the headers of a page go. */
export class StaffBrowser {
  readonly origin: string
  readonly cookies = new Map<string, string>()
  /** `Set-Cookie` of all answers. */
  readonly set: string[] = []

  constructor(origin: string) {
    this.origin = origin
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(this.origin + path, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    })
    for (const line of answer.headers.getSetCookie()) {
      this.set.push(line)
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  /** Begins a sign-in. Returns the address of the provider. */
  async begin(): Promise<string> {
    return (await this.fetch('/staff/sign-in')).headers.get('location') ?? ''
  }

  /** Follows the provider to the address of our callback, without opening it. */
  async walk(account: string, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
    return walkLogin(await this.begin(), { account, decision })
  }

  /** Opens the callback. Returns where it leads. */
  async finish(callback: URL): Promise<string> {
    return (await this.fetch(callback.pathname + callback.search)).headers.get('location') ?? ''
  }

  async signIn(account: string): Promise<string> {
    return this.finish(await this.walk(account))
  }

  async session(): Promise<StaffSessionView> {
    return (await (await this.fetch('/staff/session')).json()) as StaffSessionView
  }

  async call(
    method: string,
    path: string,
    tenant: string,
    { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<{ readonly status: number; readonly body: Shown }> {
    const answer = await this.fetch(`/head-office/v1${path}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { origin: this.origin }),
        'x-counterproof-tenant': tenant,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Shown }
  }

  async signOut(): Promise<{ readonly url: string | null }> {
    const answer = await this.fetch('/staff/sign-out', { method: 'POST', headers: { origin: this.origin } })
    return (await answer.json()) as { readonly url: string | null }
  }
}
