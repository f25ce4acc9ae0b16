import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MAX_RECORDING_BYTES } from '../../../server/chip/replay/recording.ts'
import { main } from '../../../server/cli.ts'
import { collectOutput } from '../../support/output.ts'
import { findChipVectors } from '../../support/shared-data.ts'

const RUN = join(import.meta.dirname, '../../../server/run.mjs')

let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-chip-'))
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

function writeRecording(json: unknown): string {
  const file = join(folder, 'session.json')
  writeFileSync(file, JSON.stringify(json))
  return file
}

/** A step of secure messaging whose command is that of another key. */
const FOREIGN = {
  sm: { alg: 'TDES', ksEnc: '11'.repeat(16), ksMac: '22'.repeat(16) },
  ssc: '00'.repeat(8),
  steps: [
    {
      plainCommand: '00B0000004',
      c: '0CB000000D9701048E08ED6705417E96BA5500',
      r: '990290008E08FA855A5D4C50A8ED9000',
      plainData: '',
      sw: '9000',
    },
  ],
}

describe('chip read', () => {
  test('asks no chip if the folder for its files is not empty: two documents would stand side by side', async () => {
    const mrz = join(folder, 'mrz.txt')
    writeFileSync(
      mrz,
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10\n',
    )
    expect(await main(['chip', 'read', '--mrz-file', mrz, '--out', folder, '--data', folder])).toBe(2)
    expect(output.text).toContain(
      `${folder}: it is not empty: it holds mrz.txt. Name an empty or new folder.`,
    )
  })
})

describe('chip replay', () => {
  test('prints a report and ends with 1 if the session is not reproduced', async () => {
    expect(await main(['chip', 'replay', writeRecording(FOREIGN), '--json'])).toBe(1)
    expect(JSON.parse(output.text)).toEqual({
      kind: 'secure_messaging',
      verdict: 'failed',
      reason: 'reply_forged',
      statusWord: null,
      checks: [],
      commands: { recorded: 1, exact: 0, equivalent: 0, different: 1, left: 0 },
    })
    expect(output.text).not.toContain('1111')
  })

  test.skipIf(findChipVectors() === null)('prints words and ends with 0 if it is', async () => {
    expect(await main(['chip', 'replay', join(findChipVectors() ?? '', 'pace-cam-ecdh.json')])).toBe(0)
    expect(output.text).toBe(
      [
        'pace: successful',
        '  passed  session keys',
        '  passed  chip authentication data',
        '  passed  counter',
        '  passed  commands',
        '  commands: 5 recorded, 5 the same, 0 equivalent, 0 different, 0 not played',
        '',
      ].join('\n'),
    )
  })

  test.each([
    ['no action', []],
    ['an unknown action', ['listen']],
    ['no file', ['replay']],
    ['two files', ['replay', 'a', 'b']],
    ['a file that is missing', ['replay', '/nonexistent/session.json']],
  ])('ends with 2 for %s', async (_, words) => {
    expect(await main(['chip', ...words])).toBe(2)
  })

  test('ends with 2 for a file that is no recording, and repeats nothing of it', async () => {
    expect(await main(['chip', 'replay', writeRecording({ secret: 'SECRET' })])).toBe(2)
    expect(output.text).toContain('no recording of a known protocol')
    expect(output.text).not.toContain('SECRET')
  })

  test('reads a recording from standard input, and no more of it than a file may have', () => {
    const replay = (input: string) =>
      spawnSync(process.execPath, [RUN, 'chip', 'replay', '-'], { input, encoding: 'utf8' })
    expect(replay(JSON.stringify(FOREIGN))).toMatchObject({ status: 1, stderr: '' })
    const { status, stderr } = replay(' '.repeat(MAX_RECORDING_BYTES) + JSON.stringify(FOREIGN))
    expect([status, stderr]).toEqual([2, expect.stringContaining('Standard input is not read')])
  })
})
