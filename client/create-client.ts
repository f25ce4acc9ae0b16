/**
 * Calls of the appliance's API, typed by its OpenAPI description. Owns the sending of a call; contains no
 * rule of the API. `index.ts` provides the types, so that this file is checked without them.
 */
import createFetchClient, { type Client } from 'openapi-fetch'

export interface ClientOptions {
  /** Address of the appliance, for instance `http://127.0.0.1:8717`. */
  readonly baseUrl: string
  /** A back-end key, a user-agent key, or a token that is bound to one identity. */
  readonly apiKey: string
  /** The caller: `application/version (language)`. A browser sends its own instead. */
  readonly userAgent: string
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

export function createTypedClient<Paths extends object>(options: ClientOptions): Client<Paths> {
  return createFetchClient<Paths>({
    baseUrl: options.baseUrl,
    headers: { apikey: options.apiKey, 'user-agent': options.userAgent },
    bodySerializer: serializeBody,
    ...(options.fetch ? { fetch: options.fetch } : {}),
  })
}

/** A body with a file is sent as a form, whose other parts are JSON; any other body is JSON. */
export function serializeBody(body: unknown): FormData | string {
  if (body instanceof FormData) return body
  if (!isForm(body)) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, part] of Object.entries(body)) {
    if (part === undefined) continue
    if (part instanceof Blob) form.append(name, part)
    else form.append(name, new Blob([JSON.stringify(part)], { type: 'application/json' }))
  }
  return form
}

function isForm(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && Object.values(body).some((part) => part instanceof Blob)
}
