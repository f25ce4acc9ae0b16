/** The public conformance kit, run as by any user: in its own process, against servers over HTTP. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Summary } from '../../conformance/report.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'conformance', 'main.ts')
const WHOLE_RUN_MS = 600_000

function runKit(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: number; summary: Summary; stderr: string }>((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 16 * 1024 * 1024 }
    const child = execFile(process.execPath, [MAIN, '--json', ...args], options, (_error, stdout, stderr) => {
      try {
        resolve({ code: child.exitCode ?? -1, summary: JSON.parse(stdout) as Summary, stderr })
      } catch {
        reject(new Error(`the kit printed no summary: ${stderr}`))
      }
    })
  })
}

test(
  'this appliance does every operation of the API as the specification and our own decisions say',
  async () => {
    const { code, summary } = await runKit([])
    expect(summary.failures).toEqual([])
    expect(summary.operations.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(summary.checks.specification.all).toBeGreaterThan(300)
    expect(code).toBe(0)
  },
  WHOLE_RUN_MS,
)

test(
  'a server that says yes to everything passes nothing but what needs no content',
  async () => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, summary } = await runKit(['--url', `http://127.0.0.1:${port}`], {
      COUNTERPROOF_BACK_END_KEY: 'a',
      COUNTERPROOF_USER_AGENT_KEY: 'b',
    })
    server.closeAllConnections()
    server.close()
    expect(code).toBe(1)
    // The content of GET /healthcheck depends on the server, and other servers need not have our extensions.
    const passed = summary.operations.filter(
      ({ verdict, differing }) => verdict === 'pass' && differing === 0,
    )
    expect(passed).toEqual([])
  },
  WHOLE_RUN_MS,
)
