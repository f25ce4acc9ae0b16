/**
 * A scan that came as PDF becomes pictures: its first two pages, front and back. PDFium (as WebAssembly, from our own
 * node_modules) draws them; no script, form or link of the file is ever run or followed.
 */
import { PDFiumLibrary, type PDFiumDocument, type PDFiumPage } from '@hyzyla/pdfium'
import sharp from 'sharp'
import { sniffFormat } from './image.ts'
import { ImageFaultError } from './protocol.ts'

/** Front and back. */
const MOST_PAGES = 2
/** A machine-readable zone is printed at 10 characters an inch: 30 px a character (vision/documents needs 7). */
const DOTS_PER_INCH = 300
const POINTS_PER_INCH = 72
/** A4 at that resolution has 8.7 megapixels; a larger page is drawn coarser. */
const MOST_PIXELS = 16_000_000
/** High enough that the blocks of the JPEG do not show beside those of the scan itself. */
const JPEG_QUALITY = 95
const DECLARED_TYPES = new Set(['application/pdf', 'application/x-pdf', 'application/octet-stream'])

let library: Promise<PDFiumLibrary> | undefined

/** JPEG pages, in order. Throws ImageFaultError; a file that is protected by a password is `unsupported_format`. */
export async function rasterisePdf(
  bytes: Uint8Array,
  options: { declaredType?: string } = {},
): Promise<readonly Uint8Array[]> {
  if (sniffFormat(bytes) !== 'pdf') throw new ImageFaultError('not_an_image')
  const declared = options.declaredType?.split(';')[0]?.trim().toLowerCase()
  if (declared && !DECLARED_TYPES.has(declared)) throw new ImageFaultError('type_mismatch')
  library ??= PDFiumLibrary.init()
  const document = await open(await library, bytes)
  try {
    const count = Math.min(document.getPageCount(), MOST_PAGES)
    if (count === 0) throw new ImageFaultError('damaged')
    const pages: Uint8Array[] = []
    for (let index = 0; index < count; index++) pages.push(await draw(document.getPage(index)))
    return pages
  } finally {
    document.destroy()
  }
}

async function open(pdfium: PDFiumLibrary, bytes: Uint8Array): Promise<PDFiumDocument> {
  try {
    return await pdfium.loadDocument(bytes)
  } catch (error) {
    const locked = error instanceof Error && /password|security/i.test(error.message)
    throw new ImageFaultError(locked ? 'unsupported_format' : 'damaged')
  }
}

async function draw(page: PDFiumPage): Promise<Uint8Array> {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const points = originalWidth * originalHeight
  if (!(points > 0)) throw new ImageFaultError('damaged')
  const scale = Math.min(DOTS_PER_INCH / POINTS_PER_INCH, Math.sqrt(MOST_PIXELS / points))
  try {
    const { data, width, height } = await page.render({ scale })
    return await sharp(data, { raw: { width, height, channels: 4 } })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' })
      .toBuffer()
  } catch {
    throw new ImageFaultError('damaged')
  }
}
