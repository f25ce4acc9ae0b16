/** The appliance neither stores nor logs a personal value unencrypted, and its metrics and traces contain none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { documentForm, portraitForm, startTestApp } from '../../support/app.ts'
import { SHARING_TENANT, type TestApp } from '../../support/app.ts'
import { startTraceCollector, type TraceCollector } from '../../support/trace-collector.ts'
import { filesIn, findIn, formsOf } from '../../support/byte-scan.ts'
import { HOLDER, picture, scriptedVision } from './scripted-vision.ts'

/** A name, a birth date and a number that nothing else in a run contains. */
const SURNAME = 'ZAPHODOVAQUIX'
const LINES = buildTd3({ ...HOLDER, surname: SURNAME, birthDate: '311029', documentNumber: 'QX73901ZW' })
const CANARIES: Readonly<Record<string, string>> = {
  surname: SURNAME,
  'surname as typed': 'Zaphodovaquix',
  'birth date': '1931-10-29',
  // With its neighbours in the MRZ, because six digits alone could occur by chance.
  'birth date in the zone': LINES[1].slice(10, 20),
  'document number': 'QX73901ZW',
  'correlation id': 'customer-zaphodova-1931',
}

const METRICS_TOKEN = 'a-token-of-prometheus'
const FORMS = Object.fromEntries(Object.entries(CANARIES).map(([name, text]) => [name, formsOf(text)]))
const findCanaries = (sources: Iterable<readonly [string, Buffer]>): string[] => findIn(sources, FORMS)

describe('the search itself', () => {
  const hidden: readonly [string, (text: string) => Buffer][] = [
    ['UTF-8', (text) => Buffer.from(`x${text}y`)],
    ['UTF-16', (text) => Buffer.from(`x${text}y`, 'utf16le')],
    ['hexadecimal', (text) => Buffer.from(Buffer.from(`x${text}y`).toString('hex'))],
    ['base64', (text) => Buffer.from(Buffer.from(`${text}yz`).toString('base64'))],
    ['base64, one byte on', (text) => Buffer.from(Buffer.from(`x${text}yz`).toString('base64'))],
    ['base64, two bytes on', (text) => Buffer.from(Buffer.from(`xx${text}yz`).toString('base64url'))],
  ]
  test.each(hidden)('finds every canary hidden in a file as %s', (_form, hide) => {
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-canary-'))
    try {
      for (const [name, text] of Object.entries(CANARIES))
        writeFileSync(join(folder, `${name}.bin`), hide(text))
      expect(findCanaries(filesIn(folder)).sort()).toEqual(
        Object.keys(CANARIES)
          .map((name) => `${name}.bin: ${name}`)
          .sort(),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('after a whole proofing with a canary for a holder', () => {
  let app: TestApp
  let collector: TraceCollector
  let shown = ''
  beforeAll(async () => {
    collector = await startTraceCollector()
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-canary-'))
    writeFileSync(join(dataDir, 'token'), METRICS_TOKEN, { mode: 0o600 })
    const config = {
      tenant: SHARING_TENANT,
      metrics: { tokenFile: 'token' },
      traces: { url: collector.url, allowHttp: true },
    }
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
    app = await startTestApp({ dataDir, vision: scriptedVision() })
    shown = await proof(app)
  })
  afterAll(async () => {
    await app.close()
    await collector.close()
  })

  test('the relying service has been given the values: they did go through', () => {
    for (const name of ['surname', 'birth date', 'surname as typed']) expect(shown).toContain(CANARIES[name])
  })

  // @clause NIST-63A-4/3.5-rest
  test('the running data folder, journal included, holds none of them in any form, nor do file names', () => {
    expect([...filesIn(app.dataDir)].length).toBeGreaterThan(3)
    expect(findCanaries(filesIn(app.dataDir))).toEqual([])
  })

  // @clause NIST-63A-4/3.5-rest
  test('the log contains no personal value', () => {
    expect(app.log()).toContain('"msg":"a request ended"')
    expect(findCanaries([['log', Buffer.from(app.log())]])).toEqual([])
  })

  test('the metrics contain no personal value and no id', async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    const text = await (await app.call('GET', '/metrics', { key: null, headers })).text()
    expect(text).toContain('counterproof_vision_call_seconds_count')
    expect(findCanaries([['metrics', Buffer.from(text)]])).toEqual([])
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  test('the data folder of a stopped appliance contains no personal value', async () => {
    await app.stop()
    expect(findCanaries(filesIn(app.dataDir))).toEqual([])
  })

  test('the traces contain no personal value', () => {
    expect(collector.spans.map(({ name }) => name)).toContain('job verify-evidence')
    expect(findCanaries([['traces', Buffer.from(collector.text())]])).toEqual([])
  })
})

/** Creates, consents, submits a failing and a good portrait, asks for things that are not there, seals. */
async function proof(app: TestApp): Promise<string> {
  const created = await app.json('POST', '/v1/identities', {
    payload: [
      { key: 'PID', value: `Zaphodovaquix, ${CANARIES['birth date']}` },
      { key: 'CHANNEL', value: 'counter' },
    ],
    headers: { 'correlation-id': CANARIES['correlation id'] ?? '' },
  })
  const { id } = created.body as { id: string }
  const identity = `/v1/identities/${id}`
  await app.json('POST', `${identity}/consents`, {
    payload: [
      { type: 'ID_DOCUMENT', approved: true },
      { type: 'PORTRAIT', approved: true },
    ],
  })
  const page = picture({ shows: 'document', lines: LINES, face: 'A' })
  const form = documentForm(page)
  form.append('DocumentCaptureDetails', JSON.stringify({ documentType: 'PASSPORT', holder: SURNAME }))
  await app.json('POST', `${identity}/id-documents/capture`, { body: form })
  const face = portraitForm(picture({ shows: 'person', face: 'A' }))
  await app.json('POST', `${identity}/attributes/portrait/capture`, { body: face })
  await app.runJobs()
  // Whatever goes wrong must not tell either.
  await app.call('GET', `/v1/identities?correlationID=${CANARIES['correlation id']}x`)
  await app.call('GET', `/v1/identities/${SURNAME}?name=${SURNAME}`)
  await app.call('POST', `${identity}/consents`, { payload: [{ type: SURNAME, approved: SURNAME }] })
  await app.call('POST', `${identity}/consents`, { body: `[{"${SURNAME}": ` })
  const read = await (await app.call('GET', `${identity}?detailed=true`)).text()
  await (await app.call('GET', `${identity}/proof`)).arrayBuffer()
  return read
}
