import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { rasterisePdf } from '../../../server/vision/pdf.ts'
import { createRandom } from '../../../server/tools/specimen/head/noise.ts'
import { HOSTILE_PDFS } from '../../../server/tools/bench/fuzz/hostile-pdfs.ts'
import { pdfOf, type Page } from '../../support/pdf.ts'

async function plainPage(colour: string, points: Page['points'] = [144, 72]): Promise<Page> {
  const jpeg = await sharp({ create: { width: 200, height: 100, channels: 3, background: colour } })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  return { jpeg, pixels: [200, 100], points }
}

async function meanColour(jpeg: Uint8Array | undefined): Promise<number[]> {
  const { channels } = await sharp(jpeg).stats()
  return channels.map(({ mean }) => Math.round(mean / 5) * 5)
}

test('pages come in order, at 300 dots an inch, in their own colours', async () => {
  const pages = await rasterisePdf(pdfOf([await plainPage('#ff0000'), await plainPage('#0000ff')]))
  expect(pages).toHaveLength(2)
  const { width, height } = await sharp(pages[0]).metadata()
  expect([width, height]).toEqual([600, 300])
  expect(await meanColour(pages[0])).toEqual([255, 0, 0])
  expect(await meanColour(pages[1])).toEqual([0, 0, 255])
})

test('of a longer file only the first two pages are drawn', async () => {
  const page = await plainPage('#808080')
  expect(await rasterisePdf(pdfOf([page, page, page]))).toHaveLength(2)
})

test('a page of the size of a wall is drawn within the limit of pixels', async () => {
  const [page] = await rasterisePdf(pdfOf([await plainPage('#808080', [14_400, 14_400])]))
  const { width, height } = await sharp(page).metadata()
  expect(width * height).toBeLessThanOrEqual(16_100_000)
})

describe('is refused, and named:', () => {
  const cutOff = async () => pdfOf([await plainPage('#808080')]).subarray(0, 40)
  test.each([
    ['a picture', async () => (await plainPage('#808080')).jpeg, 'not_an_image'],
    ['a file that is cut off', cutOff, 'damaged'],
    ['a file without pages', async () => pdfOf([]), 'damaged'],
    ['a mark and nothing behind it', async () => Buffer.from('%PDF-1.7\n'), 'damaged'],
  ])('%s', async (_, bytes, fault) => {
    await expect(rasterisePdf(await bytes())).rejects.toMatchObject({ name: 'ImageFaultError', fault })
  })

  test('a PDF that was declared to be a picture', async () => {
    const pdf = pdfOf([await plainPage('#808080')])
    await expect(rasterisePdf(pdf, { declaredType: 'image/png' })).rejects.toMatchObject({
      fault: 'type_mismatch',
    })
    expect(await rasterisePdf(pdf, { declaredType: 'application/pdf; name=x' })).toHaveLength(1)
  })
})

describe('a file that would never end', () => {
  const made = async (kind: string) => HOSTILE_PDFS[kind](Buffer.alloc(0), createRandom(1))
  /** Dashes a thousandth of a point long, along curves across the page. */
  const endless = () => {
    const dashes = Buffer.from(`[0.001 0.001] 0 d ${'0 0 m 3000 2000 10 1999 2990 1 c S '.repeat(2000)}`)
    const head =
      '%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n'
    const page = '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 3000 2000]/Contents 4 0 R>>endobj\n'
    return Buffer.from(
      `${head}${page}4 0 obj<</Length ${dashes.length}>>stream\n${dashes.toString()}\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF`,
    )
  }

  test('is given up when its time is over, and the next file is drawn', async () => {
    const limits = { timeMs: 1500, memoryBytes: 600_000_000 }
    const startedAt = performance.now()
    await expect(rasterisePdf(endless(), { limits })).rejects.toMatchObject({ fault: 'too_complex' })
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    expect(await rasterisePdf(pdfOf([await plainPage('#808080')]))).toHaveLength(1)
  })

  test('is given up when it takes too much memory: a form that draws itself twice', async () => {
    const pdf = await made('pdf-recursive-form')
    // Earlier tests of the same process have taken their own.
    const before = process.memoryUsage.rss()
    await expect(rasterisePdf(pdf)).rejects.toMatchObject({ fault: 'too_complex' })
    expect(await rasterisePdf(pdfOf([await plainPage('#808080')]))).toHaveLength(1)
    expect(process.memoryUsage.rss() - before).toBeLessThan(900_000_000)
  })
})

test('nothing is left behind: two hundred files more do not fill the memory', async () => {
  const pdf = pdfOf([await plainPage('#808080', [36, 18])])
  for (let i = 0; i < 50; i++) await rasterisePdf(pdf)
  const before = process.memoryUsage().rss
  for (let i = 0; i < 200; i++) await rasterisePdf(pdf)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
})
