/**
 * A real time-stamping authority on a real socket: HTTP here, the tokens by `openssl ts -reply` with a
 * certificate of an authority made for the test. Tests can replace its answers.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import {
  type CertificateAuthority,
  type Issued,
  makeCertificateAuthority,
  TSA_EXTENSIONS,
} from './certificate-authority.ts'

const run = promisify(execFile)

/** Answers a query instead of the authority. */
export type Answer = (query: Buffer, response: ServerResponse) => void | Promise<void>

export interface TimestampAuthority {
  readonly url: string
  /** The authority to trust. */
  readonly caPem: string
  readonly authority: CertificateAuthority
  readonly requests: readonly { readonly headers: IncomingMessage['headers']; readonly query: Buffer }[]
  /** Replaces its answers from now on; undefined: normal again. */
  answer(instead: Answer | undefined): void
  /** The answer to this query (TimeStampResp, DER) by openssl, signed with this certificate. */
  reply(query: Buffer, signer?: Issued, options?: ReplyOptions): Promise<Buffer>
  /** A token over this TSTInfo (DER) by any signer, whether openssl accepts the certificate or not. */
  forge(info: Uint8Array, signer: Issued, ...options: string[]): Promise<Buffer>
  close(): Promise<void>
}

export interface ReplyOptions {
  /** Only the token, without the answer around it. */
  readonly token?: boolean
  readonly hash?: string
}

export async function startTimestampAuthority(): Promise<TimestampAuthority> {
  const authority = makeCertificateAuthority('Time CA')
  const tsa = authority.issue({ name: 'Time Stamps 1', extensions: TSA_EXTENSIONS })
  const requests: { headers: IncomingMessage['headers']; query: Buffer }[] = []
  let instead: Answer | undefined
  const reply: TimestampAuthority['reply'] = async (
    query,
    signer = tsa,
    { token = false, hash = 'sha256' } = {},
  ) => {
    const base = join(authority.folder, randomUUID())
    writeFileSync(`${base}.tsq`, query)
    writeFileSync(`${base}.cnf`, configuration(base, authority, signer, hash))
    const output = [...(token ? ['-token_out'] : []), '-out', `${base}.tsr`]
    await run('openssl', ['ts', '-reply', '-config', `${base}.cnf`, '-queryfile', `${base}.tsq`, ...output])
    return readFileSync(`${base}.tsr`)
  }
  const server = createServer((request, response) => {
    void (async () => {
      const query = await buffer(request)
      requests.push({ headers: request.headers, query })
      if (instead) return instead(query, response)
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(await reply(query))
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    caPem: authority.root.pem,
    authority,
    requests,
    answer: (other) => {
      instead = other
    },
    reply,
    forge: async (info, signer, ...options) => {
      const base = join(authority.folder, randomUUID())
      writeFileSync(`${base}.tst`, info)
      const what = ['-binary', '-nodetach', '-nosmimecap', '-cades', '-econtent_type', 'id-smime-ct-TSTInfo']
      const by = ['-signer', signer.certificateFile, '-inkey', signer.keyFile]
      const files = ['-in', `${base}.tst`, '-outform', 'DER', '-out', `${base}.der`]
      await run('openssl', ['cms', '-sign', ...what, ...by, ...files, ...options])
      return readFileSync(`${base}.der`)
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      authority.remove()
    },
  }
}

function configuration(base: string, { root }: CertificateAuthority, signer: Issued, hash: string): string {
  writeFileSync(`${base}.serial`, '01\n')
  return `
[tsa]
default_tsa = here
[here]
serial = ${base}.serial
signer_cert = ${signer.certificateFile}
certs = ${root.certificateFile}
signer_key = ${signer.keyFile}
signer_digest = ${hash}
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`
}
