/** Scans that come as TIFF. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { rasteriseTiff } from '../../../server/vision/tiff.ts'

const plain = (background: string, width = 300, height = 200) =>
  sharp({ create: { width, height, channels: 3, background } })
const tiff = (background: string, compression: 'lzw' | 'jpeg' | 'none' = 'lzw') =>
  plain(background).tiff({ compression }).toBuffer()
const colourOf = async (jpeg: Uint8Array): Promise<number[]> =>
  [...(await sharp(jpeg).resize(1, 1).raw().toBuffer())].map((value) => Math.round(value / 16))

describe('a TIFF file', () => {
  test.each(['lzw', 'jpeg', 'none'] as const)('becomes a JPEG picture (%s)', async (compression) => {
    const pages = await rasteriseTiff(await tiff('#ff0000', compression))
    expect(pages).toHaveLength(1)
    expect(await sharp(pages[0]).metadata()).toMatchObject({ format: 'jpeg', width: 300, height: 200 })
    expect(await colourOf(pages[0])).toEqual([16, 0, 0])
  })

  test('of several pages becomes its first two, in their order', async () => {
    const pages = await Promise.all(
      ['#ff0000', '#0000ff', '#00ff00'].map((colour) => plain(colour).png().toBuffer()),
    )
    const joined = await sharp(pages, { join: { animated: true } })
      .tiff()
      .toBuffer()
    const drawn = await rasteriseTiff(joined)
    expect(await Promise.all(drawn.map(colourOf))).toEqual([
      [16, 0, 0],
      [0, 0, 16],
    ])
  })

  test.each([
    ['no TIFF', async () => plain('#fff').png().toBuffer(), 'not_an_image'],
    ['cut off', async () => (await tiff('#fff', 'none')).subarray(0, 90), 'damaged'],
    ['a header alone', async () => Buffer.from('II*\0\x08\0\0\0', 'latin1'), 'damaged'],
  ])('that is %s is refused', async (_, bytes, fault) => {
    await expect(rasteriseTiff(await bytes())).rejects.toMatchObject({ name: 'ImageFaultError', fault })
  })

  test('that was declared as something else is refused', async () => {
    const bytes = await tiff('#fff')
    await expect(rasteriseTiff(bytes, { declaredType: 'image/png' })).rejects.toMatchObject({
      fault: 'type_mismatch',
    })
    expect(await rasteriseTiff(bytes, { declaredType: 'image/tiff; name=x' })).toHaveLength(1)
  })
})
