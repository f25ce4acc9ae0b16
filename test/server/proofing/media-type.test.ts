import { describe, expect, test } from 'vitest'
import { agreesWith, fileEnding, detectMediaType } from '../../../server/proofing/media-type.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('the type of a file is what its first bytes say', () => {
  test.each([
    ['a PDF', bytes('%PDF-1.7\n'), 'application/pdf'],
    ['a PNG', bytes('\x89PNG\r\n\x1a\n....'), 'image/png'],
    ['a JPEG', bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
    ['a WebP', bytes('RIFF\x10\x00\x00\x00WEBPVP8 '), 'image/webp'],
    ['another RIFF, a sound', bytes('RIFF\x10\x00\x00\x00WAVEfmt '), 'application/octet-stream'],
    ['a zip', bytes('PK\x03\x04\x14\x00'), 'application/zip'],
    ['a zip of nothing', bytes('PK\x05\x06\x00\x00'), 'application/zip'],
    ['an MP4', bytes('\x00\x00\x00\x18ftypisom'), 'video/mp4'],
    [
      'a WebM as browsers record it',
      bytes(
        '\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87\x81\x04',
      ),
      'video/webm',
    ],
    [
      'another Matroska, a film',
      bytes('\x1a\x45\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x88matroskaB\x87'),
      'application/octet-stream',
    ],
    ['a HEIC image', bytes('\x00\x00\x00\x18ftypheic'), 'image/heic'],
    ['an AVIF image, of the same family', bytes('\x00\x00\x00\x18ftypavif'), 'application/octet-stream'],
    ['text', Buffer.from('Straße\r\n\tнет\n'), 'text/plain'],
    ['text that only begins like a PNG', bytes('PNG and so on'), 'text/plain'],
    ['text with a bell in it', Buffer.from('a\x07b'), 'application/octet-stream'],
    ['text with a zero byte', Buffer.from('a\0b'), 'application/octet-stream'],
    ['text of an 8-bit code page', bytes('Stra\xdfe'), 'application/octet-stream'],
    ['a PNG cut off in its signature', bytes('\x89PNG'), 'application/octet-stream'],
  ])('%s', (_name, file, mediaType) => {
    expect(detectMediaType(file)).toBe(mediaType)
  })

  test('a declared type has to agree; none is no declaration', () => {
    expect(agreesWith('image/jpeg', undefined)).toBe(true)
    expect(agreesWith('image/jpeg', 'application/octet-stream')).toBe(true)
    expect(agreesWith('image/jpeg', 'image/jpg')).toBe(true)
    expect(agreesWith('image/jpeg', 'image/png')).toBe(false)
    expect(agreesWith('application/pdf', 'text/html')).toBe(false)
  })

  test.each([
    ['image/jpeg', 'jpg'],
    ['text/plain', 'txt'],
    ['application/octet-stream', 'bin'],
    ['application/x-../../etc', 'bin'],
  ])('%s ends in %s', (mediaType, ending) => {
    expect(fileEnding(mediaType)).toBe(ending)
  })
})

describe('a long text', () => {
  const LONG = 200_000

  test('is a text wherever a character of several bytes happens to lie', () => {
    for (const shift of ['', 'a', 'ab', 'abc']) {
      expect(detectMediaType(Buffer.from(shift + '😀'.repeat(LONG)))).toBe('text/plain')
    }
  })

  test('is none with a control character in its beginning, or where a character is cut', () => {
    expect(detectMediaType(Buffer.from(`a\u0001${'b'.repeat(LONG)}`))).toBe('application/octet-stream')
    const cut = Buffer.concat([Buffer.from('😀').subarray(0, 2), Buffer.from('b'.repeat(LONG))])
    expect(detectMediaType(cut)).toBe('application/octet-stream')
  })
})
