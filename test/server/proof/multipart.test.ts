import { describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'

const ZIP = Buffer.concat([
  Buffer.from('PK\x03\x04 bytes with \r\n--almost a boundary\r\n'),
  Buffer.from([0, 255, 13, 10]),
])

function body(parts: readonly (readonly [type: string, content: Buffer])[], boundary = 'b0undary') {
  const encoded = parts.flatMap(([type, content]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: attachment; filename="x.zip"\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...encoded, Buffer.from(`--${boundary}--\r\n`)])
}

describe('the envelope of a proof', () => {
  test('a bare zip is taken as it is', () => {
    expect(extractArchive(ZIP)).toBe(ZIP)
  })

  test('the zip part is found byte for byte, whatever stands before it', () => {
    expect(extractArchive(body([['application/zip', ZIP]]))).toEqual(ZIP)
    expect(
      extractArchive(
        body([
          ['text/plain', Buffer.from('hello')],
          ['Application/Zip; name=x', ZIP],
        ]),
      ),
    ).toEqual(ZIP)
  })

  test('a body without a zip part, cut off, or without boundary gives nothing', () => {
    expect(extractArchive(body([['application/json', ZIP]]))).toBeNull()
    expect(extractArchive(body([['application/zip', ZIP]]).subarray(0, 100))).toBeNull()
    expect(extractArchive(Buffer.from('{"status":404}'))).toBeNull()
    expect(extractArchive(Buffer.alloc(0))).toBeNull()
    expect(extractArchive(Buffer.from('--\r\n\r\n\r\n--'))).toBeNull()
  })
})
