/** GET identity of the appliance, and the same bytes from bare Express over better-sqlite3, at one rate on the same machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { RelyingService } from '../../../demo/client.ts'
import { withTemporaryServer } from '../../../demo/server-process.ts'
import { verifyDocument } from '../../api-verifier.ts'
import { callSteadily } from '../../steady-calls.ts'
import { readCpuMs } from '../../worker-process.ts'
import { putBesideFloor, type Figure } from '../figure.ts'

const PER_SECOND = 300
const SECONDS = 8

export function compareReads(): Promise<Figure[]> {
  return withTemporaryServer('bench', async ({ url, pid }, keys) => {
    const service = new RelyingService(url, keys)
    const { id } = await service.createIdentity([])
    await service.consent(id, ['ID_DOCUMENT'])
    await verifyDocument(service, id)
    const read = { apikey: keys.relyingServiceKey, paths: [`/v1/identities/${id}`] }
    const ours = await measureReads({ url, pid, ...read })
    const body = JSON.stringify(await service.json('GET', `/v1/identities/${id}`))
    const bare = await withBareServer(id, body, (server) => measureReads({ ...server, ...read }))
    return [
      putBesideFloor('GET identity, p50', ours.p50, bare.p50, 'ms'),
      putBesideFloor('GET identity, p99, nothing verified', ours.p99, bare.p99, 'ms'),
      putBesideFloor('GET identity, processor time', ours.processorMs, bare.processorMs, 'ms'),
    ]
  })
}

interface Read {
  readonly url: string
  readonly pid: number
  readonly apikey: string
  readonly paths: readonly string[]
}

async function measureReads({ pid, ...read }: Read) {
  let before: number | null = null
  const begins = () => {
    before = readCpuMs(pid)
  }
  const { p50, p99, calls } = await callSteadily({ ...read, perSecond: PER_SECOND, seconds: SECONDS, begins })
  const after = readCpuMs(pid)
  return { p50, p99, processorMs: before === null || after === null ? null : (after - before) / calls }
}

async function withBareServer<Result>(
  id: string,
  body: string,
  use: (server: { readonly url: string; readonly pid: number }) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-bare-'))
  const path = join(folder, 'bare.sqlite')
  const db = new Database(path)
  db.exec('CREATE TABLE identities (id TEXT PRIMARY KEY, body TEXT NOT NULL)')
  db.prepare('INSERT INTO identities VALUES (?, ?)').run(id, body)
  db.close()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [address] = (await once(child.stdout, 'data')) as [Buffer]
    return await use({ url: address.toString('utf8').trim(), pid: child.pid ?? 0 })
  } finally {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}
