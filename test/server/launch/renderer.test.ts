import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'

let root: string
const screens = () => join(root, 'out', 'renderer')
const page = () => join(screens(), 'kiosk')
const build = vi.fn(async (outDir: string) => {
  await mkdir(join(outDir, 'kiosk'), { recursive: true })
  await writeFile(join(outDir, 'kiosk', 'index.html'), `build ${build.mock.calls.length}`)
})
const ensure = (progress?: (line: string) => void) => ensureRendererBuilt({ root, build, progress })

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'screens-'))
  await mkdir(join(root, 'renderer', 'kiosk'), { recursive: true })
  await writeFile(join(root, 'renderer', 'kiosk', 'index.html'), '<!doctype html>')
  build.mockClear()
})
afterEach(() => rm(root, { recursive: true }))

describe('the built screens', () => {
  test('are built on the first start, with a line that says so, and not again', async () => {
    const lines: string[] = []
    expect(await ensure((line) => lines.push(line))).toBe(screens())
    expect(await ensure((line) => lines.push(line))).toBe(screens())
    expect(build).toHaveBeenCalledTimes(1)
    expect(lines).toHaveLength(2)
  })

  test('are built again when a source changes, is added or is renamed', async () => {
    await ensure()
    await writeFile(join(root, 'renderer', 'kiosk', 'index.html'), '<!doctype html><p>')
    await ensure()
    await writeFile(join(root, 'renderer', 'kiosk', 'main.ts'), '')
    await ensure()
    await rm(join(root, 'renderer', 'kiosk', 'main.ts'))
    await writeFile(join(root, 'renderer', 'kiosk', 'app.ts'), '')
    await ensure()
    expect(build).toHaveBeenCalledTimes(4)
    expect(await readFile(join(page(), 'index.html'), 'utf8')).toBe('build 4')
  })

  test('stay as they were when a build fails, and nothing half built is left', async () => {
    await ensure()
    await writeFile(join(root, 'renderer', 'kiosk', 'index.html'), 'broken')
    build.mockImplementationOnce(async (outDir) => {
      await mkdir(join(outDir, 'kiosk'), { recursive: true })
      throw new Error('syntax')
    })
    await expect(ensure()).rejects.toMatchObject({ code: 'internal' })
    expect(await readFile(join(page(), 'index.html'), 'utf8')).toBe('build 1')
    expect(await readdir(join(root, 'out'))).toEqual(['renderer'])
  })

  test('are taken as they are in an installation without sources, and missed where there are neither', async () => {
    await ensure()
    await rm(join(root, 'renderer'), { recursive: true })
    expect(await ensure()).toBe(screens())
    await rm(join(root, 'out'), { recursive: true })
    await expect(ensure()).rejects.toMatchObject({ code: 'internal' })
  })

  test(
    'made by vite load nothing but the files built with them, and no inline script',
    { timeout: 120_000 },
    async () => {
      const out = join(root, 'made')
      const { build: vite } = await import('vite')
      const { default: config } = await import('../../../electron.vite.config.ts')
      const { renderer } = config
      await vite({
        ...renderer,
        configFile: false,
        logLevel: 'silent',
        build: { ...renderer.build, outDir: out },
      })
      const html = await readFile(join(out, 'kiosk', 'index.html'), 'utf8')
      // The colours of the organisation come from the server, whatever was built.
      const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
        .filter(([, path]) => !path.endsWith('brand/brand.css'))
        .map(([, path]) => join(out, 'kiosk', path))
      expect(loaded.length).toBeGreaterThan(1)
      expect(loaded.filter((path) => !path.startsWith(join(out, 'assets')) || !existsSync(path))).toEqual([])
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/)
      for (const name of await readdir(join(out, 'assets'))) {
        if (name.endsWith('.css'))
          expect(await readFile(join(out, 'assets', name), 'utf8')).not.toContain('data:')
      }
    },
  )
})
