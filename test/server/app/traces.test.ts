/** The traces of a proofing: one trace, from the creation to the seal, and no wait for the collector. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { picture, scriptedVision } from './scripted-vision.ts'
import { portraitForm, SHARING_TENANT, startTestApp, type TestApp } from '../../support/app.ts'
import { startTraceCollector } from '../../support/trace-collector.ts'

let dataDir: string
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function startTraced(url: string): Promise<TestApp> {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-traces-'))
  const traces = { url, allowHttp: true, timeoutMs: 500 }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT, traces }))
  return startTestApp({ dataDir, vision: scriptedVision() })
}

async function proof(app: TestApp): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { body: new FormData() })
  const { id } = body as { id: string }
  await app.json('POST', `/v1/identities/${id}/consents`, { payload: [{ type: 'PORTRAIT', approved: true }] })
  const form = portraitForm(picture({ shows: 'person', face: 'A' }))
  await app.json('POST', `/v1/identities/${id}/attributes/portrait/capture`, { body: form })
  await app.runJobs()
  const fetchProof = async () => {
    const sealed = await app.call('GET', `/v1/identities/${id}/proof`)
    expect(sealed.status).toBe(200)
    await sealed.arrayBuffer()
  }
  await fetchProof()
  // A repeated archive adds no second root.
  await fetchProof()
  return id
}

test('a proofing is one trace: operations, jobs, steps and calls of the worker, each within the one that began it', async () => {
  const collector = await startTraceCollector()
  const app = await startTraced(collector.url)
  const id = await proof(app)
  // The stop sends the remaining spans.
  await app.stop()
  const { spans } = collector
  await collector.close()
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([id.replaceAll('-', '')]))
  const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
  expect([root?.name, others]).toEqual(['proofing', []])
  const find = (name: string) => spans.find((span) => span.name === name)
  const findParent = (name: string) => spans.find(({ spanId }) => spanId === find(name)?.parentSpanId)?.name
  expect(findParent('submitPortrait')).toBe('proofing')
  expect(findParent('job verify-evidence')).toBe('proofing')
  const step = spans.find(({ name }) => name.startsWith('step '))
  expect(findParent(step?.name ?? '')).toBe('job verify-evidence')
  expect(spans.some(({ name }) => name.startsWith('vision '))).toBe(true)
  for (const span of spans) expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
})

test('a collector that does not answer delays no proofing, and the log says it once', async () => {
  const app = await startTraced('http://127.0.0.1:1/v1/traces')
  await proof(app)
  await app.stop()
  expect(app.log().match(/traces cannot be sent/g)).toHaveLength(1)
})
