import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeCameraClip } from './camera-clip.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clip-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a clip is pictures of the asked size and colours one after the other, no two alike', async () => {
  const picture = join(folder, 'face.png')
  await sharp({ create: { width: 90, height: 60, channels: 3, background: '#456' } })
    .composite([
      { input: Buffer.from('<svg width="20" height="20"><circle cx="9" cy="9" r="8" fill="#fa3"/></svg>') },
    ])
    .png()
    .toFile(picture)
  const clip = join(folder, 'face.y4m')
  const [width, height] = [64, 48]
  await writeCameraClip(picture, clip, { width, height, frames: 4 })
  const bytes = await readFile(clip)
  const header = 'YUV4MPEG2 W64 H48 F10:1 Ip A1:1 C420\n'
  expect(bytes.subarray(0, header.length).toString()).toBe(header)
  const frameBytes = 'FRAME\n'.length + width * height * 1.5
  expect(bytes.length).toBe(header.length + 4 * frameBytes)
  const frames = Array.from({ length: 4 }, (_, i) =>
    bytes.subarray(header.length + i * frameBytes, header.length + (i + 1) * frameBytes),
  )
  for (const frame of frames) {
    expect(frame.subarray(0, 6).toString()).toBe('FRAME\n')
    // The last pixel: #445566 in studio-range BT.601.
    const [y, u, v] = [width * height, width * height * 1.25, width * height * 1.5].map(
      (end) => frame[5 + end],
    )
    expect([y, u, v]).toEqual([86, 138, 119])
  }
  expect(new Set(frames.map((frame) => frame.toString('hex'))).size).toBe(4)
})

test('a picture that is not there is an error, not an empty clip', async () => {
  const clip = writeCameraClip(join(folder, 'none.png'), join(folder, 'x.y4m'), {
    width: 8,
    height: 8,
    frames: 1,
  })
  await expect(clip).rejects.toThrow()
})
