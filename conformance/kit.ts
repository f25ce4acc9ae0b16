/** Sends calls, compares each answer with the expectation, and records the outcome. */
import { setTimeout as pause } from 'node:timers/promises'
import { OPERATIONS, problemOfOurs, findSection } from './spec.ts'
import type { OperationName } from './spec.ts'
import { isObject } from './shapes.ts'
import type { Shape } from './shapes.ts'

export interface Keys {
  readonly backEnd: string
  readonly userAgent: string
}

export interface Target {
  readonly url: string
  readonly keys: Keys
  /**
   * Keys of another application of the same tenant that shares nothing; null: checks that need them are
   * skipped.
   */
  readonly otherKeys: Keys | null
  /** Only available for a server that this kit started itself. */
  readonly own: OwnSurroundings | null
  /** Identifier of an identity provider that the server knows; null skips checks that need one. */
  readonly idpIdentifier: string | null
}

export interface OwnSurroundings {
  /** The passcode of the last message to this number. */
  passcodeFor(number: string): Promise<string>
}

export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Default: the back-end key; null sends none. */
  readonly key?: 'back-end' | 'user-agent' | { readonly of: string } | null
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string | Blob>>
  readonly body?: string | Uint8Array
}

export interface Expected {
  readonly status: number | readonly number[]
  readonly shape?: Shape
  /** The section of the specification, if it is not that of the operation. */
  readonly spec?: string
  /** A decision of Counterproof on which the specification is silent. */
  readonly ours?: true
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** Undefined if the body is not JSON. */
  readonly json: unknown
}

export interface Outcome {
  readonly operation: OperationName
  readonly title: string
  readonly status: number | null
  readonly section: string
  readonly ours: boolean
  readonly faults: readonly string[]
}

/** A call failed whose result later calls of the chapter need. */
export class ChapterStoppedError extends Error {
  override readonly name = 'ChapterStoppedError'
}

const USER_AGENT = 'api-conformance-kit/1 (en)'
const CALL_TIMEOUT_MS = 60_000
const POLL_MS = 150
const POLL_TIMEOUT_MS = 120_000
/** Maximum wait for a foreign server's rate limit. */
const MAX_PATIENCE_SECONDS = 90

export class Kit {
  readonly target: Target
  readonly outcomes: Outcome[] = []
  readonly #progress: (line: string) => void

  constructor(target: Target, progress: (line: string) => void) {
    this.target = target
    this.#progress = progress
  }

  /** Sends one call and records the outcome. */
  async call(operation: OperationName, title: string, call: Call, expected: Expected): Promise<Answer> {
    this.#progress(`${operation}: ${title}`)
    const answer = await this.#send(operation, call, expected)
    this.#record(operation, title, expected, answer.status, findFaults(answer, expected))
    if (answer.status >= 400 && answer.bytes.byteLength > 0) {
      const type = answer.headers.get('content-type') ?? ''
      const faults = [
        ...(type.startsWith('application/problem+json')
          ? []
          : [`the failure has the type ${type || 'none'}`]),
        ...problemOfOurs(answer.json, 'problem'),
      ]
      if (faults.length > 0)
        this.#record(operation, `${title}: failure body`, { status: 0, ours: true }, answer.status, faults)
    }
    return answer
  }

