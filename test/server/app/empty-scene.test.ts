/** The picture of the camera's empty scene is measured before the first session is compared with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestApp } from '../../support/app.ts'
import { picture, scriptedVision } from './scripted-vision.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const config = { liveness: { emptySceneFile: 'empty.jpg' } }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

async function startWith(scene: Uint8Array | null) {
  if (scene) writeFileSync(join(dataDir, 'empty.jpg'), scene)
  return startTestApp({ dataDir, vision: scriptedVision() })
}

test('a start accepts a picture of the empty scene', async () => {
  const app = await startWith(picture({ shows: 'person', face: null }))
  await app.stop()
})

test.each([
  ['a person is in it', picture({ shows: 'person', face: 'A' }), 'face_in_empty_scene'],
  ['it is no picture', picture({ shows: 'garbage' }), 'no_picture'],
  ['there is none', null, 'no_picture'],
])('a start is refused where %s', async (_, scene, reason) => {
  const refused = await startWith(scene).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 'configuration_invalid',
    details: { field: 'liveness.emptySceneFile', reason },
  })
})
