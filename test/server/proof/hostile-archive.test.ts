import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { verifyProof } from '../../../server/proof/verify.ts'
import { writeContainer } from '../../../server/proof/verify/container.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { aSealedProof, IDENTITY_ID, pem, repack, unpack } from './fixture.ts'

const ROOT = `${IDENTITY_ID}_20261120100312345`
const sealed = await aSealedProof()
const files = await unpack(sealed.bytes)

async function problemsOf(bytes: Uint8Array) {
  const { valid, problems } = await verifyProof(bytes, { pem })
  expect(valid).toBe(false)
  return problems.map(({ code, file }) => (file === undefined ? code : `${code} ${file}`))
}

/** The sealed files and one more, packed as the appliance packs. */
function withEntry(path: string, bytes = Buffer.from('x')) {
  return writeContainer([...files, { path, bytes }])
}

/** Offset of the directory record of a path. */
function directoryRecordOf(zip: Buffer, path: string): number {
  return zip.lastIndexOf(path) - 46
}

function patched(path: string, patch: (zip: Buffer, record: number) => void): Buffer {
  const zip = Buffer.from(sealed.bytes)
  patch(zip, directoryRecordOf(zip, path))
  return zip
}

describe('a hostile archive', () => {
  test.each([
    ['climbs out of its folder', `${ROOT}/../evil.sh`],
    ['is absolute', '/etc/cron.d/evil'],
    ['uses backslashes', `${ROOT}\\..\\evil.sh`],
    ['holds a null character', `${ROOT}/a\0b`],
    ['turns the reading direction', `${ROOT}/gpj.\u202eexe`],
  ])('with a path that %s is refused', async (_, path) => {
    const problems = await problemsOf(withEntry(path))
    expect(problems.some((problem) => problem.startsWith('entry_refused'))).toBe(true)
  })

  test('with a second root folder is refused', async () => {
    expect(await problemsOf(withEntry('other/file.txt'))).toContain('entry_refused')
  })

  test('with two entries of the same name, or of names that differ in case alone, is refused', async () => {
    expect(await problemsOf(withEntry(`${ROOT}/proof.json`))).toEqual(['entry_refused proof.json'])
    expect(await problemsOf(withEntry(`${ROOT}/PROOF.json`))).toContain('entry_refused proof.json')
  })

  test('with a symbolic link is refused', async () => {
    const zip = patched(`${ROOT}/images/portrait.jpg`, (bytes, record) => {
      bytes.writeUInt32LE((0o120777 << 16) >>> 0, record + 38)
    })
    expect(await problemsOf(zip)).toContain('entry_refused images/portrait.jpg')
  })

  test('with an encrypted entry is refused', async () => {
    const zip = patched(`${ROOT}/images/portrait.jpg`, (bytes, record) =>
      bytes.writeUInt16LE(0x0801, record + 8),
    )
    expect(await problemsOf(zip)).toContain('entry_refused images/portrait.jpg')
  })

  test('with an entry that reaches beyond the archive is refused', async () => {
    const zip = patched(`${ROOT}/images/portrait.jpg`, (bytes, record) => {
      bytes.writeUInt32LE(0x0fffffff, record + 20)
      bytes.writeUInt32LE(0x0fffffff, record + 24)
    })
    expect(await problemsOf(zip)).toContain('entry_refused images/portrait.jpg')
  })

  test('with an empty folder in it is refused, though every file is intact', async () => {
    const [problem] = await problemsOf(await repack(files, `${ROOT}/images/more`))
    expect(problem).toMatch(/^container_altered/)
  })

  test('that unfolds to more than it claims is stopped at what it claims', () => {
    const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024)) // 64 MB of zeros in 64 kB
    const zip = Buffer.from(writeContainer([{ path: 'a/b', bytes: bomb }]))
    const record = directoryRecordOf(zip, 'a/b')
    zip.writeUInt16LE(8, record + 10) // deflated, and claims the 64 kB
    const before = process.memoryUsage().arrayBuffers
    const { files: read, problems } = readZip(zip)
    expect(read).toEqual([])
    expect(problems.map(({ code, file }) => [code, file])).toEqual([['entry_refused', 'b']])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  })

  test('that claims more bytes or entries than a proof can have is not unpacked', () => {
    const zip = Buffer.from(writeContainer([{ path: 'a/b', bytes: Buffer.from('x') }]))
    const huge = Buffer.from(zip)
    huge.writeUInt32LE(0xfffffff0, directoryRecordOf(huge, 'a/b') + 24)
    expect(readZip(huge)).toMatchObject({ files: [], problems: [{ code: 'entry_refused', file: 'b' }] })
    const many = Buffer.from(zip)
    many.writeUInt16LE(60_000, many.length - 12)
    expect(readZip(many)).toMatchObject({ files: [], problems: [{ code: 'archive_too_large' }] })
  })

  test('that is no zip, empty, or only an end record is unreadable', async () => {
    expect(await problemsOf(Buffer.alloc(0))).toEqual(['archive_unreadable'])
    expect(await problemsOf(Buffer.from('not a zip at all, but long enough to be looked at'))).toEqual([
      'archive_unreadable',
    ])
    expect(await problemsOf(writeContainer([]))).toEqual(['archive_unreadable'])
  })

  test('whose JSON is nested without end is refused, not followed', async () => {
    const deep = Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const changed = files.map((file) => (file.path.endsWith('/proof.json') ? { ...file, bytes: deep } : file))
    expect(await problemsOf(writeContainer(changed))).toEqual(['field_invalid proof.json'])
    const hidden = Buffer.from(
      JSON.stringify(sealed.proof).replace('{', `{"x":${'['.repeat(9000)}${']'.repeat(9000)},`),
    )
    const smuggled = files.map((file) =>
      file.path.endsWith('/proof.json') ? { ...file, bytes: hidden } : file,
    )
    expect(await problemsOf(writeContainer(smuggled))).toEqual(['json_malformed proof.json'])
  })

  test('names are made printable before they reach a terminal', async () => {
    const { problems } = await verifyProof(withEntry(`${ROOT}/\u001b[2Jx`), { pem })
    expect(JSON.stringify(problems)).not.toContain('\\u001b')
  })
})
