/**
 * Failures of a call as errors: problem documents (RFC 9457), with the time to wait if the answer names one.
 */

/** The format of every failure, as in the API's OpenAPI file. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance?: string
  readonly errors: readonly { readonly code: string; readonly message: string; readonly field?: string }[]
  readonly correlationId: string
}

/** The result of every call of the client. */
export interface Answer {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}
/** The data of the answers without an error. */
export type DataOf<A extends Answer> = Extract<A, { error?: undefined }>['data']

const TYPE = 'urn:counterproof:problem:'

export class Problem<Code extends string = string> extends Error {
  override readonly name = 'Problem'
  /** HTTP status. */
  readonly status: number
  /**
   * End of `type`; null if the answer is no problem document: something between client and appliance has
   * answered.
   */
  readonly code: Code | null
  readonly document: ProblemDocument | null
  /** Value of `Retry-After`. */
  readonly retryAfterMs: number | null

  constructor(response: Response, error: unknown) {
    const document = isProblemDocument(error) ? error : null
    super(document ? `${document.title} (${response.status}): ${document.detail}` : `HTTP ${response.status}`)
    this.status = response.status
    this.document = document
    this.code = document?.type.startsWith(TYPE) ? (document.type.slice(TYPE.length) as Code) : null
    this.retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
  }
}

/** Returns the data of an answer. Throws `Problem` for a failure. */
export async function unwrap<A extends Answer>(call: Promise<A>): Promise<DataOf<A>> {
  const { data, error, response } = await call
  if (!response.ok) throw new Problem(response, error)
  return data
}

function isProblemDocument(value: unknown): value is ProblemDocument {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Seconds or a date (RFC 9110 section 10.2.3), as milliseconds from now. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}
