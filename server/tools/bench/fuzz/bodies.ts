/**
 * Builds bodies that keep a parser busy. Each repeats one short piece up to the limit of the route. This shows a
 * parser that needs more than linear time or does not give way to other requests. Sends nothing.
 */
import { deflateRawSync } from 'node:zlib'
import type { DistantBody } from './distant-caller.ts'

export interface HostileBody {
  readonly parser: string
  readonly kind: string
  readonly contentType?: string
  readonly body: DistantBody
}

type Filling = Pick<DistantBody, 'piece'> & { readonly head?: Uint8Array | string; readonly tail?: string }

const BOUNDARY = 'b'
const FORM = `multipart/form-data; boundary=${BOUNDARY}`
const END = `\r\n--${BOUNDARY}--\r\n`
const partHead = (name: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n${more}\r\n`

/** The piece, repeated as often as fits into `bytes`. */
function filled({ head = '', piece = '', tail = '' }: Filling, bytes: number): DistantBody {
  const times = Math.max(0, Math.floor((bytes - head.length - tail.length) / piece.length))
  return { head, piece, times, tail }
}

/** The envelope: parts, their headers and their encodings. */
const FORMS: Readonly<Record<string, (part: string) => Filling & { readonly type?: string }>> = {
  'base64, a line end after each character': (part) => ({
    head: partHead(part, 'Content-Transfer-Encoding: base64\r\n'),
    piece: 'A\n',
    tail: END,
  }),
  'base64, white space alone': (part) => ({
    head: partHead(part, 'Content-Transfer-Encoding: base64\r\n'),
    piece: ' ',
    tail: END,
  }),
  'base64, signs that are none of it': (part) => ({
    head: partHead(part, 'Content-Transfer-Encoding: base64\r\n'),
    piece: '!=',
    tail: END,
  }),
  'quoted-printable': (part) => ({
    head: partHead(part, 'Content-Transfer-Encoding: quoted-printable\r\n'),
    piece: '=\r\n',
    tail: END,
  }),
  'empty parts': (part) => ({ piece: `${partHead(part)}\r\n`, tail: `--${BOUNDARY}--\r\n` }),
  'delimiters alone': () => ({ piece: `--${BOUNDARY}\r\n` }),
  'the beginning of a delimiter, over and over': (part) => ({
    head: partHead(part),
    piece: '\r\n--',
    tail: END,
  }),
  'carriage returns alone': (part) => ({ head: partHead(part), piece: '\r', tail: END }),
  'white space and nothing else': () => ({ piece: ' \r\n' }),
  'a preamble without end': () => ({ piece: 'preamble\r\n' }),
  'header lines without end': (part) => ({
    head: partHead(part).slice(0, -2),
    piece: 'A: b\r\n',
    tail: `\r\n${END}`,
  }),
  'one endless header line': () => ({
    head: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="`,
    piece: '\\"',
    tail: `"\r\n\r\n${END}`,
  }),
  'parameters without end': () => ({
    head: `--${BOUNDARY}\r\nContent-Disposition: form-data`,
    piece: '; a="b"',
    tail: `\r\n\r\n${END}`,
  }),
  'an endless file name, percent-encoded': () => ({
    head: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"; filename*=UTF-8''`,
    piece: '%41',
    tail: `\r\n\r\n${END}`,
  }),
  'no boundary announced': () => ({ type: 'multipart/form-data', piece: '--b\r\nA: b\r\n\r\n\r\n' }),
  'no boundary announced, dashes alone': () => ({ type: 'multipart/form-data', piece: '-' }),
}

export function hostileForms(part: string, bytes: number): HostileBody[] {
  return Object.entries(FORMS).map(([kind, make]) => {
    const { type = FORM, ...filling } = make(part)
    return { parser: 'multipart', kind, contentType: type, body: filled(filling, bytes) }
  })
}

const segment = (marker: string): string => `\xff${marker}\x00\x02`
const RIFF = 'RIFF\xff\xff\xff\x01WEBP'
const PNG =
  '\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55'

