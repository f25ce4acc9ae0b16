/** The document camera in a whole appliance: configured, tested at start, in the health report. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findPrograms } from '../../../server/connectors/camera/shot.ts'
import { startTestApp } from '../../support/app.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { scriptedVision } from './scripted-vision.ts'

/** The part of an answer that the self-test reads; the worker measured a copy of half the size. */
const frame =
  (luminanceMean: number): Vision['assessFrame'] =>
  async () => ({
    image: { format: 'jpeg', widthPx: 960, heightPx: 540, exifOrientation: 1 },
    outline: null,
    seenBy: null,
    quality: {
      luminanceMean,
      clippedShare: 0,
      glareShare: 0,
      portraitGlareShare: null,
      edgeWidthPx: 3,
      framing: null,
    },
    pixelPx: 2,
    elapsedMs: 1,
  })

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'document-camera-app-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function configure(device: string, mode = 'test') {
  const tenant = { id: 'default', name: 'Test', mode, policy: 'default' }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant, cameras: { document: { device } } }))
}

async function camerasOf(app: Awaited<ReturnType<typeof startTestApp>>) {
  const { body } = await app.json('GET', '/healthcheck', { key: null })
  return (body as { components: Record<string, { status: string; detail: string }> }).components.cameras
}

describe.skipIf(!findPrograms(process.env))(
  'the document camera of an appliance (skipped without fswebcam)',
  () => {
    test.each([
      ['is tested at start and found good', 130, 'UP', /tested \d{4}-/],
      ['is found black at start, and the report says what to do', 3, 'DEGRADED', /black: lens covered/],
    ])('%s', async (_, luminance, status, detail) => {
      const picture = join(dataDir, 'desk.png')
      await sharp({ create: { width: 1920, height: 1080, channels: 3, background: '#808080' } })
        .png()
        .toFile(picture)
      configure(`FILE:${picture}`)
      const app = await startTestApp({
        dataDir,
        vision: { ...scriptedVision(), assessFrame: frame(luminance) },
      })
      try {
        await vi.waitFor(async () => expect((await camerasOf(app))?.detail).toMatch(detail), {
          timeout: 60_000,
        })
        const cameras = await camerasOf(app)
        expect(cameras?.status).toBe(status)
        expect(JSON.stringify(cameras)).not.toContain(dataDir)
      } finally {
        await app.stop()
      }
    })
  },
)

describe('a configuration that names a camera', () => {
  test('never stands a file in for one in production', async () => {
    configure('TEST', 'production')
    await expect(startTestApp({ dataDir, vision: scriptedVision() })).rejects.toMatchObject({
      code: 'configuration_invalid',
      problems: [{ field: 'cameras.document.device' }],
    })
  })

  test.each(['/dev/video0;id', 'FILE:/tmp/$(id).jpg', '/dev/sda'])('is refused with %s', async (device) => {
    configure(device)
    await expect(startTestApp({ dataDir, vision: scriptedVision() })).rejects.toThrow('configuration_invalid')
  })
})
