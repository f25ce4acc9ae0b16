/** The commands beside a running appliance, on its own folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { collectOutput } from '../../support/output.ts'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'

const UNKNOWN_ID = '01890a5d-ac96-774b-bcce-b302099a8059'

let client: ProofingClient
let folder: string
beforeAll(async () => {
  client = await startProofing()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-retention-'))
  writeFileSync(
    join(folder, 'jwks.json'),
    await (await client.app.call('GET', '/.well-known/jwks.json')).text(),
  )
})
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function told(command: string, ...argv: string[]) {
  const output = collectOutput()
  const code = await main([command, ...argv])
  vi.restoreAllMocks()
  return { code, text: output.text }
}
const retain = (...argv: string[]) => told('retention', ...argv, '--data', client.app.dataDir)
const asJson = async (...argv: string[]) => {
  const { code, text } = await retain(...argv, '--json')
  expect(code).toBe(0)
  return JSON.parse(text) as Record<string, never>
}

describe('npm run retention', () => {
  test('lists what is kept and what the policy says of it', async () => {
    const id = await client.anIdentity()
    const { identities } = await asJson('list')
    expect(identities).toContainEqual(
      expect.objectContaining({
        identityId: id,
        status: 'EXPECTING_INPUT',
        onHold: false,
        tenantId: 'default',
      }),
    )
    expect((await retain('list')).text).toContain(id)
  })

  test('places a hold that the running appliance heeds, and lifts it', async () => {
    const id = await client.anIdentity()
    expect(await asJson('hold', id, '--reference', 'Case 4711')).toEqual({ held: id, until: null })
    expect((await client.refusal('DELETE', `/v1/identities/${id}`)).code).toBe('legal_hold')
    expect(await client.ask('LegalHold', 'GET', `/v1/identities/${id}/legal-hold`)).toMatchObject({
      reference: 'Case 4711',
    })
    const { identities } = await asJson('list')
    expect(identities).toContainEqual(
      expect.objectContaining({ identityId: id, onHold: true, action: 'keep' }),
    )
    expect(await asJson('lift', id)).toEqual({ lifted: id })
    expect((await client.app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    const { store } = client.app.appliance
    const actors = store.events
      .after(0, 10_000)
      .filter(({ identityId, type }) => identityId === id && type.startsWith('hold.'))
      .map(({ actor }) => actor)
    expect(actors).toEqual(['operator', 'operator'])
  })

  test('shows receipts, which hold by the keys that are served', async () => {
    const id = await client.anIdentity()
    await client.app.json('DELETE', `/v1/identities/${id}`)
    const { erasures } = await asJson('receipts')
    expect(erasures).toContainEqual(expect.objectContaining({ identityId: id, reason: 'DELETE' }))
    const { text } = await retain('receipt', id)
    writeFileSync(join(folder, 'receipt.jws'), text)
    const verified = await told(
      'verify-receipt',
      join(folder, 'receipt.jws'),
      '--key',
      join(folder, 'jwks.json'),
    )
    expect(verified).toMatchObject({
      code: 0,
      text: expect.stringContaining(`identity ${id} was erased`) as string,
    })
  })

  test('has the running appliance look at every identity', async () => {
    const id = await client.anIdentity()
    const { looked } = await asJson('run')
    expect(looked).toBe(client.app.appliance.store.identities.count())
    await client.passTime(1)
    // It was looked at and found to be kept, so that its deadline lies ahead again.
    const next = client.app.appliance.store.deadlines.find('retention', id)
    expect(next?.getTime()).toBeGreaterThan(client.now().getTime())
  })

  test.each([
    ['an action that is none', ['burn'], 2],
    ['a hold without a reference', ['hold', UNKNOWN_ID], 2],
    ['a hold without an id', ['hold', '--reference', 'x'], 2],
    ['an end in the past', ['hold', UNKNOWN_ID, '--reference', 'x', '--until', '2020-01-01'], 2],
    ['an end that is no moment', ['hold', UNKNOWN_ID, '--reference', 'x', '--until', 'soon'], 2],
    ['an identity that is none', ['hold', UNKNOWN_ID, '--reference', 'x'], 1],
    ['a hold that is none', ['lift', UNKNOWN_ID], 1],
    ['a receipt that is none', ['receipt', UNKNOWN_ID], 1],
  ])('refuses %s', async (_, argv, code) => {
    const refused = await retain(...argv)
    expect(refused.code).toBe(code)
    expect(refused.text).toMatch(/\w/)
  })

  test('explains itself', async () => {
    expect(await retain('--help')).toMatchObject({
      code: 0,
      text: expect.stringContaining('--until') as string,
    })
    expect((await retain()).code).toBe(2)
  })
})

describe('npm run verify-receipt', () => {
  test('takes the answer of the API as it is, and says in a sentence what is wrong with a changed one', async () => {
    const id = await client.anIdentity()
    await client.app.json('DELETE', `/v1/identities/${id}`)
    const answer = await (await client.app.call('GET', `/v1/deletion-receipts/${id}`)).text()
    const file = join(folder, 'answer.json')
    writeFileSync(file, answer)
    const key = ['--key', join(folder, 'jwks.json')]
    expect((await told('verify-receipt', file, ...key)).code).toBe(0)
    const { receipt } = JSON.parse(readFileSync(file, 'utf8')) as { receipt: string }
    const [head = '', body = '', signature = ''] = receipt.split('.')
    const claims = Buffer.from(body, 'base64url').toString('utf8').replace('DELETE', 'ABANDONED')
    const forged = [head, Buffer.from(claims).toString('base64url'), signature].join('.')
    writeFileSync(file, JSON.stringify({ receipt: forged }))
    const refused = await told('verify-receipt', file, ...key, '--json')
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.text)).toMatchObject({
      valid: false,
      receipt: null,
      problems: [
        { code: 'receipt_signature_invalid', message: expect.stringMatching(/^[A-Z].+\.$/) as string },
      ],
    })
  })

  test.each([
    ['no file', []],
    ['no key', ['receipt.jws']],
    ['a file that is not there', ['nowhere.jws', '--key', 'nowhere.json']],
  ])('cannot run with %s', async (_, argv) => {
    expect((await told('verify-receipt', ...argv)).code).toBe(2)
  })

  test('explains itself', async () => {
    expect((await told('verify-receipt', '--help')).code).toBe(0)
  })
})
