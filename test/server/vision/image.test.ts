import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import {
  decodeImage,
  decodeSmall,
  encodeJpeg,
  inspectImage,
  sniffFormat,
} from '../../../server/vision/image.ts'
import { clampBox, cropRaster, sampleAffine, shrinkByWhole, toGrey } from '../../../server/vision/raster.ts'
import type { Raster } from '../../../server/vision/raster.ts'
import type { ImageFault } from '../../../server/vision/protocol.ts'
import { cpuMs } from '../../support/cpu.ts'

const noise = (width: number, height: number, channels: 1 | 3 | 4): Buffer =>
  Buffer.from(Uint8Array.from({ length: width * height * channels }, (_, i) => (i * 2654435761) >>> 24))
const picture = (width = 64, height = 48) =>
  sharp(noise(width, height, 3), { raw: { width, height, channels: 3 } })

const faultOf = async (bytes: Uint8Array, declaredType?: string): Promise<ImageFault | 'none'> =>
  decodeImage(bytes, { declaredType }).then(
    () => 'none' as const,
    (error: { fault: ImageFault }) => error.fault,
  )

/** A PNG whose header promises width × height pixels and whose data is empty. */
function pngHeader(width: number, height: number): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(body.length)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, body, Buffer.alloc(4)])
  }
  const ihdr = Buffer.alloc(13)
  ihdr.writeUInt32BE(width, 0)
  ihdr.writeUInt32BE(height, 4)
  ihdr.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', ihdr),
    chunk('IDAT', deflateSync(Buffer.alloc(10))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('the magic bytes decide what a file is', () => {
  const cases: [string, string | null][] = [
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['\x89PNG\r\n\x1a\n', 'png'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'webp'],
    ['GIF89a', 'other'],
    ['\0\0\0\x18ftypheic', 'other'],
    ['\0\0\0\x1cftypmif1', 'other'],
    ['II*\0', 'other'],
    ['%PDF-1.7', 'pdf'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', 'other'],
    ['<?xml version="1.0"?><svg/>', 'other'],
    ['hello', null],
    ['', null],
    ['RIFF\x10\0\0\0WAVEfmt ', null],
  ]
  for (const [head, expected] of cases)
    expect(sniffFormat(Buffer.from(head, 'latin1')), JSON.stringify(head)).toBe(expected)
})

test('a PNG, a JPEG and a WebP of the same picture decode to the same size and three channels', async () => {
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const { raster, info } = await decodeImage(await picture().toFormat(format).toBuffer())
    expect(info).toEqual({ format, widthPx: 64, heightPx: 48, exifOrientation: 1 })
    expect(raster.data.length).toBe(64 * 48 * 3)
  }
})

test('a PNG keeps every pixel value', async () => {
  const { raster } = await decodeImage(await picture().png().toBuffer())
  expect(Buffer.from(raster.data).equals(noise(64, 48, 3))).toBe(true)
})

test('a type that contradicts the bytes is refused, a missing or general one is not', async () => {
  const jpeg = await picture().jpeg().toBuffer()
  expect(await faultOf(jpeg, 'image/png')).toBe('type_mismatch')
  expect(await faultOf(jpeg, 'application/pdf')).toBe('type_mismatch')
  for (const type of [
    undefined,
    '',
    'application/octet-stream',
    'image/jpeg',
    'image/jpg',
    'IMAGE/JPEG; q=1',
  ])
    expect(await faultOf(jpeg, type), String(type)).toBe('none')
})

test('formats that are not taken are named as such, and garbage is no image', async () => {
  expect(await faultOf(await picture().gif().toBuffer())).toBe('unsupported_format')
  expect(await faultOf(await picture().tiff().toBuffer())).toBe('unsupported_format')
  expect(await faultOf(await picture().avif().toBuffer())).toBe('unsupported_format')
  expect(await faultOf(Buffer.from('%PDF-1.4\n'))).toBe('unsupported_format')
  expect(await faultOf(noise(100, 100, 1))).toBe('not_an_image')
  expect(await faultOf(new Uint8Array(0))).toBe('not_an_image')
})

test('a header of 60000 × 60000 pixels is refused in milliseconds and without memory', async () => {
  const before = process.memoryUsage.rss()
  const start = cpuMs()
  for (const [width, height] of [
    [60_000, 60_000],
    [2_147_483_647, 2_147_483_647],
    [80_001, 1000],
  ])
    expect(await faultOf(pngHeader(width, height))).toBe('too_many_pixels')
  expect(cpuMs() - start).toBeLessThan(500)
  expect(process.memoryUsage.rss() - before).toBeLessThan(50e6)
})

test('a JPEG whose header promises 65000 × 65000 pixels is refused from the header', async () => {
  const jpeg = await picture().jpeg().toBuffer()
  const frame = jpeg.findIndex((byte, i) => byte === 0xff && jpeg[i + 1] === 0xc0)
  jpeg.writeUInt16BE(65_000, frame + 5)
  jpeg.writeUInt16BE(65_000, frame + 7)
  expect(await faultOf(jpeg)).toBe('too_many_pixels')
})

test('a live picture larger than any camera takes is refused from the header', async () => {
  await expect(decodeSmall(pngHeader(5000, 4000), 960)).rejects.toMatchObject({ fault: 'too_many_pixels' })
  const { raster, factor } = await decodeSmall(await picture(1920, 1080).jpeg().toBuffer(), 960)
  expect({ ...raster, data: null, factor }).toEqual({ width: 960, height: 540, data: null, factor: 2 })
})

test('a file cut off at any quarter is damaged, never half a picture', async () => {
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const whole = await picture(320, 240).toFormat(format).toBuffer()
    for (const share of [0.02, 0.25, 0.5, 0.75, 0.98])
      expect(await faultOf(whole.subarray(0, Math.floor(whole.length * share))), `${format} ${share}`).toBe(
        'damaged',
      )
  }
})

