/**
 * Sends spans as OTLP/HTTP in JSON (OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"). Own code, because the official exporter brings
 * 28 MB of packages for these lines.
 */
import { openHttpService, type ServiceSettings } from '../connectors/service/http-service.ts'
import { PRODUCT_VERSION } from '../version.ts'
import type { Attributes, SendSpans, Span } from './tracer.ts'

const MAX_ANSWER_BYTES = 65_536
const INTERNAL = 1
const NANOSECONDS = 1_000_000n

export function openOtlp(settings: ServiceSettings): { readonly send: SendSpans; close(): Promise<void> } {
  const service = openHttpService(settings)
  return {
    send: async (spans) => {
      const answer = await service.call({
        method: 'POST',
        path: '',
        accept: 'application/json',
        body: { type: 'application/json', content: JSON.stringify(toOtlp(spans)) },
        maxAnswerBytes: MAX_ANSWER_BYTES,
        mayRepeat: false,
      })
      if (answer.kind === 'failed') return answer.trouble
      return answer.status >= 200 && answer.status < 300 ? null : `status-${answer.status}`
    },
    close: () => service.close(),
  }
}

export function toOtlp(spans: readonly Span[]) {
  const resource = { 'service.name': 'counterproof', 'service.version': PRODUCT_VERSION }
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeSpans: [
          { scope: { name: 'counterproof', version: PRODUCT_VERSION }, spans: spans.map(toOtlpSpan) },
        ],
      },
    ],
  }
}

function toOtlpSpan({ parentSpanId, startedAt, endedAt, attributes, status, ...span }: Span) {
  return {
    ...span,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    kind: INTERNAL,
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(endedAt),
    attributes: toKeyValues(attributes),
    status: { code: status },
  }
}

/** 64-bit numbers are texts in this encoding. */
const toNanoseconds = (at: Date): string => String(BigInt(at.getTime()) * NANOSECONDS)

const toKeyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }))
