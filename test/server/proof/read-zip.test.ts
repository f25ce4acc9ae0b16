/** The reader of untrusted zips by itself: what it takes, and by which sentence it refuses the rest. */
import { describe, expect, test } from 'vitest'
import { writeContainer } from '../../../server/proof/verify/container.ts'
import { LIMITS, readZip, withoutRoot } from '../../../server/proof/verify/read-zip.ts'

const text = (content: string) => Buffer.from(content)
/** `root/a` with three bytes and `root/b` with four. */
const TWO = () =>
  Buffer.from(
    writeContainer([
      { path: 'root/a', bytes: text('one') },
      { path: 'root/b', bytes: text('four') },
    ]),
  )
// A local header is 30 bytes and the name, a directory record 46 and the name, the end record 22.
const LOCAL_B = 30 + 6 + 3
const RECORD_A = LOCAL_B + 30 + 6 + 4
const RECORD_B = RECORD_A + 46 + 6
const END = RECORD_B + 46 + 6

const read = (zip: Uint8Array) => {
  const { files, problems } = readZip(zip)
  return {
    files: files.map(({ path, bytes }) => `${path} ${Buffer.from(bytes).toString('utf8')}`),
    problems: problems.map(({ code, file, message }) => [code, file, message]),
  }
}
const patched = (patch: (zip: Buffer) => void) => {
  const zip = TWO()
  patch(zip)
  return read(zip)
}
const BOTH = ['root/a one', 'root/b four']

describe('a zip of stored files', () => {
  test('is read in the order of its directory, by itself and out of the middle of a larger memory', () => {
    expect(TWO()).toHaveLength(END + 22)
    expect(read(TWO())).toEqual({ files: BOTH, problems: [] })
    const around = Buffer.concat([text('before'), TWO(), text('behind')])
    expect(read(around.subarray(6, 6 + END + 22))).toEqual({ files: BOTH, problems: [] })
  })

  test('may have a comment as long as a comment can be, behind which an end record is not looked for', () => {
    const comment = (length: number) => Buffer.concat([TWO(), Buffer.alloc(length, 0x20)])
    expect(read(comment(0xffff)).files).toEqual(BOTH)
    expect(read(comment(0x10000))).toEqual({
      files: [],
      problems: [
        [
          'archive_unreadable',
          undefined,
          'This is not a whole zip archive: its end record is missing or damaged.',
        ],
      ],
    })
  })

  test('is read by the last of two end records', () => {
    const first = TWO()
    first.writeUInt16LE(1, END + 10)
    const second = TWO().subarray(END)
    expect(read(Buffer.concat([first, second])).files).toEqual(BOTH)
  })

  test('may have further fields behind names, in the header and in the directory, and comments of files', () => {
    const zip = TWO()
    const local = Buffer.concat([zip.subarray(LOCAL_B, LOCAL_B + 36), text('EXTRA'), text('four')])
    local.writeUInt16LE(5, 28)
    const recordA = Buffer.concat([zip.subarray(RECORD_A, RECORD_B), text('XX'), text('comment')])
    recordA.writeUInt16LE(2, 30)
    recordA.writeUInt16LE(7, 32)
    const end = Buffer.from(zip.subarray(END))
    end.writeUInt32LE(RECORD_A + 5, 16)
    const whole = [zip.subarray(0, LOCAL_B), local, recordA, zip.subarray(RECORD_B, END), end]
    expect(read(Buffer.concat(whole))).toEqual({ files: BOTH, problems: [] })
  })

  test('may hold empty files, and folders, which are no files', () => {
    const zip = writeContainer([
      { path: 'root/', bytes: text('') },
      { path: 'root/empty', bytes: text('') },
    ])
    expect(read(zip)).toEqual({ files: ['root/empty '], problems: [] })
  })

  test('has at most 2000 entries', () => {
    const claiming = (count: number) => patched((zip) => zip.writeUInt16LE(count, END + 10))
    expect(claiming(2001)).toEqual({
      files: [],
      problems: [['archive_too_large', undefined, 'The archive claims 2001 entries.']],
    })
    // It is followed, and found to have only two.
    expect(claiming(2000)).toMatchObject({
      files: BOTH,
      problems: [['archive_unreadable', 'b', expect.anything()]],
    })
  })
})

