/**
 * Calls an engine that runs as an HTTP service on this machine or behind TLS. Knows neither what is sent nor what an answer
 * means; the vision worker parses it.
 */
import type { CallNote } from '../../proofing/disclosure.ts'
import { isOverloaded, openHttpService, type ServiceSettings } from '../service/http-service.ts'
import { parseJson } from '../service/limited-body.ts'

type Answered =
  | { readonly kind: 'answered'; readonly json: unknown }
  | { readonly kind: 'failed'; readonly trouble: 'unreachable' | 'timeout' | 'unexpected-answer' }

export interface EngineService {
  /** GET without a body, otherwise POST. Never rejects. `onCall` gets how the call went. */
  ask(path: string, body?: unknown, onCall?: (note: CallNote) => void): Promise<Answered>
  /** Aborts open calls. */
  close(): Promise<void>
}

/** 4 096 scores, or a template of 16 KiB in base64, with room to spare. */
const MAX_ANSWER_BYTES = 256 * 1024

export function openEngineService(settings: ServiceSettings): EngineService {
  const service = openHttpService(settings)
  return {
    ask: async (path, body, onCall = () => undefined) => {
      const { effort, ...outcome } = await service.call({
        path,
        accept: 'application/json',
        ...(body === undefined
          ? { method: 'GET' }
          : { method: 'POST', body: { type: 'application/json', content: JSON.stringify(body) } }),
        maxAnswerBytes: MAX_ANSWER_BYTES,
        // A comparison changes nothing.
        mayRepeat: true,
      })
      const note = (trouble: CallNote['trouble']): void => onCall({ trouble, ...effort })
      if (outcome.kind === 'failed') {
        const { trouble } = outcome
        note(trouble)
        if (trouble === 'too-large') return failed('unexpected-answer')
        return failed(trouble === 'timeout' ? 'timeout' : 'unreachable')
      }
      if (outcome.status !== 200) {
        note('unexpected-answer')
        return failed(isOverloaded(outcome.status) ? 'unreachable' : 'unexpected-answer')
      }
      const json = parseJson(outcome.bytes)
      note(json === undefined ? 'malformed' : null)
      return json === undefined ? failed('unexpected-answer') : { kind: 'answered', json }
    },
    close: () => service.close(),
  }
}

const failed = (trouble: Extract<Answered, { kind: 'failed' }>['trouble']): Answered => ({
  kind: 'failed',
  trouble,
})