  /** Returns only the status of one call of many; records nothing, and does not wait for a rate limit. */
  async fetchStatus(operation: OperationName, call: Call): Promise<number> {
    return (await this.#sendOnce(operation, call)).status
  }

  /** Sends a call whose answer later calls need. */
  async must(operation: OperationName, title: string, call: Call, expected: Expected): Promise<Answer> {
    const answer = await this.call(operation, title, call, expected)
    if (!isExpected(answer.status, expected)) throw new ChapterStoppedError(`${operation}: ${title}`)
    return answer
  }

  /** Records a statement about earlier answers; `faults` is empty if it holds. */
  claim(
    operation: OperationName,
    title: string,
    faults: readonly string[],
    from: { readonly spec?: string; readonly ours?: true } = {},
  ): void {
    this.#record(operation, title, { status: 0, ...from }, null, faults)
  }

  /** Polls as in section "Identity documents": until neither PROCESSING nor ADJUDICATION. */
  async untilDecided(
    identityId: string,
    evidenceId: string,
    key: Call['key'] = 'user-agent',
  ): Promise<string> {
    const operation = 'GET /v1/identities/{id}/status/{evidenceId}'
    const until = Date.now() + POLL_TIMEOUT_MS
    for (;;) {
      const call = { params: { id: identityId, evidenceId }, key }
      const answer = await this.#send(operation, call, { status: 200 })
      const status = isObject(answer.json) ? answer.json.status : undefined
      if (answer.status !== 200 || typeof status !== 'string' || Date.now() > until) {
        this.#record(operation, 'polling ends with a verdict', { status: 200 }, answer.status, [
          'no verdict came by polling',
        ])
        throw new ChapterStoppedError('no verdict came by polling')
      }
      if (status !== 'PROCESSING' && status !== 'ADJUDICATION') return status
      await pause(POLL_MS)
    }
  }

  async #send(operation: OperationName, call: Call, expected: Expected): Promise<Answer> {
    for (let waited = 0; ;) {
      const answer = await this.#sendOnce(operation, call)
      if (answer.status !== 429 || isExpected(429, expected)) return answer
      const seconds = Number(answer.headers.get('retry-after') ?? 5)
      waited += seconds
      if (!(waited <= MAX_PATIENCE_SECONDS)) return answer
      this.#progress(`the server asks for ${seconds} seconds of patience`)
      await pause(seconds * 1000)
    }
  }

  async #sendOnce(operation: OperationName, call: Call): Promise<Answer> {
    const [method, template] = operation.split(' ')
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(call.params?.[name] ?? `missing-${name}`),
    )
    const query = call.query ? `?${new URLSearchParams(call.query).toString()}` : ''
    const response = await fetch(`${this.target.url}${path}${query}`, {
      method,
      headers: this.#headersOf(call),
      redirect: 'manual',
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      body: buildBody(call),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, json: parseJson(bytes) }
  }

  #headersOf({ key = 'back-end', json, headers }: Call): Record<string, string> {
    const { backEnd, userAgent } = this.target.keys
    const apikey =
      key === null
        ? undefined
        : typeof key === 'object'
          ? key.of
          : { 'back-end': backEnd, 'user-agent': userAgent }[key]
    const all = {
      'user-agent': USER_AGENT,
      apikey,
      'content-type': json === undefined ? undefined : 'application/json',
      ...headers,
    }
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
  }

  #record(
    operation: OperationName,
    title: string,
    { spec, ours }: Expected,
    status: number | null,
    faults: readonly string[],
  ): void {
    const ofOperation = 'ours' in OPERATIONS[operation]
    const section =
      spec ?? (ours ? 'Counterproof: decisions where the specification is silent' : findSection(operation))
    this.outcomes.push({ operation, title, status, section, ours: ours ?? ofOperation, faults })
  }
}

function isExpected(status: number, { status: wanted }: Expected): boolean {
  return typeof wanted === 'number' ? status === wanted : wanted.includes(status)
}

function findFaults(answer: Answer, expected: Expected): readonly string[] {
  if (!isExpected(answer.status, expected)) {
    const wanted = [expected.status].flat().join(' or ')
    return [`expected ${wanted}, came ${answer.status}${listErrorCodes(answer.json)}`]
  }
  return expected.shape ? expected.shape(answer.json, 'answer') : []
}

/** Returns the error codes of a failure, which are no personal data. */
function listErrorCodes(json: unknown): string {
  if (!isObject(json) || !Array.isArray(json.errors)) return ''
  const codes = json.errors.flatMap((error: unknown) =>
    isObject(error) ? [[error.code, error.field].filter(Boolean).map(String).join(' at ')] : [],
  )
  return codes.length > 0 ? ` (${codes.join(', ')})` : ''
}

function buildBody({ json, form, body }: Call): BodyInit | undefined {
  if (json !== undefined) return JSON.stringify(json)
  if (form) {
    const data = new FormData()
    for (const [name, value] of Object.entries(form)) data.append(name, value)
    return data
  }
  return typeof body === 'string' || body === undefined ? body : new Blob([new Uint8Array(body)])
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Returns a text field of a JSON answer. Stops the chapter if it is missing. */
export function field(answer: Answer, name: string): string {
  const value = isObject(answer.json) ? answer.json[name] : undefined
  if (typeof value !== 'string') throw new ChapterStoppedError(`the answer has no ${name}`)
  return value
}

/** Returns the value under these names, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return (inner as unknown[])[Number(name)]
    return isObject(inner) ? inner[name] : undefined
  }, value)
}

/** Returns one fault if `holds` is false. */
export function unless(holds: boolean, fault: string): readonly string[] {
  return holds ? [] : [fault]
}
