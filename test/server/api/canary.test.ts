import { expect, test } from 'vitest'
import type { ApiWorkflows } from '../../../server/api/workflows-port.ts'
import { IDENTITY_ID, UNKNOWN_ID, aFile, aForm, startApi } from './support.ts'
import type { Sent } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
/** A name and a birth date that nothing else in a run contains. */
const CANARY = 'ZAPHODOVA-QUIXENBERG'
const CANARY_DATE = '1931-10-29'
const values = `${CANARY} ${CANARY_DATE}`

/** Every place of a request where a personal value can stand, each in a request that is refused. */
const REFUSED: readonly [string, string, string, Sent][] = [
  ['a path', 'GET', `/v1/${CANARY}/${CANARY_DATE}`, {}],
  ['an id', 'GET', `/v1/identities/${CANARY}`, {}],
  ['a query value', 'GET', `${identity}?detailed=${CANARY}`, {}],
  ['a query name', 'GET', `/v1/identities?${CANARY}=1`, {}],
  ['a look-up that finds nothing', 'GET', `/v1/identities?correlationID=${CANARY}`, {}],
  ['the key', 'GET', identity, { key: CANARY }],
  ['the Host', 'GET', identity, { headers: { Host: CANARY } }],
  ['the Origin', 'GET', identity, { headers: { Origin: `https://${CANARY}` } }],
  ['a Tenant-Role', 'GET', identity, { headers: { 'Tenant-Role': CANARY } }],
  [
    'a correlation id',
    'GET',
    '/v1/x',
    { headers: { 'X-Correlation-Id': CANARY, 'X-Forwarded-For': CANARY } },
  ],
  ['a User-Agent', 'GET', '/v1/x', { headers: { 'User-Agent': CANARY } }],
  ['a content type', 'POST', `${identity}/consents`, { headers: { 'Content-Type': CANARY }, body: values }],
  ['an encoding', 'POST', `${identity}/consents`, { headers: { 'Content-Encoding': CANARY }, body: values }],
  ['JSON that does not parse', 'POST', `${identity}/consents`, { body: `[{"type": ${values}` }],
  ['a JSON value', 'POST', `${identity}/consents`, { json: [{ type: values, approved: values }] }],
  [
    'a JSON date',
    'POST',
    `${identity}/consents`,
    { json: [{ type: 'GIV', approved: true, validityPeriod: { to: values } }] },
  ],
  ['a JSON name', 'POST', `${identity}/consents`, { json: [{ [CANARY]: values }] }],
  ['a context', 'POST', '/v1/identities', { json: [{ key: values, value: 7 }] }],
  ['a context part', 'POST', '/v1/identities', { form: aForm({ context: `[${values}` }) }],
  [
    'a part name',
    'POST',
    `${identity}/id-documents/capture`,
    { form: aForm({ [values]: 'x', [`${CANARY}[a][`]: 'y' }) },
  ],
  [
    'a long part name',
    'POST',
    `${identity}/id-documents/capture`,
    { form: aForm({ [values.repeat(9)]: aFile() }) },
  ],
  [
    'a file name',
    'POST',
    `${identity}/id-documents/capture`,
    { form: aForm({ [CANARY]: new File(['x'], `${values}.jpg`, { type: 'image/jpeg' }) }) },
  ],
  [
    'capture details',
    'POST',
    `${identity}/id-documents/capture`,
    {
      form: aForm({
        DocumentFront: aFile(),
        DocumentCaptureDetails: JSON.stringify({ jurisdiction: values }),
      }),
    },
  ],
]

test.each(REFUSED)(
  'a personal value in %s comes back in no problem and no log line',
  async (_place, method, path, sent) => {
    const overrides: Partial<ApiWorkflows> = {
      findIdentity: async () => {
        throw new Error(values)
      },
    }
    await using api = await startApi({ workflows: overrides })
    const reply = await api.send(method, path, sent)
    expect(reply.status).toBeGreaterThanOrEqual(400)
    await expect.poll(() => api.logged()).toContain('"message":"a request ended"')
    const shown = JSON.stringify(reply.headers) + reply.text + api.logged()
    expect(shown).not.toMatch(new RegExp(`${CANARY}|${CANARY_DATE}`, 'i'))
  },
)

test('secrets of requests that succeed or find nothing do not reach the log', async () => {
  await using api = await startApi()
  await api.send('POST', '/v1/identities', {
    headers: { 'correlation-id': CANARY },
    form: aForm({ context: JSON.stringify([{ key: 'PID', value: values }]) }),
  })
  await api.send('GET', `/v1/identities?correlationID=${CANARY}`)
  await api.send('GET', `/v1/identities/${UNKNOWN_ID}?name=${CANARY}`)
  await expect.poll(() => api.logged().match(/"message":"a request ended"/g)?.length).toBe(3)
  expect(api.calls).toHaveLength(3)
  expect(api.logged()).not.toMatch(new RegExp(`${CANARY}|${CANARY_DATE}`, 'i'))
})
