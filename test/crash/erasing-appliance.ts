/**
 * An appliance that makes and erases identities as fast as it can until it is killed. Its own process:
 * `node erasing-appliance.ts DATA_DIR`. Writes `ready` when it has begun, `gone ID` for each erasure it was answered.
 */
import { writeSync } from 'node:fs'
import { documentForm, startTestApp } from '../support/app.ts'
import { aPassport, scriptedVision } from '../server/app/scripted-vision.ts'

const AT_ONCE = 3
const STANDARD_OUTPUT = 1

const dataDir = process.argv[2] ?? ''
const app = await startTestApp({ vision: scriptedVision(), dataDir })
const tell = (line: string): void => void writeSync(STANDARD_OUTPUT, `${line}\n`)

async function one(): Promise<void> {
  const { body } = await app.json('POST', '/v1/identities', {
    payload: [{ key: 'PID', value: 'canary-person' }],
  })
  const { id } = body as { id: string }
  const identity = `/v1/identities/${id}`
  const payload = [{ type: 'ID_DOCUMENT', approved: true }]
  await app.json('POST', `${identity}/consents`, { payload })
  await app.json('POST', `${identity}/id-documents/capture`, { body: documentForm(aPassport()) })
  // Every second one is erased while its document is being verified, the others with their proof.
  if (Math.random() < 0.5) await app.call('GET', `${identity}/proof`).then((answer) => answer.arrayBuffer())
  if (Math.random() < 0.2) return
  const { status } = await app.json('DELETE', identity)
  if (status === 204) tell(`gone ${id}`)
}

async function forever(): Promise<never> {
  for (;;) await one()
}
// The first ones load what the later ones find loaded.
await Promise.all(Array.from({ length: AT_ONCE }, one))
tell('ready')
await Promise.all(Array.from({ length: AT_ONCE }, forever))
