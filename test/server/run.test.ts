/** The entry under the Node of the machine, which may be older than ours. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
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