describe('a directory', () => {
  test('that claims fewer entries than there are is read so far', () => {
    expect(patched((zip) => zip.writeUInt16LE(1, END + 10))).toEqual({ files: ['root/a one'], problems: [] })
  })

  test('that is damaged is named by the entry before the damage, and the entries before it are returned', () => {
    expect(patched((zip) => zip.writeUInt32LE(0, RECORD_B))).toEqual({
      files: ['root/a one'],
      problems: [
        [
          'archive_unreadable',
          'a',
          `The directory of the zip is damaged after the entry root/a (byte ${RECORD_B}).`,
        ],
      ],
    })
    expect(patched((zip) => zip.writeUInt32LE(0, RECORD_A))).toEqual({
      files: [],
      problems: [
        [
          'archive_unreadable',
          undefined,
          `The directory of the zip is damaged at its start (byte ${RECORD_A}).`,
        ],
      ],
    })
  })

  test('that begins or continues beyond the archive is damaged', () => {
    const beyond = END + 22 - 45
    expect(patched((zip) => zip.writeUInt32LE(beyond, END + 16)).problems).toEqual([
      ['archive_unreadable', undefined, `The directory of the zip is damaged at its start (byte ${beyond}).`],
    ])
    // A name that ends with the archive is still one; one byte more is not.
    const longest = END + 22 - RECORD_B - 46
    const named = (length: number) =>
      patched((zip) => zip.writeUInt16LE(length, RECORD_B + 28)).problems.map(([code]) => code)
    expect(named(longest)).toEqual(['entry_refused'])
    expect(named(longest + 1)).toEqual(['archive_unreadable'])
  })
})

