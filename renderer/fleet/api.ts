/** Calls to the central service, as a person of the staff or with a consumer's key. Each failure is an `ApiProblem`. */
import type {
  ACTIVE_HEADER as ActiveHeader,
  StaffSessionView,
  TENANT_HEADER as TenantHeader,
} from '../../server/central/head-office/contract.ts'
import type { VerificationReport } from '../../server/proof/verify.ts'
import { ApiProblem, readProblem } from '../counter/api/client.ts'

const SLOT = 'counterproof-key'
/** The pages have one folder each: the service may stand behind a proxy with a path of its own. */
const API = '../head-office/v1'
const VERIFY = '../verify'
const STAFF = '../staff'
/** Copied from the contract: this page may import only its types. */
const TENANT_HEADER: typeof TenantHeader = 'x-counterproof-tenant'
const ACTIVE_HEADER: typeof ActiveHeader = 'x-counterproof-active'
const TIMEOUT_MS = 20_000
const FILE_TIMEOUT_MS = 120_000

/** The key of this tab. */
export const keyring = {
  get: (): string | null => sessionStorage.getItem(SLOT),
  set: (key: string): void => sessionStorage.setItem(SLOT, key),
  clear: (): void => sessionStorage.removeItem(SLOT),
}

export interface FleetClient {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  /** A list as a file. */
  file(path: string): Promise<Blob>
}

/** A key, or the tenant of the person whom the cookie names. */
type Caller = { readonly key: string } | { readonly tenantId: string }

let touched = true
for (const type of ['pointerdown', 'keydown']) addEventListener(type, () => (touched = true))

/** Tells the service that the person is here, once after each touch or key: the polls of the page do not show it. */
function identify(caller: Caller): Readonly<Record<string, string>> {
  if ('key' in caller) return { authorization: `Bearer ${caller.key}` }
  const active: Readonly<Record<string, string>> = touched ? { [ACTIVE_HEADER]: '1' } : {}
  touched = false
  return { [TENANT_HEADER]: caller.tenantId, ...active }
}

export function createFleetClient(caller: Caller): FleetClient {
  const call = (path: string, init: RequestInit, signal: AbortSignal): Promise<Response> =>
    send(`${API}${path}`, { ...init, headers: { ...init.headers, ...identify(caller) }, signal }, 'offline')
  const ask = async (path: string, init: RequestInit = {}, given?: AbortSignal): Promise<unknown> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await call(path, init, given ? AbortSignal.any([given, timeout]) : timeout)
    return answer.status === 204 ? null : answer.json()
  }
  return {
    get: async <T>(path: string, signal?: AbortSignal) => (await ask(path, {}, signal)) as T,
    post: async <T>(path: string, body?: unknown) =>
      (await ask(path, {
        method: 'POST',
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })) as T,
    file: async (path: string) => {
      const answer = await call(path, {}, AbortSignal.timeout(FILE_TIMEOUT_MS))
      return answer.blob().catch((cause: unknown) => {
        throw new ApiProblem('offline', {}, { cause })
      })
    },
  }
}

export async function loadStaffSession(): Promise<StaffSessionView> {
  const answer = await send(`${STAFF}/session`, {}, 'offline')
  return (await answer.json()) as StaffSessionView
}

/** Leaves this page for the provider. @param isOther with another account than the one in the browser */
export function openProvider(isOther: boolean): void {
  location.assign(`${STAFF}/sign-in${isOther ? '?account=other' : ''}`)
}

/** Returns the page on which the person also signs out of the provider. */
export async function signOutStaff(): Promise<string | null> {
  const answer = await send(`${STAFF}/sign-out`, { method: 'POST' }, 'offline')
  return ((await answer.json()) as { readonly url: string | null }).url
}

/** The report on an archive. With a key, the service uses the keys of the consumer's kiosks, too. */
export async function verifyArchive(form: FormData, key: string | null): Promise<VerificationReport> {
  const headers: HeadersInit = key === null ? {} : { authorization: `Bearer ${key}` }
  const answer = await send(VERIFY, { method: 'POST', body: form, headers }, 'upload_refused')
  return (await answer.json()) as VerificationReport
}

/** @param unanswered the code of the problem when there is no answer */
async function send(address: string, init: RequestInit, unanswered: string): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(address, init)
  } catch (cause) {
    throw new ApiProblem(unanswered, {}, { cause })
  }
  if (answer.ok) return answer
  throw await readProblem(answer)
}
