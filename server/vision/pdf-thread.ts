/**
 * The thread in which PDFium renders, so that a file which renders without end is terminated and its memory freed.
 * vision/pdf.ts owns limits, pictures and error names.
 */
import { parentPort } from 'node:worker_threads'
import { PDFiumLibrary, type PDFiumDocument, type PDFiumPage } from '@hyzyla/pdfium'

export interface DrawRequest {
  readonly bytes: Uint8Array
  readonly mostPages: number
  readonly mostPixels: number
  /** Pixels per point, unless the page is too large. */
  readonly scale: number
}

/** RGBA on a transparent background. */
export interface DrawnPage {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

export type DrawReply =
  | { readonly pages: readonly DrawnPage[] }
  | { readonly fault: 'locked' | 'damaged' | 'trapped' }

class PdfFault extends Error {
  readonly fault: 'locked' | 'damaged'
  constructor(fault: 'locked' | 'damaged') {
    super(fault)
    this.fault = fault
  }
}

const library = PDFiumLibrary.init()

async function draw(request: DrawRequest): Promise<readonly DrawnPage[]> {
  const document = await open(await library, request.bytes)
  try {
    const count = Math.min(document.getPageCount(), request.mostPages)
    if (!(count > 0)) throw new PdfFault('damaged')
    const pages: DrawnPage[] = []
    for (let index = 0; index < count; index++) pages.push(await drawPage(document.getPage(index), request))
    return pages
  } finally {
    document.destroy()
  }
}

async function open(pdfium: PDFiumLibrary, bytes: Uint8Array): Promise<PDFiumDocument> {
  try {
    return await pdfium.loadDocument(bytes)
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error
    throw new PdfFault(
      error instanceof Error && /password|security/i.test(error.message) ? 'locked' : 'damaged',
    )
  }
}

async function drawPage(page: PDFiumPage, { mostPixels, scale }: DrawRequest): Promise<DrawnPage> {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const points = originalWidth * originalHeight
  if (!(points > 0)) throw new PdfFault('damaged')
  const { data, width, height } = await page.render({
    scale: Math.min(scale, Math.sqrt(mostPixels / points)),
  })
  return { data: new Uint8Array(data), width, height }
}

async function answer(request: DrawRequest): Promise<DrawReply> {
  try {
    return { pages: await draw(request) }
  } catch (error) {
    if (error instanceof PdfFault) return { fault: error.fault }
    // After a trap the library's state is corrupt, so it must not render again.
    return { fault: error instanceof WebAssembly.RuntimeError ? 'trapped' : 'damaged' }
  }
}

parentPort?.on('message', (request: DrawRequest) => {
  void answer(request).then((reply) => {
    const moved = 'pages' in reply ? reply.pages.map(({ data }) => data.buffer as ArrayBuffer) : []
    parentPort?.postMessage(reply, moved)
  })
})
