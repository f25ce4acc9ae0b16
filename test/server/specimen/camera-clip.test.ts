import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeCameraClip } from '../../../server/specimen/camera-clip.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clip-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a clip is whole JPEG pictures one after the other, of the asked size, no two alike', async () => {
  const picture = join(folder, 'face.png')
  await sharp({ create: { width: 90, height: 60, channels: 3, background: '#456' } })
    .composite([
      { input: Buffer.from('<svg width="20" height="20"><circle cx="9" cy="9" r="8" fill="#fa3"/></svg>') },
    ])
    .png()
    .toFile(picture)
  const clip = join(folder, 'face.mjpeg')
  await writeCameraClip(picture, clip, { width: 64, height: 48, frames: 4 })
  const bytes = await readFile(clip)
  const starts: number[] = []
  for (let at = bytes.indexOf('ffd8ff', 0, 'hex'); at >= 0; at = bytes.indexOf('ffd8ff', at + 2, 'hex'))
    starts.push(at)
  expect(starts).toHaveLength(4)
  const frames = starts.map((start, i) => bytes.subarray(start, starts[i + 1]))
  for (const frame of frames) {
    const { format, width, height } = await sharp(frame).metadata()
    expect({ format, width, height }).toEqual({ format: 'jpeg', width: 64, height: 48 })
  }
  expect(new Set(frames.map((frame) => frame.toString('hex'))).size).toBe(4)
})

test('a picture that is not there is an error, not an empty clip', async () => {
  const clip = writeCameraClip(join(folder, 'none.png'), join(folder, 'x.mjpeg'), {
    width: 8,
    height: 8,
    frames: 1,
  })
  await expect(clip).rejects.toThrow()
})