/** Content of file parts: containers that must be read to the picture's end or to the type check. */
const FILES: Readonly<Record<string, readonly [parser: string, filling: Filling]>> = {
  'segments without content': ['JPEG', { head: '\xff\xd8', piece: segment('\xe1') }],
  'fill bytes before a marker that never comes': ['JPEG', { head: '\xff\xd8', piece: '\xff' }],
  'restart markers': ['JPEG', { head: '\xff\xd8', piece: '\xff\xd0' }],
  'stray bytes between segments': ['JPEG', { head: '\xff\xd8', piece: '\x00' }],
  'ends of a picture': ['JPEG', { head: '\xff\xd8', piece: '\xff\xd9' }],
  'chunks without content': ['PNG', { head: PNG, piece: '\x00\x00\x00\x00tEXt\x00\x00\x00\x00' }],
  'RIFF chunks without content': ['WebP', { head: RIFF, piece: 'EXIF\x00\x00\x00\x00' }],
  'ends of a file': ['PDF', { head: '%PDF-1.7\n', piece: '%%EOF\n' }],
  'objects without content': ['PDF', { head: '%PDF-1.7\n', piece: '1 0 obj<<>>endobj\n', tail: '%%EOF' }],
  'dictionaries in dictionaries': ['PDF', { head: '%PDF-1.7\n1 0 obj', piece: '<</A', tail: '\n%%EOF' }],
  'references to itself': ['PDF', { head: '%PDF-1.7\n', piece: 'startxref\n9\n', tail: '%%EOF' }],
  'one byte, over and over': ['no known file', { piece: '\x00' }],
  'boxes without content': [
    'HEIC',
    { head: '\x00\x00\x00\x18ftypheic\x00\x00\x00\x00', piece: '\x00\x00\x00\x08free' },
  ],
}

export function hostileFiles(part: string, bytes: number): HostileBody[] {
  return Object.entries(FILES).map(([kind, [parser, { head = '', piece, tail = '' }]]) => {
    const before = Buffer.concat([Buffer.from(partHead(part)), Buffer.from(head as string, 'latin1')])
    const filling = { head: before, piece, tail: tail + END }
    return { parser, kind, contentType: FORM, body: filled(filling, bytes) }
  })
}

const JSON_TYPE = 'application/json'
const JSONS: Readonly<Record<string, Filling>> = {
  'arrays in arrays': { piece: '[' },
  'objects in objects': { piece: '{"a":' },
  'arrays in arrays, closed': { piece: '[]', head: '[', tail: ']' },
  'numbers without end': { head: '[0', piece: ',0', tail: ']' },
  'one number of many digits': { head: '{"a":1', piece: '1', tail: '}' },
  'the same name again and again': { head: '{"a":0', piece: ',"a":0', tail: '}' },
  'the prototype, again and again': { head: '{"a":0', piece: ',"__proto__":{"a":0}', tail: '}' },
  'escapes without end': { head: '{"a":"', piece: '\\u0041', tail: '"}' },
  'white space alone': { piece: ' ' },
}

/** Strings on which a careless regular expression needs more than linear time. */
const STRINGS = ['a', ' ', '9', '-', '.', 'a.', '@', 'a@', '%41', '\\n', '/', ':', 'A1', '+4']
const MANY_NAMES_BYTES = 20

/** @param examples bodies that the route accepts; each is sent with every string in it as long as the limit allows */
export function hostileJson(bytes: number, examples: readonly unknown[]): HostileBody[] {
  const made = Object.entries(JSONS).map(([kind, filling]) => ({ kind, body: filled(filling, bytes) }))
  const names = Array.from({ length: Math.floor(bytes / MANY_NAMES_BYTES) }, (_, n) => `"name${n}":0`)
  made.push({ kind: 'many names', body: { head: `{${names.join(',').slice(0, bytes - 4)}}` } })
  for (const example of examples) {
    for (const piece of STRINGS) {
      made.push(
        ...withLongStrings(example, piece, bytes).map((head) => ({
          kind: `a long string of ${JSON.stringify(piece)}`,
          body: { head },
        })),
      )
    }
  }
  return made.map(({ kind, body }) => ({ parser: 'JSON', kind, contentType: JSON_TYPE, body }))
}

/** One copy of the example per string in it, with that string made long. */
function withLongStrings(example: unknown, piece: string, bytes: number): string[] {
  const text = JSON.stringify(example)
  const long = piece.repeat(Math.max(0, Math.floor((bytes - text.length - 2) / piece.length)))
  const at = '@@here@@'
  return pathsToStrings(example).map((path) =>
    JSON.stringify(replaced(example, path, at)).replace(at, () => long),
  )
}

type Path = readonly (string | number)[]

function pathsToStrings(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => pathsToStrings(member, [...path, name]))
}

function replaced(value: unknown, [first, ...rest]: Path, by: string): unknown {
  if (first === undefined) return by
  const copy = structuredClone(value) as Record<string, unknown>
  copy[first] = replaced(copy[first], rest, by)
  return copy
}

const ZIP = 'application/zip'
const NAME = '01990000-0000-7000-8000-000000000001_20261120100312345/proof.json'

function zipFields(method: number, packed: number, size: number): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(method, 4)
  fields.writeUInt32LE(packed, 14)
  fields.writeUInt32LE(size, 18)
  fields.writeUInt16LE(NAME.length, 22)
  return fields
}

const local = (fields: Buffer): Buffer =>
  Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(NAME)])
const entry = (fields: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('PK\x01\x02'),
    Buffer.from([20, 3]),
    fields,
    Buffer.alloc(14),
    Buffer.from(NAME),
  ])

