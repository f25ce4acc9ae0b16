/** POST /verify, which strangers may call, under bodies that are made to stop the service. */
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  createVerifier,
  type Verifier,
  type VerifierOptions,
} from '../../../server/central/verification/verifier.ts'
import { findSandbox } from '../../../server/sandbox/bubblewrap.ts'
import { startDistantCaller, type DistantBody } from '../../../server/tools/bench/fuzz/distant-caller.ts'
import { measureMaxBlockMs } from '../../../server/tools/bench/fuzz/event-loop.ts'
import { aSealedProof, pem } from '../../server/proof/fixture.ts'
import { addKey, addTenant, startOffice, type TestOffice } from './support.ts'

/** A tenth of what these bodies took once; `npm run bench:fuzz` holds every body to 50 ms on a machine with nothing else to do. */
const MAX_BLOCK_MS = 1000
const archive = (await aSealedProof()).bytes

/** A zip of 1 MB with one entry that inflates to 1 GB. */
function bomb(): Buffer {
  const size = 1024 * 1024 * 1024
  const packed = deflateRawSync(Buffer.alloc(size))
  const name = Buffer.from('01990000-0000-7000-8000-000000000001_20261120100312345/proof.json')
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(8, 4) // deflated
  common.writeUInt32LE(crc32(Buffer.alloc(0)), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(200 * 1024 * 1024, 18) // claims what a verifier takes
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
  const record = Buffer.concat([
    Buffer.from('PK\x01\x02'),
    Buffer.from([20, 3]),
    common,
    Buffer.alloc(14),
    name,
  ])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(record.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, record, end])
}

const FORM = { 'content-type': 'multipart/form-data; boundary=x' }
const ZIP = { 'content-type': 'application/zip' }

