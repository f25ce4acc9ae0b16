import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDeviceName, requireDeviceName } from '../../../../server/connectors/camera/device-name.ts'
import { commandLine } from '../../../../server/connectors/camera/shot.ts'

const PROGRAMS = { fswebcam: '/usr/bin/fswebcam', timeout: '/usr/bin/timeout' }
const SETTINGS = {
  widthPx: 640,
  heightPx: 480,
  skipFrames: 2,
  delaySeconds: 0,
  rotateDeg: 0,
  timeoutMs: 5000,
  maxBytes: 1e6,
} as const

describe('the allow-list of camera names', () => {
  test.each(['/dev/video0', '/dev/video12', 'TEST', 'FILE:/srv/pictures/passport-1.jpg'])(
    'lets %s through',
    (text) => expect(readDeviceName(text)?.text).toBe(text),
  )

  test.each([
    '',
    'test',
    '/dev/video',
    '/dev/video0 ',
    ' /dev/video0',
    '/dev/video0\n',
    '/dev/video01',
    '/dev/video1000',
    '/dev/video0;id',
    '/dev/video0 --exec id',
    '/dev/video0&&id',
    '/dev/video0|id',
    '/dev/video$(id)',
    '/dev/video`id`',
    '/dev/../dev/video0',
    '/dev/sda',
    'V4L2:/dev/video0',
    'FILE:relative.jpg',
    'FILE:/a b.jpg',
    'FILE:/a/../etc/passwd',
    'FILE:/a/.hidden',
    'FILE:/-rf',
    'FILE:/a;id',
    'FILE:/a\nid',
    'FILE:/a$(id).jpg',
    "FILE:/a'b.jpg",
    'FILE:/a*b.jpg',
    'FILE:/',
    `FILE:/${'a'.repeat(300)}`,
  ])('refuses %j', (text) => {
    expect(readDeviceName(text)).toBeNull()
    expect(() => requireDeviceName(text)).toThrow('configuration_invalid')
  })

  test('never says in its refusal what it was given', () => {
    try {
      requireDeviceName('/dev/video0; secret-command')
      expect.unreachable()
    } catch (error) {
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-command')
    }
  })
})

describe('the command line that node-webcam gives to a shell', () => {
  /** Seeds of what shells act upon, in every order, beside what the list expects. */
  const parts = fc.constantFrom(
    ...[
      '/dev/video',
      'FILE:/',
      'TEST',
      '0',
      '7',
      'a.jpg',
      '/',
      '..',
      ' ',
      ';',
      '&',
      '|',
      '$(',
      '`',
      ')',
      '\n',
    ],
    ...[
      '\t',
      '\r',
      '\u00a0',
      '\u2028',
      "'",
      '"',
      '\\',
      '>',
      '<',
      '*',
      '?',
      '[',
      '{',
      '}',
      '!',
      '#',
      '~',
      '=',
      '\0',
    ],
    ...['id', 'touch', '--exec', '-o', '-c', 'é', '\ud800'],
  )

  test('is one command of plain words, whatever a device may be called', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (words) => {
        const name = readDeviceName(words.join(''))
        if (!name) return
        accepted++
        const line = commandLine(PROGRAMS, name, SETTINGS)
        expect(line).toMatch(/^exec \/usr\/bin\/timeout -k 1 5\.0 \/usr\/bin\/fswebcam [A-Za-z0-9 ._:/=-]+$/)
        expect(line.split(/ +/)).toContain(name.text)
      }),
      { numRuns: 20_000, seed: 8 },
    )
    expect(accepted).toBeGreaterThan(20)
  })

  test('is split by a real shell into exactly the words that were meant', () => {
    for (const text of ['/dev/video3', 'TEST', 'FILE:/srv/pictures/passport-1.jpg']) {
      const line = commandLine(PROGRAMS, readDeviceName(text)!, {
        ...SETTINGS,
        rotateDeg: 180,
        delaySeconds: 1,
      })
      const words = execFileSync('/bin/sh', ['-c', line.replace(/^exec /, `printf '%s\\n' `)], {
        encoding: 'utf8',
      })
      expect(words.trim().split('\n')).toEqual([
        ...['/usr/bin/timeout', '-k', '1', '5.0', '/usr/bin/fswebcam', '-q', '-r', '640x480', '--jpeg', '95'],
        ...['-D', '1', '-d', text, '--rotate', '180', '--no-banner', '--skip', '2', '/dev/shm/picture.jpg'],
      ])
    }
  })

  test('takes no setting that is not a whole number, and no program in an unusual folder', () => {
    const device = readDeviceName('TEST')!
    for (const skipFrames of [1.5, -1, Number.NaN, '1; id' as unknown as number])
      expect(() => commandLine(PROGRAMS, device, { ...SETTINGS, skipFrames })).toThrow(TypeError)
    expect(() =>
      commandLine({ ...PROGRAMS, fswebcam: '/opt/my programs/fswebcam' }, device, SETTINGS),
    ).toThrow(TypeError)
    expect(() =>
      commandLine(PROGRAMS, { kind: 'video', text: '/dev/video0;id', number: 0 }, SETTINGS),
    ).toThrow(TypeError)
  })
})
