import { describe, expect, test } from 'vitest'
import { agreesWith, fileEnding, detectMediaType } from '../../../server/proofing/media-type.ts'

const typeOf = (text: string) => detectMediaType(Buffer.from(text, 'latin1'))
const NONE = 'application/octet-stream'

describe('a signature counts as a whole and where it belongs', () => {
  test.each(['isom', 'iso2', 'iso5', 'iso9', 'mp41', 'mp42', 'avc1', 'dash', 'M4V ', 'MSNV'])(
    'an MP4 of the brand %s',
    (brand) => {
      expect(typeOf(`\x00\x00\x00\x18ftyp${brand}`)).toBe('video/mp4')
      expect(typeOf(`\x00\x00\x00\x00\x18ftyp${brand}`)).toBe(NONE)
    },
  )

  test.each(['iso1', 'isoA', 'mp43', 'mp4A', 'qt  ', 'avif'])('none of the brand %s', (brand) => {
    expect(typeOf(`\x00\x00\x00\x18ftyp${brand}`)).toBe(NONE)
  })

  test.each([
    ['a WebM with its length in one byte', '\x1a\x45\xdf\xa3\x9fB\x82\x84webm', 'video/webm'],
    ['a WebM with its length in eight', '\x1a\x45\xdf\xa3\x9fB\x82\x01\0\0\0\0\0\0\x04webm', 'video/webm'],
    ['one without the header', '\x00\x45\xdf\xa3\x9fB\x82\x84webm', NONE],
    ['one without its type', '\x1a\x45\xdf\xa3\x9fB\x83\x84webm', NONE],
    ['one without a length', '\x1a\x45\xdf\xa3\x9fB\x82webm', NONE],
    ['a WebP that is no RIFF', 'RIFX\x10\x00\x00\x00WEBPVP8 ', NONE],
    ['a WebP at another place', 'RIFF\x10\x00\x00WEBPVP8 ', NONE],
    ['a PDF at another place', '\0%PDF-1.7', NONE],
  ])('%s', (_, text, expected) => {
    expect(typeOf(text)).toBe(expected)
  })
})

test.each([
  ['application/json', 'json'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['text/plain', 'txt'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
])('a file of the type %s ends in .%s', (mediaType, ending) => {
  expect(fileEnding(mediaType)).toBe(ending)
})

test.each([
  ['image/jpeg', 'image/pjpeg', true],
  ['image/png', 'image/x-png', true],
  ['application/pdf', 'application/x-pdf', true],
  ['image/png', 'image/jpg', false],
  ['image/png', 'binary/octet-stream', true],
  ['image/png', 'application/octet-stream', true],
  ['image/png', 'application/octet-stream; charset=utf-8', false],
  ['image/png', 'x-application/octet-stream', false],
  ['image/png', 'text/octet-stream', false],
])('%s that was declared as %s agrees: %s', (mediaType, declared, expected) => {
  expect(agreesWith(mediaType, declared)).toBe(expected)
})
