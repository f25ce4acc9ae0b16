import { expect, test } from 'vitest'
import { DESIGNS } from '../../../server/tools/specimen/documents/render.ts'
import { renderScene } from '../../../server/tools/specimen/scenes/scene.ts'
import { toHints } from '../../../server/verification/step-tools.ts'
import { createCalls } from '../../../server/vision/calls.ts'
import { readManifest } from '../../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../../server/vision/packs.ts'
import { openSessions, type Sessions } from '../../../server/vision/sessions.ts'

/** Counts the pages that were given to the detector of text. */
function countPages(sessions: Sessions): { sessions: Sessions; pages: () => number } {
  let count = 0
  const byId = new Map(
    [...sessions.byId].map(([id, session]) => {
      const run: typeof session.run = (input, dims) => {
        if (session.role === 'text-detector') count++
        return session.run(input, dims)
      }
      return [id, { ...session, run }] as const
    }),
  )
  return { sessions: { ...sessions, byId }, pages: () => count }
}

test('a page that was begun early is searched for text once, and reads as one that was not', async () => {
  const manifest = readManifest()
  await buildCorePack(manifest, defaultModelsDir(), () => undefined)
  const counted = countPages(await openSessions(manifest, defaultModelsDir(), ['core']))
  const calls = createCalls(counted.sessions)
  const sideIndex = DESIGNS.passport.sides.length - 1
  const { jpeg: image } = await renderScene({ seed: 3, kind: 'passport', sideIndex, size: [1600, 1200] })

  const plain = await calls.measureDocument({ image })
  expect(counted.pages()).toBe(0)
  const { page: late } = await calls.readSide({ image, ...toHints(plain) })
  expect(counted.pages()).toBe(1)

  const side = await calls.measureDocument({ image, readsNext: true })
  const { page: early } = await calls.readSide({ image, ...toHints(side) })
  expect(counted.pages()).toBe(2)
  expect(early.lines).toEqual(late.lines)
  expect(early.lines.length).toBeGreaterThan(5)

  // At another place than the one that was begun it is read again.
  await calls.measureDocument({ image, readsNext: true })
  await calls.readSide({ image, ...toHints(side), quad: null })
  expect(counted.pages()).toBe(4)
})
