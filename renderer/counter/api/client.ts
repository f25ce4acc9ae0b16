/** One way to call the server: JSON in and out, problems as values of one kind. The session is a cookie it cannot read. */
import type { PAGE_HEADER as ContractHeader } from '../../../server/counter/contract/staff.ts'

/** A problem document, as far as the console tells problems apart. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** Of the server's closed list, or `offline` when no answer came. */
  readonly code: string
  readonly status: number
  /** For whoever looks into the log. */
  readonly correlationId: string | null
  readonly errors: readonly { readonly code: string; readonly message: string }[]
  /** Why the transition was refused, seconds left, and the like: the members that the server calls safe. */
  readonly details: Readonly<Record<string, unknown>>
  constructor(
    code: string,
    more: Partial<Pick<ApiProblem, 'status' | 'correlationId' | 'errors' | 'details'>> = {},
    options?: ErrorOptions,
  ) {
    super(code, options)
    this.code = code
    this.status = more.status ?? 0
    this.correlationId = more.correlationId ?? null
    this.errors = more.errors ?? []
    this.details = more.details ?? {}
  }
}

export interface CallOptions {
  readonly body?: unknown
  /** A picture file or a form with some, in place of `body`. */
  readonly file?: Blob | FormData
  readonly signal?: AbortSignal
  /** Asked by the page itself: it does not put off the lock. */
  readonly background?: boolean
}

export interface Client {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  /** POST, PUT, PATCH or DELETE; answers null where the server answers nothing. */
  send<T = null>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options?: CallOptions): Promise<T>
  /** A picture or an export. */
  blob(path: string, options?: CallOptions & { readonly method?: string }): Promise<Blob>
  /** By the server's clock: times it names are compared with this, not with the clock of this computer. */
  now(): number
}

// The server answers from its own database; longer than this, it does not answer at all.
const TIMEOUT_MS = 20_000
const PROBLEM_TYPE = 'urn:counterproof:problem:'

/** Of `server/counter/contract/staff.ts`; only its types are ours to import. */
const PAGE_HEADER: typeof ContractHeader = 'x-counterproof'

export interface ClientHooks {
  /** The session is over or locked, whoever noticed it. */
  onSessionChanged(): void
  /** A sensitive act wants the second factor once more; answers whether it was given. */
  askFresh(): Promise<boolean>
}

/** @param base URL of the API, ending in a slash. */
export function createClient(base: string, hooks: ClientHooks): Client {
  let aheadMs = 0
  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Response> => {
    try {
      return await callOnce(method, path, options)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      if (error.status === 401) hooks.onSessionChanged()
      if (error.code !== 'fresh_factor_needed' || !(await hooks.askFresh())) throw error
      return callOnce(method, path, options)
    }
  }
  const callOnce = async (
    method: string,
    path: string,
    { body, file, signal, background = method === 'GET' }: CallOptions,
  ): Promise<Response> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const init: RequestInit = {
      method,
      credentials: 'same-origin',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }
    const headers: Record<string, string> = { [PAGE_HEADER]: background ? 'background' : 'counter' }
    init.headers = headers
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json'
      init.body = JSON.stringify(body)
    } else if (file !== undefined) init.body = file
    let response: Response
    try {
      response = await fetch(base + path, init)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw new ApiProblem('offline', {}, { cause })
    }
    const date = Date.parse(response.headers.get('date') ?? '')
    // The header tells full seconds: less than two of them are no difference.
    if (!Number.isNaN(date)) aheadMs = Math.abs(date - Date.now()) < 2_000 ? 0 : date - Date.now()
    if (response.ok) return response
    throw await problemOf(response)
  }
  return {
    get: async <T>(path: string, signal?: AbortSignal) =>
      (await (await call('GET', path, signal ? { signal } : {})).json()) as T,
    send: async <T>(method: string, path: string, options: CallOptions = {}) => {
      const text = await (await call(method, path, options)).text()
      return (text === '' ? null : JSON.parse(text)) as T
    },
    blob: async (path, { method = 'GET', ...options } = {}) => (await call(method, path, options)).blob(),
    now: () => Date.now() + aheadMs,
  }
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { status } = response
  const document: unknown = await response.json().catch(() => null)
  if (typeof document !== 'object' || document === null) return new ApiProblem('internal', { status })
  const { type, correlationId, errors, ...details } = document as Record<string, unknown>
  const code =
    typeof type === 'string' && type.startsWith(PROBLEM_TYPE) ? type.slice(PROBLEM_TYPE.length) : ''
  return new ApiProblem(code || 'internal', {
    status,
    correlationId: typeof correlationId === 'string' ? correlationId : null,
    errors: Array.isArray(errors) ? (errors as { code: string; message: string }[]) : [],
    details,
  })
}

/** The query of a path: what is empty is left out. */
export function queryOf(values: Readonly<Record<string, string | number | undefined | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
