/** Live pictures of a document capture session: what the component is told, and what becomes of them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CaptureGuidance } from '../../../server/api/contract/capture.ts'
import { ImageFaultError, type FrameMeasurement, type ImageQuality } from '../../../server/vision/protocol.ts'
import { startClockedApp, type ClockedApp } from '../app/clocked-app.ts'
import { scriptedVision } from '../app/scripted-vision.ts'

const KEYLESS = { key: null }
const QUAD = [
  { x: 192, y: 108 },
  { x: 1728, y: 108 },
  { x: 1728, y: 972 },
  { x: 192, y: 972 },
] as const
const GOOD: ImageQuality = {
  luminanceMean: 150,
  clippedShare: 0,
  glareShare: 0,
  portraitGlareShare: null,
  edgeWidthPx: 2.4,
  framing: { by: 'outline', tiltDeg: 2, resolutionDpi: 300, spanShare: 0.8, missingShare: 0 },
}
const FRAME: FrameMeasurement = {
  image: { format: 'jpeg', widthPx: 1920, heightPx: 1080, exifOrientation: 1 },
  outline: {
    quad: QUAD,
    confidence: 0.9,
    aspect: 1.58,
    tiltDeg: 2,
    areaShare: 0.6,
    sidesOutside: 0,
    foundBy: 'edges',
    uprightBy: null,
  },
  seenBy: 'edges',
  quality: GOOD,
  pixelPx: 1,
  elapsedMs: 30,
}

let answer: () => Promise<FrameMeasurement>
let client: ClockedApp
beforeAll(async () => {
  const vision = { ...scriptedVision(), assessFrame: () => answer() }
  client = await startClockedApp({ config: {}, vision })
})
afterAll(() => client.close())

async function open(kind: 'document' | 'portrait' = 'document'): Promise<string> {
  const id = await client.anIdentity(['ID_DOCUMENT', 'PORTRAIT'])
  const path =
    kind === 'document' ? 'id-documents/live-capture-session' : 'attributes/portrait/capture-session'
  const opened = await client.ask('PortraitSessionAnswer', 'POST', `/v1/identities/${id}/${path}`, {
    payload: {},
  })
  return `/capture/sessions/${opened.sessionId}/frame`
}

function frame(bytes: Uint8Array = Buffer.from('a live picture')): FormData {
  const form = new FormData()
  form.append('Frame', new Blob([bytes as BlobPart], { type: 'image/jpeg' }), 'frame.jpg')
  return form
}
const sees = (quality: Partial<ImageQuality>, outline = FRAME.outline): void => {
  const seenBy = outline && 'edges'
  answer = async () => ({ ...FRAME, outline, seenBy, quality: { ...GOOD, ...quality } })
}
const guide = async (path: string) => {
  const { status, body } = await client.app.json('POST', path, { ...KEYLESS, body: frame() })
  expect(status).toBe(200)
  return CaptureGuidance.parse(body)
}

describe('a capture component that sends a live picture', () => {
  test('is told that it may be taken, and where the document lies in it', async () => {
    sees({})
    expect(await guide(await open())).toEqual({
      codes: [],
      hint: 'TAKE_PICTURE',
      outline: [
        { x: 0.1, y: 0.1 },
        { x: 0.9, y: 0.1 },
        { x: 0.9, y: 0.9 },
        { x: 0.1, y: 0.9 },
      ],
      ready: true,
    })
  })

  test.each([
    ['more light', { luminanceMean: 20 }, ['1531'], 'MORE_LIGHT'],
    ['to avoid a reflection', { glareShare: 0.2 }, ['1532'], 'AVOID_REFLECTION'],
    ['to hold still', { edgeWidthPx: 12 }, ['1533'], 'HOLD_STILL'],
    [
      'to come closer',
      { framing: { ...GOOD.framing!, resolutionDpi: 60, spanShare: 0.2 } },
      ['1541'],
      'MOVE_CLOSER',
    ],
    [
      'the worst first',
      { glareShare: 0.2, framing: { ...GOOD.framing!, tiltDeg: 40 } },
      ['1532', '1539'],
      'AVOID_REFLECTION',
    ],
  ])('is told %s', async (_, quality, codes, hint) => {
    sees(quality)
    expect(await guide(await open())).toMatchObject({ codes, hint, ready: false })
  })

  test('without a document is told to show one', async () => {
    sees({ framing: null }, null)
    expect(await guide(await open())).toEqual({
      codes: ['1535'],
      hint: 'SHOW_DOCUMENT',
      outline: null,
      ready: false,
    })
  })

  test('while another is looked at is told to send a newer one, and no picture waits', async () => {
    const path = await open()
    const gate = Promise.withResolvers<FrameMeasurement>()
    const begun = Promise.withResolvers<undefined>()
    let asked = 0
    answer = () => {
      asked++
      begun.resolve(undefined)
      return gate.promise
    }
    const first = guide(path)
    await begun.promise
    const refused = await client.app.call('POST', path, { ...KEYLESS, body: frame() })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    gate.resolve(FRAME)
    expect((await first).ready).toBe(true)
    expect(asked).toBe(1)
    expect((await guide(path)).ready).toBe(true)
  })

  test('that is no picture is told so, and the next one is looked at', async () => {
    const path = await open()
    answer = () => Promise.reject(new ImageFaultError('not_an_image'))
    expect(await client.refusal('POST', path, { ...KEYLESS, body: frame() })).toMatchObject({
      status: 400,
      code: 'unsupported_image',
    })
    sees({})
    expect((await guide(path)).ready).toBe(true)
  })

  test('of more than two megabytes is refused', async () => {
    const body = frame(new Uint8Array(2 * 1024 * 1024 + 1))
    expect(await client.refusal('POST', await open(), { ...KEYLESS, body })).toMatchObject({
      status: 413,
      code: 'upload_too_large',
    })
  })

  test('five times a second, and still may ask for its session: the calls are counted apart', async () => {
    sees({})
    const path = await open()
    for (let n = 0; n < 100; n++) await guide(path)
    expect((await client.app.call('GET', path.replace(/\/frame$/, ''), KEYLESS)).status).toBe(200)
    for (let n = 0; n < 200; n++) await guide(path)
    expect((await client.app.call('POST', path, { ...KEYLESS, body: frame() })).status).toBe(429)
  })

  test('leaves nothing behind: no file, no event, and the session stays open', async () => {
    sees({})
    const path = await open()
    const images = () => readdirSync(join(client.app.dataDir, 'images')).length
    const { store } = client.app.appliance
    const [files, events] = [images(), store.events.head().seq]
    await guide(path)
    expect([images(), store.events.head().seq]).toEqual([files, events])
    expect((await client.app.call('GET', path.replace(/\/frame$/, ''), KEYLESS)).status).toBe(200)
  })
})

test('a portrait session and a session that has ended take no live pictures of a document', async () => {
  sees({})
  const portrait = await open('portrait')
  expect((await client.app.call('POST', portrait, { ...KEYLESS, body: frame() })).status).toBe(404)
  const ended = await open()
  await client.app.call('DELETE', ended.replace(/\/frame$/, ''), KEYLESS)
  expect((await client.app.call('POST', ended, { ...KEYLESS, body: frame() })).status).toBe(404)
})
