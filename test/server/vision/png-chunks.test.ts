import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pngChunk } from '../../../server/tools/bench/fuzz/bytes.ts'
import { inspectImage } from '../../../server/vision/image.ts'
import { withoutTexts } from '../../../server/vision/png-chunks.ts'

const plain = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#808080' } })
    .png()
    .toBuffer()

/** Behind the header, whose chunk ends at byte 33. */
const withChunks = (png: Buffer, ...chunks: Buffer[]) =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

test('texts are left out, and the rest stays as it was', async () => {
  const png = await plain()
  const texts = [pngChunk('tEXt', Buffer.from('a\0b')), pngChunk('zTXt', deflateSync(Buffer.alloc(100)))]
  expect(Buffer.from(withoutTexts(withChunks(png, ...texts))).equals(png)).toBe(true)
  expect(withoutTexts(png)).toBe(png)
})

test('a text that counts past the end of the file ends the file, and nothing throws', async () => {
  const png = await plain()
  const long = pngChunk('zTXt', Buffer.alloc(10))
  long.writeUInt32BE(0xfffffff0, 0)
  expect(withoutTexts(withChunks(png, long))).toHaveLength(33)
  for (let cut = 0; cut < 60; cut++) withoutTexts(png.subarray(0, cut))
})

test('gigabytes of text behind a few kilobytes cost no time', async () => {
  const bomb = pngChunk(
    'zTXt',
    Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(32 << 20))]),
  )
  const before = process.cpuUsage().user
  expect(await inspectImage(withChunks(await plain(), ...Array<Buffer>(200).fill(bomb)))).toMatchObject({
    widthPx: 40,
  })
  // Unfolded, they are six gigabytes.
  expect(process.cpuUsage().user - before).toBeLessThan(3_000_000)
})
