/** A service that speaks SOAP 1.1 or 1.2: one operation a call, and answers read within limits, without entities. */
import type { Clock } from '../../clock.ts'
import { findChild, type Element } from '../../xml/element.ts'
import { parseElement } from '../../xml/element-reader.ts'
import type { Called, ServiceOutcome, ServiceSettings } from './http-service.ts'
import { MALFORMED, readOkAnswer, type Unavailable } from './json-answer.ts'
import { openQuestionService } from './question-service.ts'
import type { ServiceHealth } from './service-health.ts'

export type SoapVersion = '1.1' | '1.2'

interface SoapCall<T> {
  /** URI of the operation. */
  readonly action: string
  /** XML of the header's content; empty: none. */
  readonly header?: string
  /** XML of the body's content. */
  readonly body: string
  /** Returns what the first element of the answer's body says, or why it is unusable. */
  readonly read: (answer: Element) => T | Unavailable
}

interface SoapService {
  /** Never rejects. The operation only reads, so it is repeated. */
  ask<T extends { readonly kind: 'answered' }>(call: SoapCall<T>): Promise<Called<T | Unavailable>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}

const ENVELOPES: Readonly<Record<SoapVersion, { readonly namespace: string; readonly type: string }>> = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/soap/envelope/', type: 'text/xml' },
  '1.2': { namespace: 'http://www.w3.org/2003/05/soap-envelope', type: 'application/soap+xml' },
}

/** An answer has one result code, or about thirty match indicators. */
const MAX_ANSWER_BYTES = 64 * 1024
const LIMITS = { maxDepth: 20, maxNodes: 500, maxTextLength: 2 * MAX_ANSWER_BYTES }

/** Throws `configuration_invalid` with the field. @param section such as `connectors.issuerAu` */
export function openSoapService(
  settings: ServiceSettings,
  section: string,
  clock: Clock,
  version: SoapVersion,
): SoapService {
  const service = openQuestionService(settings, section, clock)
  const { type } = ENVELOPES[version]
  return {
    ask: ({ action, header = '', body, read }) =>
      service.ask(
        {
          path: '',
          accept: type,
          // SOAP 1.2 names the action in the media type.
          headers: version === '1.1' ? { soapaction: `"${action}"` } : {},
          body: {
            type: `${type}; charset=utf-8${version === '1.1' ? '' : `; action="${action}"`}`,
            content: writeEnvelope(version, header, body),
          },
          maxAnswerBytes: MAX_ANSWER_BYTES,
        },
        (answer) => {
          const parsed = readSoapAnswer(answer)
          return parsed.kind === 'unavailable' ? parsed : read(parsed.element)
        },
      ),
    health: () => service.health(),
    close: () => service.close(),
  }
}

function writeEnvelope(version: SoapVersion, header: string, body: string): string {
  const written = header === '' ? '' : `<s:Header>${header}</s:Header>`
  return `<s:Envelope xmlns:s="${ENVELOPES[version].namespace}">${written}<s:Body>${body}</s:Body></s:Envelope>`
}

/** A fault tells of trouble at the service, never of the applicant. */
function readSoapAnswer(
  outcome: ServiceOutcome,
): { readonly kind: 'element'; readonly element: Element } | Unavailable {
  const answer = readOkAnswer(outcome)
  if (answer.kind === 'unavailable') return answer
  const envelope = parseElement(Buffer.from(answer.bytes).toString('utf8'), 'Envelope', LIMITS)
  const element = findChild(envelope ?? undefined, 'Body')?.children.at(0)
  if (!element) return MALFORMED
  return element.name === 'Fault'
    ? { kind: 'unavailable', reason: 'unexpected-answer' }
    : { kind: 'element', element }
}
