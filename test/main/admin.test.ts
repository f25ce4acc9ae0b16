import { scryptSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAdminPrompt } from '../../main/admin-prompt.ts'
import { createAdminGate, parseCredential, readCredential } from '../../main/credential.ts'
import { createChord, isAllowedKey } from '../../main/keys.ts'
import { placeWindows } from '../../main/displays.ts'
import { electron, FakeWindow } from './fake-electron.ts'

vi.mock('electron', async () => (await import('./fake-electron.ts')).electron)

const SALT = Buffer.alloc(16, 3)
const WORDS = 'correct horse of Utopia'
const FILE = JSON.stringify({
  algorithm: 'scrypt',
  cost: 16384,
  blockSize: 8,
  parallelization: 1,
  salt: SALT.toString('base64'),
  hash: scryptSync(WORDS, SALT, 32, { N: 16384, r: 8, p: 1, maxmem: 2 ** 26 }).toString('base64'),
})

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'admin-'))
  file = join(folder, 'admin.json')
  writeFileSync(file, FILE, { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true }))

describe("the file of staff's credential", () => {
  test('is accepted if no other user may write it', () => {
    expect(readCredential(file).credential).not.toBeNull()
    chmodSync(file, 0o644)
    expect(readCredential(file).credential).not.toBeNull()
  })

  test.each([0o666, 0o620, 0o602])('is refused with the rights %o', (mode) => {
    chmodSync(file, mode)
    expect(readCredential(file)).toEqual({ credential: null, reason: 'others may write it' })
  })

  test('is refused when it is missing', () => {
    expect(readCredential(join(folder, 'none')).reason).toBe('there is no such file')
  })

  test.each([
    ['not json', 'no'],
    ['null', 'null'],
    ['another algorithm', FILE.replace('scrypt', 'md5')],
    ['a cost that is none', FILE.replace('16384', '1024')],
    ['a cost that would stop the machine', FILE.replace('16384', '1073741824')],
    ['a short salt', FILE.replace(SALT.toString('base64'), 'AAAA')],
  ])('is refused with %s', (_, text) => expect(parseCredential(text)).toBeNull())
})

describe('the gate to the commands', () => {
  test('opens for the passphrase alone', async () => {
    const gate = createAdminGate(() => readCredential(file).credential)
    expect(await gate.check(WORDS)).toBe('accepted')
    for (const wrong of ['', WORDS.toUpperCase(), `${WORDS} `, 'x'.repeat(100_000)])
      expect(await gate.check(wrong)).toBe('refused')
  })

  test('is closed where nothing is set', async () => {
    expect(await createAdminGate(() => null).check(WORDS)).toBe('none')
  })

  test('locks after five wrong ones, for longer each time, also for the right one', async () => {
    let now = 0
    const gate = createAdminGate(
      () => readCredential(file).credential,
      () => now,
    )
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', WORDS].map((words) => gate.check(words)))
    expect(answers).toEqual(['refused', 'refused', 'refused', 'refused', 'refused', 'locked'])
    now = 59_999
    expect(await gate.check(WORDS)).toBe('locked')
    now = 60_000
    expect(await gate.check('f')).toBe('refused')
    now += 119_999
    expect(await gate.check(WORDS)).toBe('locked')
    now += 1
    expect(await gate.check(WORDS)).toBe('accepted')
    expect(await gate.check('g')).toBe('refused') // counted from nought again
    expect(await gate.check(WORDS)).toBe('accepted')
  })
})

