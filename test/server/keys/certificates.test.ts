/** Requests and chains of the signing keys, compared with openssl; what the command makes of them is tested with it. */
import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificateRequest, checkChain } from '../../../server/keys/certificates.ts'
import { KeyRefused } from '../../../server/keys/refused.ts'
import { createKeySigner, type KeySigner } from '../../../server/proof/sign.ts'
import {
  CA_EXTENSIONS,
  makeCertificateAuthority,
  SIGNER_EXTENSIONS,
  type CertificateAuthority,
  type Issued,
} from '../../support/certificate-authority.ts'

let ca: CertificateAuthority
let middle: Issued
let leaf: Issued
let signer: KeySigner
/** Certificates are good from the moment they are made. */
let soon: Date
beforeAll(() => {
  ca = makeCertificateAuthority('Root')
  middle = ca.issue({ name: 'Issuing', extensions: CA_EXTENSIONS })
  leaf = ca.issue({ name: 'Branch 7', extensions: SIGNER_EXTENSIONS, issuer: middle })
  signer = createKeySigner(createPrivateKey(readFileSync(leaf.keyFile, 'utf8')))
  soon = new Date(Date.now() + 60_000)
})
afterAll(() => ca.remove())

describe('the request for a certificate', () => {
  /** Returns openssl's reading of it, if its signature is valid. */
  const shown = async (subject: string): Promise<string> => {
    const request = await createCertificateRequest(signer, subject)
    expect(request).toMatch(
      /^-----BEGIN CERTIFICATE REQUEST-----\n([A-Za-z0-9+/=]{1,64}\n)+-----END CERTIFICATE REQUEST-----\n$/,
    )
    const argv = ['req', '-verify', '-noout', '-subject', '-nameopt', 'RFC2253']
    return execFileSync('openssl', argv, { input: request, encoding: 'utf8', stdio: 'pipe' }).trim()
  }

  test('is signed by the key, and names its subject part by part, in their order', async () => {
    expect(await shown('CN=Branch 7, O=Example & Co, C=NL')).toBe('subject=C=NL,O=Example & Co,CN=Branch 7')
    expect(await shown('cn = Branch 7,OU= Counter, L=Delft ,ST=South, serialNumber=12')).toBe(
      'subject=serialNumber=12,ST=South,L=Delft,OU=Counter,CN=Branch 7',
    )
    expect(await shown('CN=a=b')).toBe('subject=CN=a=b')
  })

  test('writes a country as PrintableString and all else as UTF-8', async () => {
    const request = await createCertificateRequest(signer, 'CN=Zoë, C=NL')
    const der = Buffer.from(request.replaceAll(/-----.*-----|\n/g, ''), 'base64')
    expect(der.includes(Buffer.from('0c045a6fc3ab', 'hex'))).toBe(true)
    expect(der.includes(Buffer.from('13024e4c', 'hex'))).toBe(true)
  })

  test.each(['', 'Branch 7', 'CN=', 'CN= ', 'XY=1', 'CN=a,', 'CN=a, O'])(
    'is not made in the name of %j, and says how a name is written',
    async (subject) => {
      await expect(createCertificateRequest(signer, subject)).rejects.toThrow(
        new KeyRefused(
          'The subject is written as "CN=Branch 7, O=Example"; known are CN, SERIALNUMBER, C, L, ST, O, OU.',
        ),
      )
    },
  )

  test.each(['Netherlands', 'nl', 'N', 'NL1', '1NL'])('takes no country %j', async (country) => {
    await expect(createCertificateRequest(signer, `CN=a, C=${country}`)).rejects.toThrow(
      'C is a country of two capital letters.',
    )
  })
})

describe('the chain that comes back', () => {
  const check = (...pems: readonly string[]) => checkChain(pems.join(''), signer.publicKey, soon)

  test('is kept in its order, with the hash of the key’s own certificate and the end of what ends first', () => {
    const chain = check('Subject: some words\n', leaf.pem, '\n', middle.pem, ca.root.pem)
    expect(chain.pem).toBe(leaf.pem + middle.pem + ca.root.pem)
    expect(chain.sha256).toBe(createHash('sha256').update(leaf.der).digest('hex'))
    const ends = [leaf, middle, ca.root].map(({ der }) => new X509Certificate(der).validToDate.getTime())
    expect(chain.validTo.getTime()).toBe(Math.min(...ends))
  })

  test('may end below its root', () => {
    expect(check(leaf.pem, middle.pem).sha256).toHaveLength(64)
  })

  test.each([
    ['nothing', () => ['no PEM at all'], 'The file holds no certificate (PEM).'],
    [
      'the certificate of another key',
      () => [middle.pem, ca.root.pem],
      'The first certificate is of another key.',
    ],
    [
      'the issuer first',
      () => [middle.pem, leaf.pem],
      'The chain is not in order: the certificate of the key comes first, its issuer after it.',
    ],
    [
      'the key’s own certificate alone',
      () => [leaf.pem],
      'The issuer is missing: append its certificate, and so on up to the root or just below it.',
    ],
    [
      'what is no certificate',
      () => [leaf.pem, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
      'Certificate 2 of the file cannot be read.',
    ],
    [
      'an authority that did not issue it',
      () => [leaf.pem, ca.root.pem],
      'The chain is broken: the certificate of the key was not issued by the next certificate.',
    ],
  ])('is refused where it holds %s', (_, pems, sentence) => {
    expect(() => check(...pems())).toThrow(new KeyRefused(sentence))
  })

  test('is refused where the key is certified as an authority', () => {
    const key = readFileSync(leaf.keyFile, 'utf8')
    const asAuthority = ca.issue({ name: 'Branch 7', extensions: CA_EXTENSIONS, privateKey: key })
    expect(() => check(asAuthority.pem, ca.root.pem)).toThrow(
      'The certificate of the key is not one for signatures.',
    )
  })

  test('is refused after its end', () => {
    const late = new Date(soon.getTime() + 11 * 366 * 86_400_000)
    expect(() => checkChain(leaf.pem + middle.pem, signer.publicKey, late)).toThrow('was not valid at')
  })
})
