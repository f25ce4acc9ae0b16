import { expect, test } from 'vitest'
import { documentForm, portraitForm } from '../../support/app.ts'
import { startClockedApp } from './clocked-app.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

test('a portrait whose comparison with a new document breaks for good is not tried again for ever', async () => {
  const vision = {
    ...scriptedVision(),
    compareFaces: async () => {
      throw new Error('the model is broken')
    },
  }
  const clocked = await startClockedApp({ config: {}, vision })
  const { app } = clocked
  try {
    const id = await clocked.anIdentity(['PORTRAIT'])
    await clocked.ask('SingleStatus', 'POST', `/v1/identities/${id}/attributes/portrait/capture`, {
      body: portraitForm(picture({ shows: 'person', face: 'A' })),
    })
    await app.runJobs()
    // It was usable, and waits for a document to be compared with.
    const path = `/v1/identities/${id}/id-documents/capture`
    await clocked.ask('SingleStatus', 'POST', path, { body: documentForm(aPassport()) })
    await clocked.endJobs(id)

    expect(app.log().match(/a job failed and will be retried/g)).toHaveLength(4)
    const identity = await clocked.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(identity.globalStatus.status).toBe('EXPECTING_INPUT')
    expect(identity.portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1021' }],
      unverifiedIndicators: ['VERIFICATION_UNVERIFIED'],
    })
    expect(app.appliance.store.jobs.failed()).toBe(1)
  } finally {
    await clocked.close()
  }
})
