import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../../server/commands/cameras.ts'
import type * as Devices from '../../../server/connectors/camera/devices.ts'
import { fakeSystem, type FakeSystem } from '../../support/sysfs.ts'

const seen = vi.hoisted(() => ({ system: null as FakeSystem | null }))
vi.mock('../../../server/connectors/camera/devices.ts', async (original) => {
  const devices = await original<typeof Devices>()
  return { ...devices, listCameras: () => devices.listCameras(seen.system!.roots) }
})

const DESK = { vendor: '046d', product: '085e', serial: 'AB12', nodes: [0, 1] }
let data: string
let written: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'cameras-'))
  written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  seen.system?.remove()
  rmSync(data, { recursive: true })
})

const cameras = (...args: string[]) => run([...args, '--data', data])

describe('npm run cameras', () => {
  test('lists what is plugged in, and says which one is pinned', async () => {
    seen.system = fakeSystem(DESK)
    writeFileSync(
      join(data, 'config.json'),
      JSON.stringify({ cameras: { document: { pin: { vendor: '046d', product: '085e' } } } }),
    )
    expect(await cameras('list')).toBe(0)
    expect(written).toContain('046d:085e AB12')
    expect(written).toContain('pinned as document camera')
    expect(written).toContain('/dev/video1')
  })

  test('ends with 1 where there is none', async () => {
    seen.system = fakeSystem()
    expect(await cameras('list', '--json')).toBe(1)
    expect(JSON.parse(written)).toEqual({ cameras: [] })
  })

  test('prints a configuration that can be pasted as it is', async () => {
    seen.system = fakeSystem(DESK)
    expect(await cameras('pin', '--device', '/dev/video0', '--for', 'face', '--json')).toBe(0)
    const config = JSON.parse(written) as unknown
    expect(config).toEqual({
      cameras: { face: { pin: { vendor: '046d', product: '085e', serial: 'AB12' } } },
    })
    writeFileSync(join(data, 'config.json'), JSON.stringify(config))
    expect(await cameras('list')).toBe(0)
    expect(written).toContain('pinned as face camera')
  })

  test('says so when a camera tells no serial number', async () => {
    seen.system = fakeSystem({ vendor: '32e4', product: '9230', nodes: [0] })
    expect(await cameras('pin', '--device', '/dev/video0')).toBe(0)
    expect(written).toContain('no serial number')
  })

  test.each([
    ['pin', '--device', '/dev/video0;id'],
    ['pin'],
    ['pin', '--device', 'TEST'],
    ['pin', '--device', '/dev/video0', '--for', 'lamp'],
    ['test', '--device', 'FILE:relative'],
    ['nothing'],
    ['list', 'more'],
  ])('refuses %s %s %s %s', async (...args) => {
    seen.system = fakeSystem(DESK)
    await expect(cameras(...args.filter((arg) => arg !== undefined))).rejects.toThrow()
  })

  test('--help says what each action does', async () => {
    seen.system = fakeSystem()
    expect(await run(['--help'])).toBe(0)
    for (const word of ['list', 'test', 'pin', '--device', 'Exit status']) expect(written).toContain(word)
  })
})
