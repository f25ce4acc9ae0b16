import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { inspectImage } from '../../../server/vision/image.ts'
import { withoutTexts } from '../../../server/vision/png-chunks.ts'

const plain = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#808080' } })
    .png()
    .toBuffer()

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

/** Behind the header, whose chunk ends at byte 33. */
const withChunks = (png: Buffer, ...chunks: Buffer[]) =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

test('texts are left out, and the rest stays as it was', async () => {
  const png = await plain()
  const texts = [chunk('tEXt', Buffer.from('a\0b')), chunk('zTXt', deflateSync(Buffer.alloc(100)))]
  expect(Buffer.from(withoutTexts(withChunks(png, ...texts))).equals(png)).toBe(true)
  expect(withoutTexts(png)).toBe(png)
})

test('a text that counts past the end of the file ends the file, and nothing throws', async () => {
  const png = await plain()
  const long = chunk('zTXt', Buffer.alloc(10))
  long.writeUInt32BE(0xfffffff0, 0)
  expect(withoutTexts(withChunks(png, long))).toHaveLength(33)
  for (let cut = 0; cut < 60; cut++) withoutTexts(png.subarray(0, cut))
})

test('gigabytes of text behind a few kilobytes cost no time', async () => {
  const bomb = chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(32 << 20))]))
  const before = process.cpuUsage().user
  expect(await inspectImage(withChunks(await plain(), ...Array<Buffer>(200).fill(bomb)))).toMatchObject({
    widthPx: 40,
  })
  // Unfolded, they are six gigabytes.
  expect(process.cpuUsage().user - before).toBeLessThan(3_000_000)
}, 60_000)
