/** A service that answers questions: a question only reads, so it is repeated, and health tells how the last one ended. */
import type { Clock } from '../../clock.ts'
import { checkServiceSettings } from './check-settings.ts'
import {
  openHttpService,
  type Called,
  type ServiceCall,
  type ServiceOutcome,
  type ServiceSettings,
} from './http-service.ts'
import { readJsonAnswer, type Unavailable } from './json-answer.ts'
import { createServiceHealth, withStatus, type ServiceHealth } from './service-health.ts'

type Answered = { readonly kind: 'answered' }

interface QuestionService {
  /** Never rejects. `read` returns what the answer says, or why it is unusable. */
  ask<T extends Answered>(
    call: Omit<ServiceCall, 'method' | 'mayRepeat'>,
    read: (answer: ServiceOutcome) => T | Unavailable,
  ): Promise<Called<T | Unavailable>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}

/** Throws `configuration_invalid` with the field. @param section such as `connectors.issuers.0` */
export function openQuestionService(
  settings: ServiceSettings,
  section: string,
  clock: Clock,
): QuestionService {
  checkServiceSettings(section, settings)
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last question was not answered')
  return {
    ask: async (call, read) => {
      const answer = await service.call({ method: 'POST', mayRepeat: true, ...call })
      const outcome = read(answer)
      health.note(outcome.kind === 'answered' ? null : withStatus(outcome.reason, outcome.httpStatus))
      return { ...outcome, effort: answer.effort }
    },
    health: health.read,
    close: () => void service.close(),
  }
}

/** An answer names some fields; a source may add members. */
const MAX_JSON_BYTES = 16 * 1024

/** The call of a question in JSON. */
export const buildJsonCall = (
  path: string,
  content: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
) => ({
  path,
  accept: 'application/json',
  headers,
  body: { type: 'application/json', content },
  maxAnswerBytes: MAX_JSON_BYTES,
})

/** Returns what `read` makes of the JSON of an answer. */
export const readingJson =
  <T extends Answered>(read: (json: unknown) => T | Unavailable) =>
  (answer: ServiceOutcome): T | Unavailable => {
    const json = readJsonAnswer(answer)
    return json.kind === 'unavailable' ? json : read(json.json)
  }
