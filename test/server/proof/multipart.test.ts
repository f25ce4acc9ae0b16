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

  test.each([
    ['Content-Type:application/zip', true],
    ['content-type: \t application/zip ;charset=x', true],
    ['Content-Type: application/zipped', false],
    ['X-Content-Type: application/zip', false],
  ])('a part is a zip by the header %j: %s', (header, isZip) => {
    const part = Buffer.concat([
      Buffer.from(`--b\r\n${header}\r\nX-After: 1\r\n\r\n`),
      ZIP,
      Buffer.from('\r\n--b--\r\n'),
    ])
    expect(extractArchive(part)).toEqual(isZip ? ZIP : null)
  })

  test('of a hundred parts the zip is found, and not behind more', () => {
    const among = (others: number) =>
      body([
        ...Array.from({ length: others }, () => ['text/plain', Buffer.from('x')] as const),
        ['application/zip', ZIP],
      ])
    expect(extractArchive(among(99))).toEqual(ZIP)
    expect(extractArchive(among(100))).toBeNull()
  })

  test('a boundary has at most seventy characters', () => {
    expect(extractArchive(body([['application/zip', ZIP]], 'b'.repeat(70)))).toEqual(ZIP)
    expect(extractArchive(body([['application/zip', ZIP]], 'b'.repeat(71)))).toBeNull()
  })

  test('a body without a zip part, cut off, or without boundary gives nothing', () => {
    expect(extractArchive(body([['application/json', ZIP]]))).toBeNull()
    expect(extractArchive(body([['application/zip', ZIP]]).subarray(0, 100))).toBeNull()
    expect(extractArchive(Buffer.from('{"status":404}'))).toBeNull()
    expect(extractArchive(Buffer.alloc(0))).toBeNull()
    expect(extractArchive(Buffer.from('--\r\n\r\n\r\n--'))).toBeNull()
  })
})
