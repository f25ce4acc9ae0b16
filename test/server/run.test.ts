/** The entry under the Node of the machine, which may be older than ours. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const RUN = join(import.meta.dirname, '..', '..', 'server', 'run.mjs')

/** A Node on PATH below N-API 10, as Debian has; null where there is none. */
function oldNode(): string | null {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const path = join(folder, 'node')
    if (!existsSync(path)) continue
    const napi = spawnSync(path, ['-p', 'process.versions.napi'], { encoding: 'utf8' }).stdout.trim()
    if (Number(napi) < 10) return path
  }
  process.stderr.write('skipped: no older Node on PATH\n')
  return null
}
const old = oldNode()

const run = (env: Record<string, string>) =>
  spawnSync(old ?? '', [RUN, 'keys', '--help'], { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } })

describe.skipIf(!old)('started by a Node too old for the database', () => {
  test('the entry starts the pinned Node and passes the command on', () => {
    const { status, stdout } = run({})
    expect({ status, starts: stdout.split('\n')[0] }).toEqual({
      status: 0,
      starts: 'API keys with which applications call /v1. Each key is shown once, when it is created.',
    })
  })

  test('NODE_BINARY overrides it, and a wrong one is named instead of a stack trace', () => {
    const { status, stderr } = run({ NODE_BINARY: '/nonexistent/node' })
    expect(status).toBe(1)
    expect(stderr).toContain('/nonexistent/node could not be started')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('a pinned Node that is too old itself ends with a sentence, not in a loop', () => {
    const { status, stderr } = run({ NODE_BINARY: old ?? '' })
    expect(status).toBe(1)
    expect(stderr).toContain('needs Node 24')
  })
})

test('compiled code is kept in the named folder, and nowhere where it is disabled, as in a package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-code-'))
  const runWith = (env: Record<string, string>) => {
    const options = { env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: folder, ...env } }
    expect(spawnSync(process.execPath, [RUN, 'keys', '--help'], options).status).toBe(0)
    return readdirSync(folder).length
  }
  try {
    expect(runWith({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(0)
    expect(runWith({})).toBeGreaterThan(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('packages that npm left out under an older Node are named with the remedy, not by a stack trace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-packages-'))
  try {
    mkdirSync(join(folder, 'server'))
    cpSync(RUN, join(folder, 'server', 'run.mjs'))
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'server', 'run.mjs'), 'demo'], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain("Install Node 20.19 or later (docs/install.md), then run 'npm ci' again.")
    expect(stderr).not.toMatch(/^\s+at /m)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
