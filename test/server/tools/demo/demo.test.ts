/** `npm run demo` as a person runs it: a process of its own, a fresh appliance, real time. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DemoRecord } from '../../../../server/tools/demo/proofing.ts'
import { verifyProof } from '../../../../server/proof/verify.ts'
import { runCommand } from '../../../support/command.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const DEMO_MS = 300_000

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterproof-test-'))
})
afterEach(() => rm(folder, { recursive: true }))

test(
  'the demo ends at LOA2: its holder follows the prompts of a live session and matches the passport',
  async () => {
    const argv = ['server/run.mjs', 'demo', '--json', '--keep', folder]
    const { stdout, stderr: said } = await promisify(execFile)(process.execPath, argv, { cwd: ROOT })
    const record = JSON.parse(stdout) as DemoRecord
    expect(record.document).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
    expect(record.portrait).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3', errors: [] })
    expect(record.portrait.positive).toEqual(
      expect.arrayContaining([
        'BIOMETRIC_LIVENESS_CHALLENGE_OK',
        'BIOMETRIC_LIVENESS_OK',
        'BIOMETRIC_MATCHING_CHECK_OK',
      ]),
    )
    expect(record.levelOfAssurance).toBe('LOA2')
    expect(said).toMatch(/^proof verified: \S+ LOA2$/m)
    expect(said).toMatch(/^ +asked: (TURN_LEFT|TURN_RIGHT|LOOK_UP|LOOK_DOWN)$/m)

    const { archive, jwks } = record.proof
    const keys = JSON.parse(readFileSync(jwks ?? '', 'utf8')) as { keys: unknown[] }
    const report = await verifyProof(readFileSync(archive ?? ''), { jwks: keys })
    expect(report).toMatchObject({ valid: true, levelOfAssurance: 'LOA2' })
  },
  DEMO_MS,
)

test.each([
  [['--all', '--document', 'passport.jpg', '--portrait', 'me.jpg'], '--all and --chip take no --document'],
  [['--policy', 'default'], '--policy belongs to --all and --chip'],
  [['--chip', '--policy', 'gpg45'], '--policy is one of default, eidas'],
  [['--keep', import.meta.filename], '--keep needs a folder'],
])('options that do not go together are refused: %s', async (options, sentence) => {
  const { status, err } = await runCommand(['demo', ...options])
  expect([status, err]).toEqual([2, expect.stringContaining(sentence)])
})

test(
  'a demo that is stopped deletes its temporary folder and ends its server',
  async () => {
    const env = { ...process.env, TMPDIR: folder }
    const stopped = spawn(process.execPath, ['server/run.mjs', 'demo'], { cwd: ROOT, env, stdio: 'ignore' })
    const exited = once(stopped, 'exit')
    const demoFolders = (): string[] =>
      readdirSync(folder).filter((name) => name.startsWith('counterproof-demo-'))
    await vi.waitFor(() => expect(demoFolders()).toHaveLength(1), 30_000)
    stopped.kill('SIGTERM')
    expect(await exited).toEqual([143, null])
    expect(demoFolders()).toEqual([])
  },
  DEMO_MS,
)
