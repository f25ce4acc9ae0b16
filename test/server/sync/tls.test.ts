/** TLS to the central service: only the configured authorities and the right host name. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTokenBucket } from '../../../server/sync/token-bucket.ts'
import { openTransport, readTlsAuthorities } from '../../../server/sync/transport.ts'
import { makeCertificateAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts'

let authority: CertificateAuthority
let stranger: CertificateAuthority
const servers: Server[] = []
const origins = { good: '', otherName: '' }

const serve = async (alternativeName: string): Promise<string> => {
  const { pem, keyFile } = authority.issue({
    name: 'centre',
    extensions: ['basicConstraints = critical, CA:FALSE', `subjectAltName = ${alternativeName}`],
  })
  const server = createServer({ cert: pem, key: readFileSync(keyFile) }, (_req, res) => res.end('{}'))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
beforeAll(async () => {
  authority = makeCertificateAuthority('Private TLS')
  stranger = makeCertificateAuthority('Somebody else')
  origins.good = await serve('IP:127.0.0.1')
  origins.otherName = await serve('DNS:centre.example')
})
afterAll(() => {
  for (const server of servers) server.close()
  authority.remove()
  stranger.remove()
})

const ask = async (origin: string, authorities?: string) => {
  const transport = openTransport({ origin, authorities, timeoutMs: 3_000, bucket: createTokenBucket(0) })
  try {
    const request = {
      method: 'GET',
      path: '/',
      headers: {},
      body: new Uint8Array(),
      largestAnswer: 10,
    } as const
    return (await transport.send(request)).body.toString('utf8')
  } finally {
    await transport.close()
  }
}

describe('a central service with a certificate of a private authority', () => {
  test('is reached with that authority', async () => {
    expect(await ask(origins.good, authority.root.pem)).toBe('{}')
  })

  test.each([
    ['without it', () => ask(origins.good)],
    ['with another authority', () => ask(origins.good, stranger.root.pem)],
    ['under another name', () => ask(origins.otherName, authority.root.pem)],
  ])('is not talked to %s', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ trouble: 'line', code: 'tls_refused' })
  })

  test('the file of authorities has to be one', () => {
    const { folder, root } = authority
    expect(readTlsAuthorities(folder, root.certificateFile)).toContain('BEGIN CERTIFICATE')
    writeFileSync(join(folder, 'nothing.pem'), 'nothing')
    expect(() => readTlsAuthorities(folder, 'nothing.pem')).toThrow('configuration_invalid')
    expect(() => readTlsAuthorities(folder, 'absent.pem')).toThrow('configuration_invalid')
    expect(readTlsAuthorities(folder, undefined)).toBeUndefined()
  })
})
