/** A collector of OpenTelemetry: takes OTLP/HTTP in JSON and keeps the spans. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

const Hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`))
const KeyValue = z.strictObject({
  key: z.string(),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  ]),
})

/** Members of opentelemetry/proto/trace/v1/trace.proto in the JSON form of OTLP: ids in hex, 64-bit numbers as texts. */
const Span = z.strictObject({
  traceId: Hex(32),
  spanId: Hex(16),
  parentSpanId: Hex(16).optional(),
  name: z.string().min(1),
  kind: z.int().min(0).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: z.array(KeyValue),
  status: z.strictObject({ code: z.int().min(0).max(2) }),
})
export type CollectedSpan = z.infer<typeof Span>

const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(KeyValue) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(Span),
        }),
      ),
    }),
  ),
})

export interface TraceCollector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Everything that was received, as it came. */
  text(): string
  close(): Promise<void>
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  let text = ''
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    req.on('end', () => {
      text += body
      const parsed = Request.safeParse(JSON.parse(body))
      const isRight = req.method === 'POST' && req.url === '/v1/traces' && parsed.success
      if (parsed.success)
        spans.push(
          ...parsed.data.resourceSpans.flatMap(({ scopeSpans }) =>
            scopeSpans.flatMap((scope) => scope.spans),
          ),
        )
      res.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' })
      res.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    text: () => text,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
