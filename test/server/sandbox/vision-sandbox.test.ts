/**
 * The walls around the vision worker: a process inside reaches no key, no data, no network and no other process, and the
 * real worker reads real pictures there.
 */
import { fork, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findSandbox } from '../../../server/sandbox/bubblewrap.ts'
import { isolate } from '../../../server/sandbox/isolation.ts'
import { startVision, type VisionOptions } from '../../../server/vision/client.ts'
import { workerCommand } from '../../../server/vision/isolation.ts'
import { defaultModelsDir } from '../../../server/vision/packs.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startTestApp } from '../../support/app.ts'

const found = await findSandbox(process.execPath)
/** Why the tests inside are skipped, in their name. */
const gap = found.kind === 'none' ? ` (skipped: bubblewrap ${found.gap} ${found.complaint})` : ''
const sandbox = found.kind === 'bubblewrap' ? found.sandbox : null

const PROBE = join(import.meta.dirname, 'probe.mjs')
const OWN_CODE = join(import.meta.dirname, '../../../server/vision')
const SPECIMEN = join(import.meta.dirname, '../../../resources/specimens/alba/passport-photo.jpg')

let dataDir: string
let secretFile: string
let modelsDir: string
let socketPath: string
const servers: Server[] = []
let port: number
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-sandbox-'))
  mkdirSync(join(dataDir, 'keys'))
  secretFile = join(dataDir, 'keys', 'kek.key')
  writeFileSync(secretFile, 'the master key')
  // As the packaged service has it: the models lie in the folder of the data.
  modelsDir = join(dataDir, 'models')
  mkdirSync(modelsDir)
  writeFileSync(join(modelsDir, 'model.onnx'), 'a model')
  socketPath = join(dataDir, 'socket')
  const listening = (to: object) =>
    new Promise<Server>((resolve) => {
      const server = createServer((socket) => socket.destroy()).listen(to, () => resolve(server))
      servers.push(server)
    })
  port = ((await listening({ port: 0, host: '127.0.0.1' })).address() as { port: number }).port
  await listening({ path: socketPath })
})
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(dataDir, { recursive: true })
})

