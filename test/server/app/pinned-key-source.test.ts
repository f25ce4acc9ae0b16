/** The key source that the configuration pins, under a whole server in a process of its own. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyProof } from '../../../server/proof/verify.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { startTestApp } from '../../support/app.ts'
import { runCommand } from '../../support/command.ts'
import { findTokens, makeSoftToken, type SoftToken } from '../../support/token.ts'
import { scriptedVision } from './scripted-vision.ts'

const RUN = join(import.meta.dirname, '..', '..', '..', 'server', 'run.mjs')
const tokens = findTokens()
const absent = typeof tokens === 'string' ? tokens : ''

/** Returns the message of a refused start; ends a start that succeeds. */
function start(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, [RUN, 'start', '--no-window', '--port', '0', '--data', dataDir], {
    env: { ...process.env, ...env },
  })
  let said = ''
  const hear = (chunk: Buffer): void => {
    said += chunk.toString('utf8')
    // Once: the second signal would end it at once.
    if (said.includes('listening on') && !child.killed) child.kill('SIGTERM')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })))
}

describe('the key file', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'counterproof-pinned-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  test('that is gone beside its database refuses the restart, and no other key is made', async () => {
    expect((await runCommand(['signing-keys', 'create', '--new', '--data', dataDir])).status).toBe(0)
    renameSync(join(dataDir, 'keys', 'kek.key'), join(dataDir, 'keys', 'elsewhere'))
    const { status, said } = await start(dataDir)
    expect([status, said]).toEqual([1, expect.stringContaining('the key file of this database is missing')])
    expect(readdirSync(join(dataDir, 'keys'))).not.toContain('kek.key')
    renameSync(join(dataDir, 'keys', 'elsewhere'), join(dataDir, 'keys', 'kek.key'))
    chmodSync(join(dataDir, 'keys', 'kek.key'), 0o640)
    expect((await start(dataDir)).said).toContain('others may read the key file; chmod 600 it')
  })

  test('is not taken when the shell is pinned and hands over no key', async () => {
    expect((await runCommand(['signing-keys', 'create', '--new', '--data', dataDir])).status).toBe(0)
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ kek: { source: 'shell' } }))
    expect(await start(dataDir)).toEqual({
      status: 1,
      said: expect.stringContaining('the shell handed over no key') as string,
    })
  })

  test('does for the master key where only signing keys are pinned to a token, and the start is refused without one', async () => {
    expect((await runCommand(['signing-keys', 'create', '--new', '--data', dataDir])).status).toBe(0)
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ signing: { source: 'pkcs11' } }))
    expect((await start(dataDir)).said).toContain('a key is to be kept in a token, and none is named')
    const pkcs11 = { library: '/nowhere.so', tokenLabel: 'none', pinFile: 'pin', plugin: '/nowhere' }
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ signing: { source: 'pkcs11' }, pkcs11 }))
    expect(await start(dataDir)).toEqual({
      status: 1,
      said: expect.stringContaining('the PKCS#11 plug-in is not installed') as string,
    })
  })
})

describe.skipIf(absent !== '')(`a token ${absent}`, () => {
  let soft: SoftToken
  beforeEach(() => {
    if (typeof tokens !== 'string') soft = makeSoftToken(tokens)
  })
  afterEach(() => {
    soft.remove()
  })
  const pin = (changes: Partial<SoftToken['settings']> = {}): void => {
    const pkcs11 = { ...soft.settings, ...changes }
    soft.writeConfig({ kek: { source: 'pkcs11' }, signing: { source: 'pkcs11' }, pkcs11 })
  }

  test('guards the master key and signs proofs that verify, across a rotation by command in another process', async () => {
    pin()
    const app = await startTestApp({ dataDir: soft.dataDir, vision: scriptedVision() })
    try {
      const seal = async () => {
        const { body } = await app.json('POST', '/v1/identities', { payload: [] })
        const response = await app.call('GET', `/v1/identities/${(body as { id: string }).id}/proof`)
        const archive = extractArchive(new Uint8Array(await response.arrayBuffer()))
        const { body: jwks } = await app.json('GET', '/.well-known/jwks.json', { key: null })
        const report = archive ? await verifyProof(archive, { jwks }) : null
        return report?.valid ? report.signedBy : null
      }
      const first = await seal()
      const { status, out } = await runCommand(
        ['signing-keys', 'rotate', '--publish-days', '0', '--data', soft.dataDir, '--json'],
        { env: soft.env },
      )
      expect(status).toBe(0)
      const { kid, retired } = JSON.parse(out) as { kid: string; retired: string }
      expect([first, await seal()]).toEqual([retired, kid])
      const keys = app.appliance.store.signingKeys.list()
      expect(keys.map(({ source }) => source)).toEqual(['pkcs11', 'pkcs11'])
      expect(existsSync(join(soft.dataDir, 'keys', 'kek.key'))).toBe(false)
    } finally {
      await app.stop()
    }
  })

  test('that does not open refuses the start with a sentence, and one with the right PIN works again', async () => {
    pin()
    expect(await start(soft.dataDir, soft.env)).toEqual({
      status: 0,
      said: expect.stringContaining('listening on') as string,
    })
    const pinFile = join(soft.dataDir, 'pin')
    writeFileSync(pinFile, '0000')
    expect(await start(soft.dataDir, soft.env)).toEqual({
      status: 1,
      said: expect.stringContaining('the token counterproof refuses the PIN') as string,
    })
    writeFileSync(pinFile, '4711')
    chmodSync(pinFile, 0o644)
    expect((await start(soft.dataDir, soft.env)).said).toContain('others may read the PIN file')
    chmodSync(pinFile, 0o600)
    pin({ tokenLabel: 'another' })
    expect((await start(soft.dataDir, soft.env)).said).toContain('no token of the label another answers')
    pin()
    expect((await start(soft.dataDir, soft.env)).status).toBe(0)
  })
})