describe("staff's prompt", () => {
  const CHANNEL = 'counterproof-admin'
  const log: [object, string][] = []
  const carried: string[] = []
  const setUp = () => {
    log.length = carried.length = 0
    FakeWindow.opened = []
    const note = (fields: object, message: string) => void log.push([fields, message])
    const prompt = createAdminPrompt({
      preload: '/app/admin-preload.cjs',
      gate: createAdminGate(() => parseCredential(FILE)),
      log: { info: note, warn: note },
      parent: () => null as BrowserWindow | null,
      carryOut: (command) => {
        carried.push(command)
        return command === 'info' ? 'Counterproof 0.1.0' : null
      },
    })
    prompt.open()
    return { prompt, window: FakeWindow.opened[0] }
  }

  test('is a window without scripts, rights, tools or a way out', () => {
    const { prompt, window } = setUp()
    expect(window.options.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      devTools: false,
    })
    const page = decodeURIComponent(window.loaded[0])
    expect(page).toContain("default-src 'none'")
    expect(page).not.toContain('<script')
    expect(window.webContents.mayGo('will-navigate', 'http://127.0.0.1:8717/kiosk/')).toBe(false)
    expect(window.webContents.session.asks('media', 'http://127.0.0.1:8717/', ['video'])).toBe(false)
    prompt.open()
    expect(FakeWindow.opened).toHaveLength(1)
    prompt.close()
  })

  test('carries out a command for the passphrase, writes down who asked for what, and never the words', async () => {
    const { window } = setUp()
    const ask = (command: string, passphrase: unknown = WORDS) =>
      electron.ipcMain.call(CHANNEL, window.webContents, { command, passphrase })
    expect(await ask('info')).toEqual({ outcome: 'accepted', text: 'Counterproof 0.1.0' })
    expect(await ask('exit', 'guess')).toEqual({ outcome: 'refused', text: null })
    expect(carried).toEqual(['info'])
    expect(await ask('exit')).toEqual({ outcome: 'accepted', text: null })
    expect(carried).toEqual(['info', 'exit'])
    expect(window.destroyed).toBe(true)
    expect(log.map(([fields]) => fields)).toEqual([
      {},
      { command: 'info', outcome: 'accepted' },
      { command: 'exit', outcome: 'refused' },
      { command: 'exit', outcome: 'accepted' },
    ])
    expect(JSON.stringify(log)).not.toMatch(/horse|guess/)
  })

  test.each([
    ['a command that there is none of', { command: 'shell', passphrase: WORDS }],
    ['no text', { command: 'exit', passphrase: 7 }],
    ['nothing', null],
  ])('does nothing for %s', async (_, message) => {
    const { prompt, window } = setUp()
    expect(await electron.ipcMain.call(CHANNEL, window.webContents, message)).toEqual({
      outcome: 'refused',
      text: null,
    })
    expect(carried).toEqual([])
    prompt.close()
  })

  test('accepts messages only from its own page', async () => {
    const { prompt, window } = setUp()
    const message = { command: 'exit', passphrase: WORDS }
    const stranger = new FakeWindow({ webPreferences: {} }).webContents
    expect(await electron.ipcMain.call(CHANNEL, stranger, message)).toMatchObject({ outcome: 'refused' })
    expect(await electron.ipcMain.call(CHANNEL, window.webContents, message, {})).toMatchObject({
      outcome: 'refused',
    })
    prompt.close()
    expect(await electron.ipcMain.call(CHANNEL, window.webContents, message)).toMatchObject({
      outcome: 'refused',
    })
    expect(carried).toEqual([])
  })

  test('closes by itself', () => {
    vi.useFakeTimers()
    const { window } = setUp()
    vi.advanceTimersByTime(60_000)
    expect(window.destroyed).toBe(true)
    vi.useRealTimers()
  })
})

describe('the chord that opens it', () => {
  const END = { type: 'keyDown', key: 'End', control: true, alt: true, shift: true, meta: false }
  const hold = (ms: number, step = 33, input: typeof END = END) => {
    let now = 0
    const isChord = createChord(() => now)
    const heard: number[] = []
    for (; now <= ms; now += step) if (isChord(input)) heard.push(now)
    return heard
  }

  test('has to be held for three seconds, and opens it once', () => {
    expect(hold(2970)).toEqual([])
    expect(hold(4000)).toHaveLength(1)
  })

  test('is broken by another key, by letting go, and by a key less', () => {
    let now = 0
    const isChord = createChord(() => now)
    for (; now < 2900; now += 33) expect(isChord(END)).toBe(false)
    expect(isChord({ ...END, type: 'keyUp' })).toBe(false)
    for (; now < 5500; now += 33) expect(isChord(END)).toBe(false)
    expect(hold(10_000, 1001)).toEqual([])
    expect(hold(10_000, 33, { ...END, shift: false })).toEqual([])
    expect(hold(10_000, 33, { ...END, key: 'a' })).toEqual([])
  })
})