describe('an entry', () => {
  const renamed = (path: string) => read(writeContainer([{ path, bytes: text('x') }]))
  const refusedFor = (what: string, path = 'root/b') => ({
    files: ['root/a one'],
    problems: [['entry_refused', withoutRoot(path), `The entry ${path} ${what}.`]],
  })

  test.each(['../a', 'root/../a', 'root/..', './a', 'root/./a', '/a', 'root//a', ''])(
    'with the path %j leaves its folder',
    (path) => {
      const { files, problems } = renamed(path)
      expect(files).toEqual([])
      expect(problems[0][2]).toBe(`The entry ${path} has a path that leaves its folder.`)
    },
  )

  test.each(['root/.a', 'root/..a', 'root/a..', 'root/A-Z_0.9'])('may be called %j', (path) => {
    expect(renamed(path)).toEqual({ files: [`${path} x`], problems: [] })
  })

  test.each([
    ['root/a b', 'root/a b'],
    ['root/é', 'root/?'],
    ['root/a:b', 'root/a:b'],
    ['root\\a', 'root\\a'],
  ])('may not be called %j', (path, shown) => {
    expect(renamed(path).problems[0][2]).toBe(
      `The entry ${shown} has a name with characters that no proof uses.`,
    )
  })

  test('may not have the name of another, in letters of any case', () => {
    const zip = writeContainer([
      { path: 'root/A', bytes: text('1') },
      { path: 'root/a', bytes: text('2') },
    ])
    expect(read(zip)).toEqual({
      files: ['root/A 1'],
      problems: [['entry_refused', 'a', 'The entry root/a has the name of another entry.']],
    })
  })

  test.each<[string, number, boolean]>([
    ['a regular file', 0o100644, true],
    ['no kind of file at all', 0o000644, true],
    ['a link', 0o120777, false],
    ['a folder', 0o040755, false],
    ['a device', 0o060600, false],
  ])('by its mode is %s', (_, mode, isTaken) => {
    const found = patched((zip) => zip.writeUInt32LE((mode << 16) >>> 0, RECORD_B + 38))
    expect(found).toEqual(
      isTaken ? { files: BOTH, problems: [] } : refusedFor('is a link or a device, not a file'),
    )
  })

  test.each([
    [0x0001, false],
    [0x0040, false],
    [0x0041, false],
    [0x0800, true],
    [0x0002, true],
  ])('with the flags %i is readable: %s', (flags, isTaken) => {
    const found = patched((zip) => zip.writeUInt16LE(flags, RECORD_B + 8))
    expect(found).toEqual(isTaken ? { files: BOTH, problems: [] } : refusedFor('is encrypted'))
  })

  test('that is compressed is refused with the advice to use the original file', () => {
    expect(patched((zip) => zip.writeUInt16LE(8, RECORD_B + 10))).toEqual(
      refusedFor(
        'is compressed, but a proof stores its files uncompressed: the archive was packed again. Use the original file',
      ),
    )
  })

  test('that claims more than a file may have is refused by that', () => {
    const claiming = (bytes: number) => patched((zip) => zip.writeUInt32LE(bytes, RECORD_B + 24))
    expect(claiming(LIMITS.fileBytes + 1)).toEqual(refusedFor('claims 268435457 bytes'))
    expect(claiming(LIMITS.fileBytes)).toEqual(refusedFor('has two different sizes'))
  })

  test('has two sizes that are the same', () => {
    expect(patched((zip) => zip.writeUInt32LE(3, RECORD_B + 20))).toEqual(
      refusedFor('has two different sizes'),
    )
    expect(patched((zip) => zip.writeUInt32LE(3, RECORD_B + 24))).toEqual(
      refusedFor('has two different sizes'),
    )
  })

  test('begins where the directory says, with a header', () => {
    const elsewhere = (offset: number) => patched((zip) => zip.writeUInt32LE(offset, RECORD_B + 42))
    expect(elsewhere(LOCAL_B + 1)).toEqual(refusedFor('has no header where the directory says'))
    expect(elsewhere(0xffffffff)).toEqual(refusedFor('has no header where the directory says'))
    expect(elsewhere(END + 22 - 29)).toEqual(refusedFor('has no header where the directory says'))
  })

  test('whose header is the last thing of the archive has no byte behind it', () => {
    // A header of its own behind the end record, where a comment would be.
    const header = TWO().subarray(LOCAL_B, LOCAL_B + 30)
    header.writeUInt16LE(0, 26)
    const zip = Buffer.concat([TWO(), header])
    zip.writeUInt32LE(END + 22, RECORD_B + 42)
    expect(read(zip)).toEqual(refusedFor('reaches beyond the end of the archive'))
    zip.writeUInt32LE(0, RECORD_B + 20)
    zip.writeUInt32LE(0, RECORD_B + 24)
    expect(read(zip)).toEqual({ files: ['root/a one', 'root/b '], problems: [] })
  })

  test('ends with the archive at the latest', () => {
    const long = (bytes: number) =>
      patched((zip) => {
        zip.writeUInt32LE(bytes, RECORD_B + 20)
        zip.writeUInt32LE(bytes, RECORD_B + 24)
      })
    const rest = END + 22 - LOCAL_B - 36
    expect(long(rest + 1)).toEqual(refusedFor('reaches beyond the end of the archive'))
    expect(long(rest).problems).toEqual([])
  })
})

test('files that share their bytes are read until they are as many bytes as the archive has', () => {
  const zip = TWO()
  // Both are the whole archive from the first header on, so the second is more than is left.
  const size = END + 22 - 36
  for (const record of [RECORD_A, RECORD_B]) {
    zip.writeUInt32LE(size, record + 20)
    zip.writeUInt32LE(size, record + 24)
    zip.writeUInt32LE(0, record + 42)
  }
  const { files, problems } = readZip(zip)
  expect(files.map(({ path }) => path)).toEqual(['root/a'])
  expect(problems).toEqual([
    {
      code: 'archive_too_large',
      file: 'b',
      message: 'The entry root/b and the files before it are too many bytes.',
    },
  ])
})

test('a path in the archive is named without its root, and one without a root as it is', () => {
  expect(withoutRoot('root/images/a.jpg')).toBe('images/a.jpg')
  expect(withoutRoot('a.jpg')).toBe('a.jpg')
})
