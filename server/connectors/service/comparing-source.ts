/**
 * A source that compares values with its records by one of our signed protocols, and what several of them have in common: which of them
 * can be asked, and when a question is put. The folder of each kind knows the protocol.
 */
import type { Clock } from '../../clock.ts'
import type { ConnectorId, OutsideCall, ValueName } from '../../proofing/disclosure.ts'
import { nameQuestion } from '../../proofing/issuer-question.ts'
import type { AskedSource, SourceReason, SourceReply } from '../../proofing/source-reply.ts'
import { combineHealth } from './combine-health.ts'
import type { Called } from './http-service.ts'
import type { Unavailable } from './json-answer.ts'
import type { ServiceHealth } from './service-health.ts'
import { openSignedService, type SignedSettings } from './signed-service.ts'

interface Coverage<Field> {
  /** Id in the configuration. */
  readonly id: string
  /** ISO 3166-1 alpha-3. */
  readonly countries: readonly string[]
  /** The only values that the source gets. */
  readonly sends: readonly Field[]
  /** A register that the law makes the reference. */
  readonly authoritative: boolean
  /** Pauses before an unanswered question is put again, in minutes. */
  readonly askAgainMinutes: readonly number[]
}

export interface ComparedValues<Field extends string> {
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly values: Readonly<Partial<Record<Field, string>>>
}

export interface ComparisonQuestion<Field extends string> extends ComparedValues<Field> {
  /** UUID: the same for all tries of one question. */
  readonly requestId: string
}

type Answered = { readonly kind: 'answered' }

export interface ComparingSource<Field extends string, Said extends Answered> extends Coverage<Field> {
  /** Never rejects: a failure is an outcome. */
  ask(question: ComparisonQuestion<Field>): Promise<Called<Said | Unavailable>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}

interface Protocol<Field extends string, Said> {
  readonly path: string
  /** `typ` of the signature's header. */
  readonly type: string
  /** Returns what the answer says, or that it does not fit the question. */
  readonly read: (json: unknown, question: ComparisonQuestion<Field>) => Said | Unavailable
}

/**
 * Returns the function that opens sources of this protocol. It throws `configuration_invalid` with the field; `section`: such as
 * `connectors.bureaus.0`.
 */
export const createSourceOpener =
  <Field extends string, Said extends Answered>({ path, type, read }: Protocol<Field, Said>) =>
  (
    settings: SignedSettings & Coverage<Field>,
    section: string,
    clock: Clock,
  ): ComparingSource<Field, Said> => {
    const service = openSignedService(settings, section, clock)
    const { id, countries, sends, authoritative, askAgainMinutes } = settings
    return {
      id,
      countries,
      sends,
      authoritative,
      askAgainMinutes,
      ask: (question) => service.ask(path, type, question, (json) => read(json, question)),
      health: () => service.health(),
      close: () => service.close(),
    }
  }

/** Tells why none of the sources can be asked about this country; null: one covers it. */
export function findObstacle(
  sources: readonly Pick<Coverage<never>, 'countries'>[],
  country: string | undefined,
): Extract<SourceReason, 'CONFIGURATION' | 'VALUES' | 'COVERAGE'> | null {
  if (sources.length === 0) return 'CONFIGURATION'
  if (country === undefined) return 'VALUES'
  return sources.some(({ countries }) => countries.includes(country)) ? null : 'COVERAGE'
}

interface Put<Field extends string, Said, Answer> {
  readonly connector: ConnectorId
  readonly evidenceId: string
  readonly content: ComparedValues<Field>
  readonly known: AskedSource<Answer> | undefined
  /** Only the reply that is known counts. */
  readonly asksNone?: boolean
  /** Makes of the answer what the evidence keeps. */
  readonly toAnswer: (said: Said) => Answer
}

/** A question that `known` answers is not put again, nor one that was put as often as the configuration allows. Never rejects. */
export async function putQuestion<Field extends ValueName, Said extends Answered, Answer>(
  source: ComparingSource<Field, Said>,
  { connector, evidenceId, content, known, asksNone = false, toAnswer }: Put<Field, Said, Answer>,
): Promise<SourceReply<Answer>> {
  const requestId = nameQuestion(evidenceId, { source: source.id, ...content })
  const asked = { source: source.id, requestId }
  if (known?.requestId === requestId) {
    const isOver = known.answer !== undefined || known.unanswered > source.askAgainMinutes.length
    if (isOver || asksNone) return { ...asked, call: known.call, isKnown: true, outcome: recall(known) }
  }
  const said: Called<Said | Unavailable> = await source.ask({ requestId, ...content })
  const isUnavailable = said.kind === 'unavailable'
  const call: OutsideCall = {
    connector,
    ...asked,
    values: ['country', ...(Object.keys(content.values) as Field[])],
    trouble: isUnavailable ? said.reason : null,
    ...said.effort,
  }
  const outcome = isUnavailable
    ? { kind: said.kind, reason: said.reason }
    : ({ kind: 'answered', answer: toAnswer(said) } as const)
  return { ...asked, call, isKnown: false, outcome }
}

function recall<Answer>({ answer, call }: AskedSource<Answer>): SourceReply<Answer>['outcome'] {
  return answer === undefined
    ? { kind: 'unavailable', reason: call.trouble ?? 'unexpected-answer' }
    : { kind: 'answered', answer }
}

interface Askable {
  readonly id: string
  readonly askAgainMinutes: readonly number[]
  health(): ServiceHealth
  close(): void
}

/** The sources of one kind together. */
export interface SourceGroup {
  readonly count: number
  /** Minutes before each further try of a question that this source did not answer. */
  listPauses(source: string): readonly number[]
  /** DEGRADED if one of them did not answer the last question. */
  health(): ServiceHealth
  close(): void
}

export const groupSources = (sources: readonly Askable[]): SourceGroup => ({
  count: sources.length,
  listPauses: (source) => sources.find(({ id }) => id === source)?.askAgainMinutes ?? [],
  health: () => combineHealth(sources),
  close: () => {
    for (const source of sources) source.close()
  },
})
