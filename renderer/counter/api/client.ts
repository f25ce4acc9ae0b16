/**
 * The only way to call the server: JSON in and out, problems as ApiProblem. The session is a cookie that this
 * code cannot read.
 */
import type { PAGE_HEADER as ContractHeader } from '../../../server/counter/contract/staff.ts'

/** A problem document, reduced to the members that the counter uses. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** A code of the server's closed list, or `offline` if no answer came. */
  readonly code: string
  readonly status: number
  /** Identifies the log entry of the problem. */
  readonly correlationId: string | null
  readonly errors: readonly { readonly code: string; readonly message: string }[]
  /** The members that the server marks as safe: the reason of a refusal, seconds left, and the like. */
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
  /** A picture file, or a form with files, in place of `body`. */
  readonly file?: Blob | FormData
  readonly signal?: AbortSignal
  /** A call by the page itself: it does not postpone the lock. */
  readonly background?: boolean
}

export interface Client {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  /** POST, PUT, PATCH or DELETE; returns null for an empty answer. */
  send<T = null>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options?: CallOptions): Promise<T>
  /** Fetches a picture or an export. */
  blob(path: string, options?: CallOptions & { readonly method?: string }): Promise<Blob>
  /** The server's time: compare its timestamps with this, not with the clock of this computer. */
  now(): number
}

// The server answers from its own database; a longer silence means that it does not answer at all.
const TIMEOUT_MS = 20_000
const PROBLEM_TYPE = 'urn:counterproof:problem:'

/** Copied from `server/counter/contract/staff.ts`: this page may import only its types. */
const PAGE_HEADER: typeof ContractHeader = 'x-counterproof'

interface ClientHooks {
  /** The session ended or was locked, as any call noticed. */
  onSessionChanged(): void
  /** A sensitive act requires the second factor again; resolves to whether it was given. */
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
    // The header has whole seconds: a difference below two seconds means nothing.
    if (!Number.isNaN(date)) aheadMs = Math.abs(date - Date.now()) < 2_000 ? 0 : date - Date.now()
    if (response.ok) return response
    throw await readProblem(response)
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

export async function readProblem(response: Response): Promise<ApiProblem> {
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

/** Builds a query; leaves out empty values. */
export function buildQuery(values: Readonly<Record<string, string | number | undefined | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
