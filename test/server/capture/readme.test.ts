/** The client that the protocol's page shows is one: it is run as it stands there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import { liveActor } from '../../support/live-actor.ts'
import { FRAME_MS, openSession, portraitOf } from '../app/portrait-session.ts'
import { startWholeApp } from '../app/whole-app.ts'

type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>
type Client = (
  base: string,
  sessionId: string,
  nextPicture: () => Promise<Blob>,
  show: (answer: Capturing) => void,
) => Promise<object>

const PAGE = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'server', 'capture', 'README.md'),
  'utf8',
)

function clientOfPage(): Client {
  const source = /```js\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? ''
  // oxlint-disable-next-line typescript/no-implied-eval -- the page is ours, and runs as a browser would run it
  return (new Function(`${source}\nreturn capturePortrait`) as () => Client)()
}

test('the client of the page captures a live portrait', async () => {
  const app = await startWholeApp()
  try {
    const { id, evidenceId, sessionId } = await openSession(app, { payload: { type: 'LIVENESS_ACTIVE' } })
    const actor = liveActor()
    let asked: Capturing | undefined
    const evidence = await clientOfPage()(
      app.app.url,
      sessionId,
      async () => {
        if (!asked) throw new TypeError('nothing was asked')
        app.tick(FRAME_MS)
        return new Blob([actor.picture(asked.prompt, FRAME_MS) as BlobPart], { type: 'image/jpeg' })
      },
      (answer) => {
        asked = answer
      },
    )
    expect(evidence).toEqual({ status: 'PROCESSING', type: 'PORTRAIT', id: evidenceId })
    await app.app.runJobs()
    expect((await portraitOf(app, id))?.positiveIndicators).toContain('BIOMETRIC_LIVENESS_OK')
  } finally {
    await app.close()
  }
})