test('the EXIF orientation is applied and reported', async () => {
  const bytes = await picture().withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer()
  const { raster, info } = await decodeImage(bytes)
  expect(info).toMatchObject({ widthPx: 48, heightPx: 64, exifOrientation: 6 })
  expect([raster.width, raster.height]).toEqual([48, 64])
  expect(await inspectImage(bytes)).toEqual(info)
})

test('transparency lies on white; grey, CMYK and 16 bit become 8-bit RGB', async () => {
  const clear = await sharp({
    create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
    .png()
    .toBuffer()
  expect((await decodeImage(clear)).raster.data.every((value) => value === 255)).toBe(true)

  const red = sharp({ create: { width: 8, height: 8, channels: 3, background: '#c03020' } })
  const deep = await red.clone().toColourspace('rgb16').png().toBuffer()
  expect((await sharp(deep).metadata()).depth).toBe('ushort')
  expect([...(await decodeImage(deep)).raster.data.slice(0, 3)]).toEqual([0xc0, 0x30, 0x20])

  const cmyk = await red.clone().toColourspace('cmyk').jpeg().toBuffer()
  expect((await sharp(cmyk).metadata()).channels).toBe(4)
  const { raster } = await decodeImage(cmyk)
  expect(raster.data.length).toBe(8 * 8 * 3)
  expect(raster.data[0]).toBeGreaterThan(raster.data[1] + 80)

  const grey = await red.clone().greyscale().toColourspace('b-w').png().toBuffer()
  expect((await sharp(grey).metadata()).channels).toBe(1)
  const pixel = (await decodeImage(grey)).raster.data.slice(0, 3)
  expect(new Set(pixel).size).toBe(1)
})

const ramp: Raster = {
  width: 16,
  height: 8,
  data: Uint8Array.from({ length: 16 * 8 * 3 }, (_, i) => 10 * (Math.floor(i / 3) % 16) + (i % 3)),
}

test('cropping cuts at the picture edge', () => {
  const part = cropRaster(ramp, { x: 12, y: -4, width: 10, height: 6 })
  expect([part.width, part.height]).toEqual([4, 2])
  expect([...part.data.slice(0, 3)]).toEqual([120, 121, 122])
  expect(clampBox({ x: 99, y: 99, width: 5, height: 5 }, 16, 8)).toEqual({ x: 15, y: 7, width: 1, height: 1 })
})

test('grey is BT.601 luma', () => {
  const colours: Raster = { width: 3, height: 1, data: Uint8Array.from([255, 0, 0, 0, 255, 0, 0, 0, 255]) }
  expect([...toGrey(colours).data]).toEqual([77, 149, 29])
})

test('bilinear sampling is exact on a linear ramp, also where the source is averaged first', () => {
  const half = sampleAffine(ramp, [1, 0, 0.5, 0, 1, 0], 4, 1)
  expect([...half]).toEqual([5, 6, 7, 15, 16, 17, 25, 26, 27, 35, 36, 37])
  const third = sampleAffine(ramp, [3, 0, 1, 0, 3, 1], 4, 2) // centres of blocks of three pixels
  expect([...third.slice(0, 12)]).toEqual([10, 11, 12, 40, 41, 42, 70, 71, 72, 100, 101, 102])
})

test('outside the picture is black', () => {
  expect([...sampleAffine(ramp, [1, 0, -50, 0, 1, 0], 2, 2)]).toEqual(Array(12).fill(0))
})

test('shrinking by a whole factor takes the mean of each block', () => {
  const small = shrinkByWhole(ramp, 4)
  expect([small.width, small.height]).toEqual([4, 2])
  expect([...small.data.slice(0, 6)]).toEqual([15, 16, 17, 55, 56, 57])
})

test('an encoded JPEG decodes to the size it had', async () => {
  const { info } = await decodeImage(await encodeJpeg(ramp, 92))
  expect(info).toMatchObject({ format: 'jpeg', widthPx: 16, heightPx: 8 })
})
