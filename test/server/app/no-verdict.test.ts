import { expect, test } from 'vitest'
import { ImageFaultError } from '../../../server/vision/protocol.ts'
import { documentForm, startTestApp } from '../../support/app.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

test('a picture that was taken in but cannot be measured ends as NOT_VERIFIED, not as a job that fails for ever', async () => {
  const vision = {
    ...scriptedVision(),
    measureDocument: async () => {
      throw new ImageFaultError('damaged')
    },
  }
  const app = await startTestApp({ vision })
  try {
    const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
    await app.call('POST', `/v1/identities/${id}/id-documents/capture`, { body: documentForm(aPassport()) })
    await app.runJobs()
    const { body } = await app.json('GET', `/v1/identities/${id}`)
    expect(body).toMatchObject({
      globalStatus: { status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' },
      idDocuments: [
        {
          evidenceStatus: {
            status: 'NOT_VERIFIED',
            score: 'LEVEL0',
            errors: [{ code: '2400' }],
            unverifiedIndicators: ['VERIFICATION_UNVERIFIED'],
          },
        },
      ],
    })
    expect(app.appliance.store.jobs.failed()).toBe(0)
  } finally {
    await app.close()
  }
})

test('a picture that a busy machine decodes too slowly is looked at again, and is not called unreadable', async () => {
  const scripted = scriptedVision()
  let looks = 0
  const vision = {
    ...scripted,
    measureDocument: async (input: Parameters<typeof scripted.measureDocument>[0]) => {
      if (++looks === 1) throw new ImageFaultError('too_complex')
      return scripted.measureDocument(input)
    },
  }
  const app = await startTestApp({ vision })
  try {
    const { id } = (await app.json('POST', '/v1/identities', { payload: [] })).body as { id: string }
    await app.call('POST', `/v1/identities/${id}/id-documents/capture`, { body: documentForm(aPassport()) })
    await app.runJobs()
    const { body } = await app.json('GET', `/v1/identities/${id}`)
    expect(looks).toBe(2)
    expect(body).toMatchObject({ idDocuments: [{ evidenceStatus: { status: 'VERIFIED' } }] })
  } finally {
    await app.close()
  }
})
