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