describe('the keys of a kiosk', () => {
  const key = (text: string) => {
    const parts = text.split('+')
    return {
      type: 'keyDown',
      key: parts.at(-1)!,
      control: parts.includes('Ctrl'),
      alt: parts.includes('Alt'),
      shift: parts.includes('Shift'),
      meta: parts.includes('Meta'),
    }
  }
  test.each(
    [
      'a',
      'é',
      'ش',
      'Shift+A',
      'Tab',
      'Shift+Tab',
      'Enter',
      ' ',
      'Escape',
      'ArrowLeft',
      'Home',
      'PageDown',
    ].concat([
      'Backspace',
      'Ctrl+a',
      'Ctrl+v',
      'Ctrl+Backspace',
      'Ctrl+Alt+@',
      'F13',
      'F24',
      'AudioVolumeUp',
      'Dead',
      'Process',
    ]),
  )('lets %s reach the page', (text) => expect(isAllowedKey(key(text))).toBe(true))

  test.each(
    [
      'F1',
      'F5',
      'F6',
      'F7',
      'F10',
      'F11',
      'F12',
      'Ctrl+r',
      'Ctrl+Shift+R',
      'Ctrl+Shift+I',
      'Ctrl+Shift+J',
    ].concat(
      [
        'Ctrl+Shift+C',
        'Ctrl+p',
        'Ctrl+s',
        'Ctrl+o',
        'Ctrl+n',
        'Ctrl+t',
        'Ctrl+w',
        'Ctrl+u',
        'Ctrl+f',
        'Ctrl+g',
        'Ctrl+h',
      ],
      [
        'Ctrl+j',
        'Ctrl+l',
        'Ctrl+0',
        'Ctrl+-',
        'Ctrl+=',
        'Ctrl+Tab',
        'Ctrl+F4',
        'Alt+F4',
        'Alt+ArrowLeft',
        'Alt+ArrowRight',
      ],
      [
        'Alt+Home',
        'Alt+d',
        'Meta+d',
        'Meta',
        'Ctrl+Alt+Delete',
        'BrowserBack',
        'BrowserHome',
        'LaunchMail',
        'PrintScreen',
      ],
      ['ContextMenu', 'ZoomIn', 'Ctrl+Alt+Shift+End'],
    ),
  )('keeps %s from it', (text) => expect(isAllowedKey(key(text))).toBe(false))
})

describe('the place of each window', () => {
  const portrait = { bounds: { x: 0, y: 0, width: 1080, height: 1920 } }
  const desk = { bounds: { x: 1080, y: 0, width: 1366, height: 768 } }
  test.each([
    ['one display', [portrait], { kiosk: 0, counter: null }, portrait, null],
    ['two displays, however they are listed', [desk, portrait], { kiosk: 0, counter: 1 }, portrait, desk],
    ['the other way round', [portrait, desk], { kiosk: 1, counter: 0 }, desk, portrait],
    ['a display that is gone', [portrait], { kiosk: 1, counter: 0 }, portrait, null],
    ['both on one: visitors never see the console', [portrait, desk], { kiosk: 1, counter: 1 }, desk, null],
    ['no console asked for', [portrait, desk], { kiosk: 0, counter: null }, portrait, null],
  ] as const)('is right with %s', (_, displays, wish, kiosk, counter) => {
    expect(placeWindows(displays, wish)).toEqual({ kiosk: kiosk.bounds, counter: counter?.bounds ?? null })
  })

  test('is nowhere without a display', () => {
    expect(placeWindows([], { kiosk: 0, counter: 1 })).toEqual({ kiosk: null, counter: null })
  })
})
