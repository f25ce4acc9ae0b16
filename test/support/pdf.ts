/** The smallest PDF of a scanner: one JPEG per page, filling it. */

/** Width and height in points (1/72 inch). */
export interface Page {
  readonly jpeg: Uint8Array
  readonly pixels: readonly [width: number, height: number]
  readonly points: readonly [width: number, height: number]
}

export function pdfOf(pages: readonly Page[]): Uint8Array {
  const objects: Buffer[] = []
  const add = (text: string, stream?: Uint8Array): number => {
    const body = stream
      ? Buffer.concat([Buffer.from(`${text}\nstream\n`), stream, Buffer.from('\nendstream')])
      : Buffer.from(text)
    return objects.push(body)
  }
  add('<< /Type /Catalog /Pages 2 0 R >>')
  const kids = pages.map((_, index) => `${3 + index * 3} 0 R`).join(' ')
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`)
  for (const { jpeg, pixels, points } of pages) {
    const page = objects.length + 1
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${points.join(' ')}] /Contents ${page + 1} 0 R ` +
        `/Resources << /XObject << /Scan ${page + 2} 0 R >> >> >>`,
    )
    const draw = Buffer.from(`q ${points[0]} 0 0 ${points[1]} 0 0 cm /Scan Do Q`)
    add(`<< /Length ${draw.length} >>`, draw)
    add(
      `<< /Type /XObject /Subtype /Image /Width ${pixels[0]} /Height ${pixels[1]} /ColorSpace /DeviceRGB ` +
        `/BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>`,
      jpeg,
    )
  }
  const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets = objects.map((body, index) => {
    const offset = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    chunks.push(Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n'))
    return offset
  })
  const start = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  chunks.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}` +
        `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(chunks)
}