/** Tests what a process can see that is started like the worker, with the same walls and the same environment. */
async function probe(walls: typeof sandbox): Promise<Record<string, unknown>> {
  const question = {
    secretFile,
    dataDir,
    modelsDir,
    port,
    socketPath,
    serverPid: process.pid,
    ownCode: OWN_CODE,
  }
  const code = readFileSync(PROBE, 'utf8')
  const argv = ['--input-type=module', '-e', code, '--', JSON.stringify(question)]
  const { execPath = process.execPath, execArgv = [] } = workerCommand(walls, [], { modelsDir })
  const child = spawn(execPath, [...execArgv, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  walls?.feed(child)
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  await new Promise((resolve) => child.on('close', resolve))
  return JSON.parse(text) as Record<string, unknown>
}

describe(`a process started like the vision worker${gap}`, () => {
  test.skipIf(!sandbox)(
    'opens no key, no data, no port, no socket, no other process and no shell',
    async () => {
      expect(await probe(sandbox)).toMatchObject({
        secret: 'ENOENT',
        dataFolder: 'reached', // for the models that lie in it, and nothing else: below
        loopback: 'EPERM',
        unixSocket: 'EPERM',
        memoryOfServer: 'ENOENT',
        passwords: 'ENOENT',
        writeModel: 'EROFS',
        writeCode: 'EROFS',
        shell: 'ENOENT',
        ownCode: 'reached',
        processes: 1,
        filter: '2',
        noNewPrivileges: '1',
        capabilities: '0000000000000000',
      })
    },
  )

  test.skipIf(!sandbox)('sees of the data folder the models alone', async () => {
    const { execPath, execArgv } = workerCommand(sandbox, [], { modelsDir })
    const list = `process.stdout.write(JSON.stringify(require('fs').readdirSync(${JSON.stringify(dataDir)})))`
    const child = spawn(execPath ?? '', [...(execArgv ?? []), '-e', list], {
      stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
    })
    sandbox?.feed(child)
    const seen = await new Promise((resolve) => child.stdout?.on('data', (chunk) => resolve(String(chunk))))
    expect(JSON.parse(String(seen))).toEqual(['models'])
  })

  test('without walls reaches all of it: the probe would notice', async () => {
    expect(await probe(null)).toMatchObject({
      secret: 'reached',
      dataFolder: 'reached',
      loopback: 'reached',
      unixSocket: 'reached',
      memoryOfServer: 'reached',
      writeModel: 'reached',
      writeCode: 'reached',
      shell: 'reached',
      filter: '0',
    })
  })
})

describe(`the real worker${gap}`, () => {
  const events: (readonly [string, Readonly<Record<string, unknown>>])[] = []
  const options: VisionOptions = {
    log: (event, details) => void events.push([event, details]),
    modelsDir: defaultModelsDir(),
    packs: ['core'],
    sandbox: 'required',
  }
  const pidOf = () =>
    Number(events.findLast(([event]) => event === 'the vision worker is ready')?.[1].workerPid)
  let vision: Vision | null = null
  afterEach(async () => {
    vi.unstubAllEnvs()
    await vision?.close()
    vision = null
  })

  test.skipIf(!sandbox)('reads a specimen inside, in namespaces and a file system of its own', async () => {
    vi.stubEnv('COUNTERPROOF_WORKER_NICER_BY', undefined)
    vision = await startVision(options)
    expect(vision.isolation()).toEqual({ by: 'bubblewrap', gap: null })
    const { mrz } = await vision.measureDocument({ image: readFileSync(SPECIMEN) })
    expect(mrz?.lines).toHaveLength(2)
    const pid = pidOf()
    for (const namespace of ['user', 'pid', 'net', 'ipc', 'mnt'])
      expect(readlinkSync(`/proc/${pid}/ns/${namespace}`)).not.toBe(
        readlinkSync(`/proc/self/ns/${namespace}`),
      )
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\t2$/m)
    // Its lower priority counts against the server's only within one session (sched(7), autogroup).
    const own = numbersOf('self')
    expect(numbersOf(pid)).toEqual({ session: own.session, nice: Math.min(own.nice + 10, 19) })
    const root = `/proc/${pid}/root`
    expect(existsSync(join(root, OWN_CODE, 'worker.ts'))).toBe(true)
    expect(existsSync(join(root, dataDir))).toBe(false)
    expect(readdirSync(root).sort()).not.toContain('root')
  })

  test.skipIf(!sandbox)('outlives the signals that end a service, and ends with its server', async () => {
    const code = `
      import { startVision } from ${JSON.stringify(join(OWN_CODE, 'client.ts'))}
      const log = (event, details) => process.send([event, details])
      await startVision({ log, modelsDir: ${JSON.stringify(defaultModelsDir())}, packs: ['core'], sandbox: 'required' })
      process.on('SIGTERM', () => undefined)
      process.send(['started'])
      setInterval(() => undefined, 1000)`
    const file = join(dataDir, 'server.ts')
    writeFileSync(file, code)
    const server = fork(file)
    const pid = await new Promise<number>((resolve) => {
      let ready = 0
      server.on('message', ([event, details]: [string, { workerPid: number } | undefined]) => {
        if (event === 'the vision worker is ready') ready = details?.workerPid ?? 0
        if (event === 'started') resolve(ready)
      })
    })
    const isAlive = (): boolean => existsSync(`/proc/${pid}/status`) && !isZombie(pid)
    const parent = Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    for (const process_ of [parent, pid]) process.kill(process_, 'SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(isAlive()).toBe(true)
    server.kill('SIGKILL')
    await expect.poll(isAlive).toBe(false)
  })

  test.skipIf(!sandbox)(
    'finds its models made at the first start, in a folder that it cannot write',
    async () => {
      const folder = join(mkdtempSync(join(tmpdir(), 'counterproof-first-')), 'models')
      vision = await startVision({ ...options, modelsDir: folder })
      expect((await vision.health({})).models.length).toBeGreaterThan(3)
      expect(readdirSync(folder).length).toBeGreaterThan(3)
      rmSync(join(folder, '..'), { recursive: true })
    },
  )

  test.skipIf(!sandbox)('is said to be walled in by the health report of the appliance', async () => {
    const app = await startTestApp()
    const { body } = await app.json('GET', '/healthcheck', { key: null })
    await app.close()
    expect((body as { components: Record<string, unknown> }).components.sandbox).toMatchObject({
      status: 'UP',
      detail: expect.stringContaining('bubblewrap') as string,
    })
  })
})

describe('where the machine offers no sandbox', () => {
  const silent = () => undefined
  afterEach(() => {
    vi.unstubAllEnvs()
  })
  /** A bwrap that is refused by the system, as in many containers. */
  const refusing = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-bwrap-'))
    writeFileSync(
      join(folder, 'bwrap'),
      '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    )
    chmodSync(join(folder, 'bwrap'), 0o755)
    return folder
  }

  test('because none is installed, there is none, and the log says so', async () => {
    vi.stubEnv('PATH', '/nowhere')
    const told: unknown[] = []
    expect(await isolate('auto', 'vision.sandbox', (details) => told.push(details))).toEqual({
      sandbox: null,
      gap: 'NOT_INSTALLED',
    })
    expect(told).toEqual([{ gap: 'NOT_INSTALLED', complaint: '' }])
  })

  test('because the system refuses it, the reason is in the log', async () => {
    vi.stubEnv('PATH', refusing())
    const told: unknown[] = []
    const { gap } = await isolate('auto', 'vision.sandbox', (details) => told.push(details))
    expect(gap).toBe('REFUSED')
    expect(told).toEqual([{ gap, complaint: 'bwrap: No permissions to create new namespace' }])
  })

  test.each([
    ['NOT_INSTALLED', () => '/nowhere'],
    ['REFUSED', refusing],
  ])('a start that requires one is refused, with what to do (%s)', async (reason, path) => {
    vi.stubEnv('PATH', path())
    const start = startVision({
      log: silent,
      modelsDir: defaultModelsDir(),
      packs: ['core'],
      sandbox: 'required',
    })
    await expect(start).rejects.toMatchObject({
      code: 'configuration_invalid',
      problems: [{ field: 'vision.sandbox', message: expect.stringContaining(reason) as string }],
    })
  })

  test('because it is switched off, nothing is tried', async () => {
    expect(await isolate('off', 'vision.sandbox', silent)).toEqual({ sandbox: null, gap: 'OFF' })
  })
})

/** proc(5), /proc/PID/stat, after the name in brackets: session is the 6th field of all, niceness the 19th. */
function numbersOf(pid: number | 'self') {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return { session: fields[3], nice: Number(fields[16]) }
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}
