import { expect, test } from 'vitest'
import { documentForm, startTestApp } from '../../support/app.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

test('a shutdown lets the running check end, refuses new work meanwhile, and loses nothing', async () => {
  let measure: (() => void) | undefined
  const scripted = scriptedVision()
  const slow = {
    ...scripted,
    measureDocument: async (input: Parameters<typeof scripted.measureDocument>[0]) => {
      await new Promise<void>((resolve) => {
        measure = resolve
      })
      return scripted.measureDocument(input)
    },
  }
  const first = await startTestApp({ vision: slow })
  const { id } = (await first.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
  const path = `/v1/identities/${id}/id-documents/capture`
  const submitted = await first.json('POST', path, { body: documentForm(aPassport()) })
  const { id: evidenceId } = submitted.body as { id: string }
  while (!measure) await new Promise((resolve) => setTimeout(resolve, 5))

  const stopped = first.stop()
  const refused = await first.call('GET', `/v1/identities/${id}`).catch(() => null)
  // Either the socket is closed already, or the answer says to come back later.
  expect(refused === null || refused.status === 503).toBe(true)
  measure()
  await stopped

  const second = await startTestApp({ vision: scripted, dataDir: first.dataDir })
  try {
    const { body } = await second.json('GET', `/v1/identities/${id}/status/${evidenceId}`)
    expect(body).toMatchObject({ id: evidenceId, status: 'VERIFIED', type: 'PASSPORT' })
    expect(second.appliance.store.jobs.open()).toBe(0)
  } finally {
    await second.close()
  }
})
