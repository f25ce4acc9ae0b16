/** Keys that change under a running server, by commands in processes of their own. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyProof } from '../../../server/proof/verify.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { type TestApp, startTestApp } from '../../support/app.ts'
import { runCommand } from '../../support/command.ts'
import { scriptedVision } from './scripted-vision.ts'

const DAY_MS = 86_400_000

let app: TestApp
/** The offset of the server's clock to that of the commands. */
let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }
beforeAll(async () => {
  app = await startTestApp({ vision: scriptedVision(), clock })
})
afterAll(() => app.close())

async function command<T>(...argv: string[]): Promise<T> {
  const { status, out, err } = await runCommand(['signing-keys', ...argv, '--data', app.dataDir, '--json'])
  expect({ status, err }).toEqual({ status: 0, err: '' })
  return JSON.parse(out) as T
}

async function open(): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { payload: [] })
  return (body as { id: string }).id
}

async function seal(identityId: string): Promise<Uint8Array> {
  const response = await app.call('GET', `/v1/identities/${identityId}/proof`)
  expect(response.status).toBe(200)
  const archive = extractArchive(new Uint8Array(await response.arrayBuffer()))
  if (!archive) throw new Error('no archive')
  return archive
}

async function published(): Promise<{ keys: { kid: string }[] }> {
  const { body } = await app.json('GET', '/.well-known/jwks.json', { key: null })
  return body as { keys: { kid: string }[] }
}

/** Returns the signing key of each archive among the served keys, or its problems. */
async function signers(archives: readonly Uint8Array[]): Promise<string[]> {
  const jwks = await published()
  const reports = await Promise.all(archives.map((archive) => verifyProof(archive, { jwks })))
  return reports.map((report) =>
    report.valid ? (report.signedBy ?? '') : report.problems.map(({ code }) => code).join(),
  )
}

test('proofs sealed before, during and after a rotation all verify with the served keys, without a restart', async () => {
  const [first, second, third, fourth, fifth] = [
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
  ]
  const before = await seal(first)
  const [old] = (await published()).keys.map(({ kid }) => kid)

  const { kid: next } = await command<{ kid: string }>('rotate', '--publish-days', '1')
  expect((await published()).keys.map(({ kid }) => kid)).toEqual([old, next])
  const during = await seal(second)
  aheadMs = DAY_MS
  const after = await seal(third)
  expect(await signers([before, during, after])).toEqual([old, old, next])

  aheadMs = 0
  const { inUse } = await command<{ inUse: string }>('revoke', old, '--since', '2026-01-01')
  expect(inUse).toBe(next)
  expect((await published()).keys.map(({ kid }) => kid)).toEqual([next])
  const late = await seal(fourth)
  expect(await signers([before, during, after, late])).toEqual([
    'signature_invalid',
    'signature_invalid',
    next,
    next,
  ])

  const { inUse: made } = await command<{ inUse: string }>('revoke', next, '--since', '2026-01-01')
  expect((await published()).keys.map(({ kid }) => kid)).toEqual([made])
  expect(await signers([await seal(fifth)])).toEqual([made])
  expect(app.appliance.store.auditEvents()).toEqual([])
})

test('proofs that are sealed while keys change beneath them are each signed by one whole key', async () => {
  const sealed = [await seal(await open())]
  let isRotating = true
  const sealOn = async () => {
    while (isRotating) {
      sealed.push(await seal(await open()))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const sealing = Promise.all([sealOn(), sealOn()])
  try {
    for (let turn = 0; turn < 3; turn++) await command('rotate', '--publish-days', '0')
  } finally {
    isRotating = false
    await sealing
  }
  sealed.push(await seal(await open()))
  const kids = new Set((await published()).keys.map(({ kid }) => kid))
  const signed = await signers(sealed)
  expect(signed.filter((kid) => !kids.has(kid))).toEqual([])
  expect(new Set(signed).size).toBeGreaterThan(1)
})

test('with its only key revoked and no successor, no proof is sealed, and what was sealed is repeated', async () => {
  const sealed = await open()
  const archive = await seal(sealed)
  const waiting = await open()
  const { keys } = await command<{ keys: { kid: string; inUse: boolean }[] }>('list')
  const kid = keys.find((key) => key.inUse)?.kid ?? ''
  await command('revoke', kid, '--since', '2026-01-01', '--without-successor')
  const refused = await app.json('GET', `/v1/identities/${waiting}/proof`)
  expect(refused.status).toBeGreaterThanOrEqual(500)
  expect(JSON.stringify(refused.body)).not.toContain('signing-keys')
  expect(await seal(sealed)).toEqual(archive)
  await command('create')
  expect(await signers([await seal(waiting)])).toEqual(
    (await published()).keys.slice(-1).map((key) => key.kid),
  )
})
