import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { verifyProof } from '../../../server/proof/verify.ts'
import { writeContainer } from '../../../server/proof/verify/container.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { LIMITS, readZip } from '../../../server/proof/verify/read-zip.ts'
import { cpuMs } from '../../support/cpu.ts'
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
    const sentenceOf = async (bytes: Uint8Array) =>
      (await verifyProof(bytes, { pem })).problems.find(({ code }) => code === 'entry_refused')?.message
    const rule = 'Everything must lie in one folder <identity id>_<time stamp>, but this archive has:'
    expect(await sentenceOf(withEntry('other/file.txt'))).toBe(`${rule} ${ROOT}, other.`)
    const elsewhere = files.map(({ path, bytes }) => ({ path: path.replace(ROOT, 'other'), bytes }))
    expect(await sentenceOf(writeContainer(elsewhere))).toBe(`${rule} other.`)
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
    const [problem] = await problemsOf(await repack(files, { emptyFolder: `${ROOT}/images/more` }))
    expect(problem).toMatch(/^container_altered/)
  })

  test('with compressed entries is refused, and no byte of them is inflated', async () => {
    const problems = await problemsOf(await repack(files, { compress: true }))
    expect(problems).toContain('entry_refused proof.json')
    const bomb = deflateRawSync(Buffer.alloc(LIMITS.fileBytes)) // 256 MB of zeros in 256 kB
    const zip = Buffer.from(writeContainer([{ path: 'a/b', bytes: bomb }]))
    const record = directoryRecordOf(zip, 'a/b')
    zip.writeUInt16LE(8, record + 10)
    zip.writeUInt32LE(LIMITS.fileBytes, record + 24)
    const before = cpuMs()
    const reading = readZip(zip)
    expect(reading.files).toEqual([])
    expect(reading.problems.map(({ code, file }) => [code, file])).toEqual([['entry_refused', 'b']])
    expect(cpuMs() - before).toBeLessThan(50) // 600 ms where it was inflated
  })

  test('whose entries share their bytes is not hashed once for each of them', async () => {
    const shared = Buffer.alloc(1024 * 1024)
    const zip = Buffer.from(writeContainer([{ path: `${ROOT}/a`, bytes: shared }]))
    const directory = directoryRecordOf(zip, `${ROOT}/a`)
    const record = zip.subarray(directory, -22)
    const names = Array.from({ length: 1500 }, (_, index) => `${ROOT}/f${index}`)
    const records = names.map((name) => {
      const copy = Buffer.concat([record.subarray(0, 46), Buffer.from(name)])
      copy.writeUInt16LE(name.length, 28)
      return copy
    })
    const end = Buffer.from(zip.subarray(-22))
    end.writeUInt16LE(names.length, 10)
    const { files: read, problems } = readZip(Buffer.concat([zip.subarray(0, directory), ...records, end]))
    expect(read).toHaveLength(1)
    expect(problems.map(({ code }) => code)).toEqual(['archive_too_large'])
  })

  test('whose JSON has more elements than a proof can have is refused before it is parsed', async () => {
    const zeros = Buffer.from(`[${'0,'.repeat(4_000_000)}0]`)
    const details = `${ROOT}/verificationAndEvaluationDetails.json`
    const changed = files.map((file) => (file.path === details ? { ...file, bytes: zeros } : file))
    const before = process.memoryUsage().heapUsed
    const problems = await problemsOf(writeContainer(changed))
    expect(problems).toContain('archive_too_large verificationAndEvaluationDetails.json')
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024) // 2 GB where each is a problem
  })

  test('with more problems than a person reads is reported by the first hundred and their number', async () => {
    const details = `${ROOT}/verificationAndEvaluationDetails.json`
    const zeros = Buffer.from(`[${'0,'.repeat(50_000)}0]`)
    const changed = files.map((file) => (file.path === details ? { ...file, bytes: zeros } : file))
    const problems = await problemsOf(writeContainer(changed))
    expect(problems).toHaveLength(101)
    expect(problems.at(-1)).toBe('more_problems')
  })

  test('in a body of millions of empty parts is not looked for in all of them', () => {
    const body = Buffer.concat([Buffer.from('--b'), Buffer.from('\r\n\r\n\r\n--b'.repeat(2_000_000))])
    const before = cpuMs()
    expect(extractArchive(body)).toBeNull()
    expect(cpuMs() - before).toBeLessThan(200) // 3 s where each is looked at
  })

  test('given with key texts that never end is judged in linear time', async () => {
    const keys = '-----BEGIN A-----\n'.repeat(60_000)
    const before = cpuMs()
    for (const source of [{ pem: keys }, { pem, tsaCaPem: keys }, { caPem: keys }]) {
      const { problems } = await verifyProof(sealed.bytes, source)
      expect(problems.map(({ code }) => code)).toContain('key_unusable')
    }
    expect(cpuMs() - before).toBeLessThan(2_000) // a minute where each beginning is searched to the end of the text
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