describe('a stranger', () => {
  let office: TestOffice
  beforeAll(async () => {
    office = await startOffice({ options: { openCallsPerMinute: 1_000 } })
    await addTenant(office, 'a')
    expect(await verify()).toMatchObject({ status: 200, valid: true }) // modules are loaded
  })
  afterAll(() => office.stop())

  const verify = async (headers: Readonly<Record<string, string>> = {}) => {
    const body = new FormData()
    body.append('archive', new Blob([new Uint8Array(archive)]))
    body.append('keys', pem)
    const answer = await fetch(`${office.url}/verify`, { method: 'POST', body, headers })
    const { valid = null } = (await answer.json()) as { valid?: boolean }
    return { status: answer.status, valid }
  }

  test('with a zip of 1 MB that inflates to 1 GB gets a refusal at once, and others keep being served', async () => {
    const body = bomb()
    const block = await measureMaxBlockMs(async () => {
      const [hostile, honest] = await Promise.all([
        postFromAfar(`${office.url}/verify`, ZIP, { head: body }),
        verify(),
      ])
      expect(hostile.status).toBe(200)
      expect(JSON.parse(hostile.body)).toMatchObject({ valid: false })
      expect(hostile.body).toContain('entry_refused')
      expect(honest).toEqual({ status: 200, valid: true })
    })
    expect(block).toBeLessThan(MAX_BLOCK_MS)
  })

  test('with a form of 1.3 million empty parts is refused by their number, not after parsing them', async () => {
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    const block = await measureMaxBlockMs(async () => {
      const attack = { head: '', piece: part, times: 1_300_000, tail: '--x--\r\n' }
      const [hostile, honest] = await Promise.all([
        postFromAfar(`${office.url}/verify`, FORM, attack),
        verify(),
      ])
      expect(hostile.status).toBe(413)
      expect(hostile.body).toContain('upload_too_large')
      expect(honest).toEqual({ status: 200, valid: true })
    })
    expect(block).toBeLessThan(MAX_BLOCK_MS)
  })

  test('with key texts or JSON that take long to parse does not delay other callers', async () => {
    const keys = '-----BEGIN A-----\n'.repeat(50_000)
    const nested = `{"keys":[${'[],'.repeat(300_000)}0]}`
    for (const text of [keys, nested]) {
      const head = Buffer.concat([
        Buffer.from('--x\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\n'),
        archive,
        Buffer.from(`\r\n--x\r\nContent-Disposition: form-data; name="keys"\r\n\r\n${text}\r\n--x--\r\n`),
      ])
      const block = await measureMaxBlockMs(async () => {
        const hostile = await postFromAfar(`${office.url}/verify`, FORM, { head })
        expect(hostile.status).toBe(200)
        expect(hostile.body).toContain('key_unusable')
      })
      expect(block).toBeLessThan(MAX_BLOCK_MS)
    }
  })

  test('on two slow connections keeps no third one out: a place is taken by an archive that is there', async () => {
    const slow = [0, 1].map(() => {
      const call = request(`${office.url}/verify`, { method: 'POST', headers: ZIP })
      call.on('error', () => undefined)
      call.write('P')
      return call
    })
    try {
      for (let round = 0; round < 5; round++) {
        expect(await verify()).toEqual({ status: 200, valid: true })
        for (const call of slow) call.write('K')
      }
    } finally {
      for (const call of slow) call.destroy()
    }
  })

  test('who fills the memory for arriving archives gives way to a consumer and to other callers', async () => {
    const small = await startOffice({
      config: { trustedProxies: ['127.0.0.1'] },
      options: { verifyMaxBytes: 1_000_000, verifyArrivingBytes: 2_000_000 },
    })
    await addTenant(small, 'a')
    const statuses: number[] = []
    const from = (address: string) => ({ ...ZIP, 'x-forwarded-for': address })
    const flood = ['198.51.100.1', '198.51.100.1', '198.51.100.2', '198.51.100.2'].map((address) => {
      const call = request(`${small.url}/verify`, { method: 'POST', headers: from(address) }, (res) => {
        statuses.push(res.resume().statusCode ?? 0)
      })
      call.on('error', () => undefined)
      call.write(Buffer.alloc(499_000))
      return call
    })
    try {
      const honest = async (headers: Readonly<Record<string, string>>) =>
        (await fetch(`${small.url}/verify`, { method: 'POST', body: new Uint8Array(archive), headers }))
          .status
      await expect.poll(() => honest(from('203.0.113.9')), { timeout: 20_000 }).toBe(200)
      expect(await honest({ authorization: `Bearer ${await addKey(small, 'a')}` })).toBe(200)
      for (let more = 0; more < 10; more++) expect(await honest(from('203.0.113.9'))).toBe(200)
      expect(statuses.every((status) => status === 429)).toBe(true)
    } finally {
      for (const call of flood) call.destroy()
      await small.stop()
    }
  })

  test('whose archive costs its processes their lives is told so, and the service continues', async () => {
    const keys = `{"keys":[${'{"a":1},'.repeat(120_000)}0]}`
    const body = new FormData()
    body.append('archive', new Blob([new Uint8Array(archive)]))
    body.append('keys', keys)
    const answer = fetch(`${office.url}/verify`, { method: 'POST', body })
    const first = await abortVerification()
    await abortVerification(first)
    expect((await answer).status).toBe(422)
    expect(await (await answer).json()).toMatchObject({
      type: 'urn:counterproof:problem:verification_stopped',
      detail: expect.stringContaining('ended') as string,
    })
    expect(await verify()).toEqual({ status: 200, valid: true })
  })

  test('whose archive takes more time than it may is told so', async () => {
    const hasty = await startOffice({ options: { verifyTimeoutMs: 100 } })
    try {
      // A process takes longer than that to start.
      const answer = await fetch(`${hasty.url}/verify`, { method: 'POST', body: new Uint8Array(archive) })
      expect(answer.status).toBe(422)
      expect(await answer.json()).toMatchObject({ type: 'urn:counterproof:problem:verification_stopped' })
    } finally {
      await hasty.stop()
    }
  })
})

const found = await findSandbox(process.execPath)
const walls = found.kind === 'bubblewrap' ? found.sandbox : null

