import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, parseScreenSize, readScreenSize } from '../../../server/launch/chromium.ts'
import { findElectron } from '../../../server/launch/electron.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'launch-'))
  await mkdir(join(folder, 'bin'))
  await mkdir(join(folder, 'electron', 'dist'), { recursive: true })
  await writeFile(join(folder, 'bin', 'chromium-browser'), '')
  await chmod(join(folder, 'bin', 'chromium-browser'), 0o755)
  await writeFile(join(folder, 'bin', 'chromium'), '') // there, but not executable
  await writeFile(join(folder, 'electron', 'dist', 'electron'), '')
})
afterAll(() => rm(folder, { recursive: true }))

describe('the search for a browser', () => {
  test('takes the first executable Chromium on PATH', () => {
    expect(findChromium({ PATH: `/nowhere:${folder}/bin` })).toBe(join(folder, 'bin', 'chromium-browser'))
    expect(findChromium({ PATH: '/nowhere' })).toBeNull()
    expect(findChromium({})).toBeNull()
  })

  test('finds Electron by its path alone, and believes no package without a binary', () => {
    expect(findElectron({}, join(folder, 'electron'))).toBe(join(folder, 'electron', 'dist', 'electron'))
    expect(findElectron({}, join(folder, 'bin'))).toBeNull()
    expect(findElectron({}, null)).toBeNull()
    const env = { ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'electron', 'dist') }
    expect(findElectron(env, null)).toBe(join(folder, 'electron', 'dist', 'electron'))
  })

  test('reads the size of a bare X screen, and takes Full HD where it cannot be asked', () => {
    expect(parseScreenSize('screen #0:\n  dimensions:    1024x600 pixels (271x158 millimeters)\n')).toEqual({
      width: 1024,
      height: 600,
    })
    expect(readScreenSize({ PATH: '/nowhere', DISPLAY: ':77' })).toEqual({ width: 1920, height: 1080 })
    expect(readScreenSize({ WAYLAND_DISPLAY: 'wayland-0' })).toEqual({ width: 1920, height: 1080 })
  })
})
