/** Writing and reading files where an attacker may have prepared the folder, or changes it meanwhile. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requirePlainFolder } from '../../../server/files/folder.ts'
import { openGivenFile, readGivenFile } from '../../../server/files/read-file.ts'
import {
  IN_OUR_FOLDER,
  removeOldDrafts,
  writeFileStream,
  writeFileWhole,
  writeNewFile,
} from '../../../server/files/write-file.ts'

let root: string
let folder: string
let secret: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'counterproof-files-'))
  folder = join(root, 'stick')
  secret = join(root, 'secret')
  mkdirSync(folder)
  writeFileSync(secret, 'secret')
})
afterEach(() => rmSync(root, { recursive: true }))

const place = (name: string): string => join(folder, name)
/** Pieces of a file; what happens while they are written happens after every check and before the renaming. */
async function* pieces(meanwhile: () => void): AsyncGenerator<Buffer> {
  yield Buffer.from('first ')
  meanwhile()
  yield Buffer.from('second')
}
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('a file that is written', () => {
  test('takes the place of a link that appears meanwhile; what the link names stays', async () => {
    const meanwhile = () => symlinkSync(secret, place('file'))
    expect(await writeFileStream(place('file'), () => pieces(meanwhile))).toBe(12)
    expect(readFileSync(secret, 'utf8')).toBe('secret')
    expect(readFileSync(place('file'), 'utf8')).toBe('first second')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  test('stays in the folder that was opened when a link takes the name of the folder meanwhile', async () => {
    const victim = join(root, 'keys')
    mkdirSync(victim)
    const moved = join(root, 'moved')
    await writeFileStream(place('file'), () =>
      pieces(() => {
        renameSync(folder, moved)
        symlinkSync(victim, folder)
      }),
    )
    expect(readdirSync(victim)).toEqual([])
    expect(readFileSync(join(moved, 'file'), 'utf8')).toBe('first second')
  })

  test('is for its owner alone, whatever the umask, unless a mode is given', () => {
    const umask = process.umask(0)
    try {
      writeFileWhole(place('private'), 'x')
      writeNewFile(place('new'), 'x')
      writeFileWhole(place('public'), 'x', { mode: 0o644 })
    } finally {
      process.umask(umask)
    }
    expect(['private', 'new', 'public'].map((name) => modeOf(place(name)))).toEqual([0o600, 0o600, 0o644])
  })

  test('leaves the older file whole and no draft when the content fails to arrive', async () => {
    writeFileWhole(place('file'), 'older')
    const failing = writeFileStream(place('file'), () =>
      pieces(() => {
        throw new Error('damaged')
      }),
    )
    await expect(failing).rejects.toThrow('damaged')
    expect(readFileSync(place('file'), 'utf8')).toBe('older')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  test.each(['link', 'pipe', 'folder'])('is refused by name where a %s has its name', async (kind) => {
    if (kind === 'link') symlinkSync(join(root, 'nothing'), place('file'))
    else if (kind === 'pipe') execFileSync('mkfifo', [place('file')])
    else mkdirSync(place('file'))
    const refusal = {
      code: 'file_refused',
      details: { folder, reason: expect.stringContaining('file is a ') as string },
    }
    expect(() => writeFileWhole(place('file'), 'x')).toThrow(expect.objectContaining(refusal) as Error)
    expect(() => writeNewFile(place('file'), 'x')).toThrow(expect.objectContaining(refusal) as Error)
    let isAsked = false
    const ask = () => {
      isAsked = true
      return []
    }
    await expect(writeFileStream(place('file'), ask)).rejects.toMatchObject(refusal)
    expect(isAsked).toBe(false)
    expect(readdirSync(folder)).toEqual(['file'])
    expect(existsSync(join(root, 'nothing'))).toBe(false)
  })

  test('never takes the place of another where it must not', () => {
    expect(writeNewFile(place('key'), 'first')).toBe(true)
    expect(writeNewFile(place('key'), 'second')).toBe(false)
    expect(readFileSync(place('key'), 'utf8')).toBe('first')
    expect(readdirSync(folder)).toEqual(['key'])
  })

  test('goes into a folder of ours through the link that an operator made, into another folder not', () => {
    symlinkSync(folder, join(root, 'link'))
    writeFileWhole(join(root, 'link', 'ours'), 'x', IN_OUR_FOLDER)
    expect(readdirSync(folder)).toEqual(['ours'])
    expect(() => writeFileWhole(join(root, 'link', 'theirs'), 'x')).toThrow('file_refused')
  })

  test('names the path that the operator knows when the system refuses it', () => {
    const long = 'n'.repeat(300)
    expect(() => writeFileWhole(place(long), 'x')).toThrow(/ENAMETOOLONG/)
    expect(() => writeFileWhole(join(root, 'missing', 'file'), 'x')).toThrow(join(root, 'missing'))
  })
})

test('drafts that killed writers left are removed after a day, and nothing else', () => {
  const draft = (digit: string) => `.counterproof-${digit.repeat(32)}.part`
  for (const name of [draft('a'), draft('b'), '.counterproof-mine.part', 'old.cpbackup'])
    writeFileSync(place(name), '')
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
  for (const name of [draft('a'), '.counterproof-mine.part', 'old.cpbackup'])
    utimesSync(place(name), twoDaysAgo, twoDaysAgo)
  removeOldDrafts(folder)
  expect(readdirSync(folder).sort()).toEqual([draft('b'), '.counterproof-mine.part', 'old.cpbackup'].sort())
})

describe('a file that is read', () => {
  test.each(['link', 'pipe', 'folder'])(
    'is refused where it is a %s',
    async (kind) => {
      if (kind === 'link') symlinkSync(secret, place('file'))
      else if (kind === 'pipe') execFileSync('mkfifo', [place('file')])
      else mkdirSync(place('file'))
      await expect(readGivenFile(place('file'), { mostBytes: 100 })).rejects.toMatchObject({
        code: 'file_refused',
        details: { file: place('file') },
      })
    },
    10_000,
  )

  test('is refused through a folder that is a link, and where it is larger than allowed', async () => {
    symlinkSync(root, place('deeper'))
    await expect(readGivenFile(join(folder, 'deeper', 'secret'), { mostBytes: 100 })).rejects.toThrow(
      'file_refused',
    )
    await expect(readGivenFile(secret, { mostBytes: 5 })).rejects.toThrow('file_refused')
    expect((await readGivenFile(secret, { mostBytes: 6 })).toString()).toBe('secret')
  })

  test('may be behind a link where the operator keeps it, but is no pipe', async () => {
    symlinkSync(secret, place('ca.pem'))
    const options = { mostBytes: 100, mayBeLink: true }
    expect((await readGivenFile(place('ca.pem'), options)).toString()).toBe('secret')
    execFileSync('mkfifo', [join(root, 'pipe')])
    symlinkSync(join(root, 'pipe'), place('pipe'))
    await expect(readGivenFile(place('pipe'), options)).rejects.toThrow('file_refused')
  }, 10_000)

  test('is no more than it was when it was opened', async () => {
    const { handle, bytes } = await openGivenFile(secret, { mostBytes: 100 })
    await handle.close()
    expect(bytes).toBe(6)
  })
})

test('names that would steer a terminal are shown without the letters that do', async () => {
  symlinkSync(secret, place('\u001b[2J\u202egpj.exe'))
  await expect(requirePlainFolder(folder)).rejects.toMatchObject({
    details: { reason: expect.stringMatching(/^it holds \?\[2J\?gpj\.exe \(a symbolic link\)/) as string },
  })
})