describe.each([
  ['behind walls', walls],
  ['without walls', null],
])('a verification %s', (name, sandbox) => {
  const isSkipped = name === 'behind walls' && walls === null
  const task = () => ({ file: [new Uint8Array(archive)], keyText: pem })
  /** Some seconds of work. */
  const long = () => ({ ...task(), keyText: `{"keys":[${'{"a":1},'.repeat(2_000_000)}0]}` })
  let verifier: Verifier
  const warnings: unknown[] = []
  const log = { warn: (fields: unknown) => void warnings.push(fields) }
  const open = (more: Partial<VerifierOptions> = {}) =>
    (verifier = createVerifier({ heapMb: 2_000, archivesEach: 100, sandbox, log, ...more }))
  afterEach(async () => {
    warnings.length = 0
    await verifier.close()
    expect(verifyProcesses()).toEqual([])
  })

  test.skipIf(isSkipped)('is ended when its time is over, and the next one is done', async () => {
    open()
    await expect(verifier.verify(task(), 1)).rejects.toMatchObject({
      code: 'verification_stopped',
      details: { limit: 'time' },
    })
    expect(await verifier.verify(task(), 60_000)).toMatchObject({ valid: true })
  })

  test.skipIf(isSkipped)(
    'is ended when it takes more memory than a process has; the service continues',
    async () => {
      open({ heapMb: 40 })
      await expect(verifier.verify(long(), 60_000)).rejects.toMatchObject({
        code: 'verification_stopped',
        details: { limit: 'memory' },
      })
      expect(await verifier.verify(task(), 60_000)).toMatchObject({ valid: true })
    },
  )

  test.skipIf(isSkipped)('whose process is aborted is done by another one', async () => {
    open()
    const done = verifier.verify(long(), 60_000)
    await abortVerification()
    expect(await done).toMatchObject({ valid: false })
    expect(warnings).toMatchObject([{ limit: 'crash', signal: 'SIGABRT', attempt: 1 }])
  })

  test.skipIf(isSkipped)('whose processes are aborted twice is given up; the service continues', async () => {
    open()
    const done = expect(verifier.verify(long(), 60_000)).rejects.toMatchObject({
      code: 'verification_stopped',
      details: { limit: 'crash' },
    })
    const first = await abortVerification()
    await abortVerification(first)
    await done
    expect(await verifier.verify(task(), 60_000)).toMatchObject({ valid: true })
  })

  test.skipIf(isSkipped)('whose process was aborted while it waited is done by another one', async () => {
    open()
    await verifier.verify(task(), 60_000)
    await abortVerification()
    expect(await verifier.verify(task(), 60_000)).toMatchObject({ valid: true })
  })

  test.skipIf(isSkipped)('takes the process of the one before it until that has had its number', async () => {
    open({ archivesEach: 2 })
    const seen: (readonly number[])[] = []
    for (let round = 0; round < 3; round++) {
      await verifier.verify(task(), 60_000)
      seen.push(verifyProcesses())
    }
    expect(seen[0]).toHaveLength(1)
    expect(seen[2]).toHaveLength(1)
    expect(seen[2]).not.toEqual(seen[0])
  })

  test.skipIf(isSkipped)('is told nothing of the environment', async () => {
    process.env.CANARY = 'a secret of the service'
    try {
      open()
      await verifier.verify(task(), 60_000)
      const [pid] = verifyProcesses()
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('CANARY')
    } finally {
      delete process.env.CANARY
    }
  })
})

/** The processes that this one has started to verify; behind walls, those of bubblewrap. */
function verifyProcesses(): readonly number[] {
  return childrenOf('self').filter((pid) => commandOf(pid).includes('verify-process.ts'))
}

/** Whether the program itself runs there: before, bubblewrap would leave it behind. */
function isBegun(pid: number): boolean {
  return commandOf(childrenOf(pid)[0] ?? pid).startsWith(process.execPath)
}

function childrenOf(pid: number | 'self'): readonly number[] {
  const read = (thread: string) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim()
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    read(thread).split(' ').filter(Boolean).map(Number),
  )
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Aborts the process that verifies now, as V8 does when a limit of its own is reached. */
async function abortVerification(other?: number): Promise<number> {
  const find = () => verifyProcesses().find((pid) => pid !== other && isBegun(pid))
  await expect.poll(find, { timeout: 20_000 }).toBeDefined()
  const pid = find() ?? 0
  process.kill(pid, 'SIGABRT')
  return pid
}

/** POSTs once, in a thread for this call alone. */
async function postFromAfar(url: string, headers: Readonly<Record<string, string>>, body: DistantBody) {
  const caller = startDistantCaller()
  try {
    return await caller.send({ method: 'POST', url, headers, body })
  } finally {
    await caller.close()
  }
}
