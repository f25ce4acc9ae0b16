import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { run } from '../../../../server/tools/specimen/specimen.ts'
import { SPECIMENS_FOLDER } from '../../../../server/tools/specimen/build-specimens.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'specimen-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

async function call(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0)
  const code = await run(argv)
  vi.restoreAllMocks()
  return { code, out: out.join(''), err: err.join('') }
}

describe('npm run specimen', () => {
  test('makes the same three files from the same face and seed', async () => {
    const face = join(SPECIMENS_FOLDER, 'amber', 'live.jpg')
    const [first, second] = [join(folder, 'a'), join(folder, 'b')]
    const result = await call('--face', face, '--out', first, '--seed', '5', '--json')
    expect(result.code).toBe(0)
    expect(JSON.parse(result.out)).toMatchObject({ seed: 5, face: 'found' })
    await call('--face', face, '--out', second, '--seed', '5')
    const files = ['passport-page.png', 'passport-photo.jpg', 'truth.json']
    expect((await readdir(first)).sort()).toEqual(files)
    for (const file of files)
      expect((await readFile(join(first, file))).equals(await readFile(join(second, file))), file).toBe(true)
  })

  test('never prints the name or the number of the holder it invented', async () => {
    const out = join(folder, 'c')
    const result = await call('--face', join(SPECIMENS_FOLDER, 'nothing.jpg'), '--out', out, '--json')
    expect(result.code).toBe(0)
    expect(JSON.parse(result.out)).toMatchObject({ face: 'not_found' })
    const truth = JSON.parse(await readFile(join(out, 'truth.json'), 'utf8')) as {
      fields: Record<string, string>
    }
    for (const value of [truth.fields.surname, truth.fields.documentNumber])
      expect(result.out + result.err).not.toContain(value)
  })

  test('says in a sentence what is wrong with a picture, and writes nothing', async () => {
    const text = join(folder, 'text.jpg')
    await writeFile(text, 'no picture at all')
    const out = join(folder, 'd')
    for (const face of [text, join(folder, 'absent.jpg')]) {
      const { code, err } = await call('--face', face, '--out', out)
      expect(code).toBe(1)
      expect(err.split('\n')[0]).toMatch(/is no image|cannot be read/)
    }
    expect(await readdir(folder)).not.toContain('d')
  })

  test('answers --help, and refuses a call it does not understand', async () => {
    expect(await call('--help')).toMatchObject({ code: 0 })
    expect((await call('--face', 'x.jpg')).code).toBe(2)
    expect((await call('--face', 'x.jpg', '--out', folder, '--seed', '1a')).code).toBe(2)
    expect((await call('tails')).code).toBe(2)
  })
})