function endOfZip(entries: number, directoryBytes: number, directoryAt: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(directoryBytes, 12)
  end.writeUInt32LE(directoryAt, 16)
  return end
}

const STORED = 0
const DEFLATED = 8
const MAX_ENTRIES = 65_535
const BOMB_BYTES = 256 * 1024 * 1024

export function hostileZips(bytes: number): HostileBody[] {
  const packed = deflateRawSync(Buffer.alloc(BOMB_BYTES))
  const bombHead = zipFields(DEFLATED, packed.length, 1000)
  const bomb = Buffer.concat([local(bombHead), packed])
  const bombEntry = entry(bombHead)
  const one = zipFields(STORED, 0, 0)
  const first = local(one)
  const record = entry(one)
  const zips: Readonly<Record<string, DistantBody>> = {
    'an entry that inflates to 256 MiB': {
      head: Buffer.concat([bomb, bombEntry, endOfZip(1, bombEntry.length, bomb.length)]),
    },
    'as many entries as a zip can have, all of one place': {
      head: first,
      piece: record,
      times: MAX_ENTRIES,
      tail: endOfZip(MAX_ENTRIES, MAX_ENTRIES * record.length, first.length),
    },
    'ends of a zip without end': filled({ piece: endOfZip(1, 0, 0) }, bytes),
    'entries without a directory': filled({ piece: first }, bytes),
    'one byte, over and over': filled({ piece: 'P' }, bytes),
  }
  return Object.entries(zips).map(([kind, body]) => ({ parser: 'zip', kind, contentType: ZIP, body }))
}

/** Builds key texts that accompany an archive, in the form of the verify page. */
export function hostileKeyTexts(archive: Uint8Array, bytes: number): HostileBody[] {
  const texts: Readonly<Record<string, Filling>> = {
    'beginnings of a PEM': { piece: '-----BEGIN A-----\n' },
    'a PEM without end': { head: '-----BEGIN PUBLIC KEY-----\n', piece: 'AAAA\n' },
    'a key set of empty keys': { head: '{"keys":[{}', piece: ',{}', tail: ']}' },
    'arrays in arrays': { head: '{"keys":', piece: '[' },
  }
  const before = Buffer.concat([
    Buffer.from(partHead('archive')),
    archive,
    Buffer.from(`\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="keys"\r\n\r\n`),
  ])
  return Object.entries(texts).map(([kind, { head = '', piece, tail = '' }]) => ({
    parser: 'key texts',
    kind,
    contentType: FORM,
    body: filled(
      { head: Buffer.concat([before, Buffer.from(head)]), piece, tail: tail + END },
      before.length + bytes,
    ),
  }))
}

/** Compact JWS or JWE values, as a header may carry them. */
export function hostileTokens(characters: number): Readonly<Record<string, string>> {
  const encode = (text: string): string => Buffer.from(text).toString('base64url')
  const long = (piece: string, head = '', tail = ''): string =>
    head + piece.repeat(Math.floor((characters * 0.74 - head.length - tail.length) / piece.length)) + tail
  return {
    'dots alone': '.'.repeat(characters),
    'a header of arrays in arrays': `${encode(long('['))}.e30.AA`,
    'a header of many names': `${encode(long(',"a":0', '{"alg":"ES256"', '}'))}.e30.AA`,
    'a kid without end': `${encode(long('a', '{"alg":"ES256","kid":"', '"}'))}.e30.AA`,
    'no base64 at all': `${'!'.repeat(characters - 8)}.e30.AA`,
    'claims that are long': `${encode('{"alg":"ES256","kid":"01990000-0000-7000-8000-000000000001"}')}.${encode(long('a'))}.AA`,
    'a password-based JWE of a million rounds': `${encode('{"alg":"PBES2-HS512+A256KW","enc":"A256GCM","p2c":1000000,"p2s":"AAAA"}')}.AA.AA.AA.AA`,
  }
}

/** CBOR for the attestation of a passkey, which an officer who sets one up may send. */
export function hostileCbor(bytes: number): Readonly<Record<string, Buffer>> {
  return {
    'arrays in arrays': Buffer.alloc(bytes, 0x81),
    'maps in maps': Buffer.alloc(bytes, Buffer.from([0xa1, 0x00])),
    'tags in tags': Buffer.alloc(bytes, 0xc1),
    'a map that says it has four thousand million entries': Buffer.from([0xba, 0xff, 0xff, 0xff, 0xff, 0, 0]),
    'an array that says it has four thousand million members': Buffer.from([0x9a, 0xff, 0xff, 0xff, 0xff, 0]),
    'a text that says it has four thousand million bytes': Buffer.from([0x7a, 0xff, 0xff, 0xff, 0xff, 0x41]),
    'an array of zeros': Buffer.concat([Buffer.from([0x99, 0xff, 0xff]), Buffer.alloc(bytes, 0)]),
  }
}
