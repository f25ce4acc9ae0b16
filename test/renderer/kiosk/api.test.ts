/** The page's interpretation of the server's answers. */
import { expect, test } from 'vitest'
import { createKioskApi } from '../../../renderer/kiosk/api.ts'

const answering = (status: number, body: object | null = null) =>
  createKioskApi('http://kiosk.test/api/', () =>
    Promise.resolve(
      body === null
        ? new Response(null, { status })
        : new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' }, status }),
    ),
  )

test('an answer without a visit means that the session is over, not that the connection failed', async () => {
  await expect(answering(204).visit()).rejects.toMatchObject({ failure: 'session-over' })
})

test('a session that the server does not know is over, a server that has troubles is not there for a moment', async () => {
  const problem = { type: 'urn:counterproof:problem:unauthorized' }
  await expect(answering(401, problem).finish()).rejects.toMatchObject({ failure: 'session-over' })
  await expect(answering(503, {}).visit()).rejects.toMatchObject({ failure: 'offline' })
})
