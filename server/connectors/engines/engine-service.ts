/**
 * Calls an engine that runs as an HTTP service on this machine or behind TLS. Owns the connection and its limits. Knows
 * neither what is sent nor what an answer means; the vision worker parses it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { PRODUCT_VERSION } from '../../version.ts'
import { parseJson, readUpTo } from '../limited-body.ts'

export interface EngineServiceSettings {
  readonly url: string
  readonly token: string | null
  /** PEM of the only certificate authority, or certificate, that is trusted; null: those of the system. */
  readonly authorities: string | null
  readonly timeoutMs: number
}

type Answered =
  | { readonly kind: 'answered'; readonly json: unknown }
  | { readonly kind: 'failed'; readonly trouble: 'unreachable' | 'timeout' | 'unexpected-answer' }

export interface EngineService {
  /** GET without a body, otherwise POST. Never rejects. */
  ask(path: string, body?: unknown): Promise<Answered>
  /** Aborts open calls. */
  close(): Promise<void>
}

/** 4 096 scores, or a template of 16 KiB in base64, with room to spare. */
const MAX_ANSWER_BYTES = 256 * 1024
/** A service that restarts is back in a moment. Only a refused connection is tried again. */
const PAUSES_MS = [200, 800]

export function openEngineService(settings: EngineServiceSettings): EngineService {
  const closing = new AbortController()
  const { authorities, timeoutMs } = settings
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(authorities === null ? {} : { ca: authorities }) },
    connections: 2,
  })
  return {
    ask: async (path, body) => {
      for (const pauseMs of PAUSES_MS) {
        const answer = await send(settings, path, body, agent, closing.signal)
        if (answer.kind === 'answered' || answer.trouble !== 'unreachable' || closing.signal.aborted)
          return answer
        await wait(pauseMs)
      }
      return send(settings, path, body, agent, closing.signal)
    },
    close: async () => {
      closing.abort()
      await agent.destroy()
    },
  }
}

async function send(
  { url, token, timeoutMs }: EngineServiceSettings,
  path: string,
  body: unknown,
  agent: Agent,
  closing: AbortSignal,
): Promise<Answered> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    // Redirects are not followed: they would send a face to an address that is not configured.
    const { statusCode, body: answer } = await request(url.replace(/\/$/, '') + path, {
      method: body === undefined ? 'GET' : 'POST',
      dispatcher: agent,
      headers: {
        accept: 'application/json',
        'user-agent': `counterproof/${PRODUCT_VERSION}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([timeout, closing]),
    })
    if (statusCode !== 200) {
      answer.on('error', () => undefined).destroy()
      return failed(statusCode === 429 || statusCode >= 500 ? 'unreachable' : 'unexpected-answer')
    }
    const text = await readUpTo(answer, MAX_ANSWER_BYTES)
    const json = text === null ? undefined : parseJson(text)
    return json === undefined ? failed('unexpected-answer') : { kind: 'answered', json }
  } catch {
    // The error may quote the address, so only its kind is passed on.
    return failed(timeout.aborted ? 'timeout' : 'unreachable')
  }
}

const failed = (trouble: Extract<Answered, { kind: 'failed' }>['trouble']): Answered => ({
  kind: 'failed',
  trouble,
})
