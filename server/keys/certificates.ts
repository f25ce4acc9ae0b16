/** Certificates of the signing keys: creates certificate requests, and checks that an answer fits the key. */
import { createHash, type KeyObject } from 'node:crypto'
import { BitString, ObjectIdentifier, PrintableString, Sequence, Set, Utf8String } from 'asn1js'
import { AlgorithmIdentifier, CertificationRequest, PublicKeyInfo } from 'pkijs'
import type { KeySigner } from '../proof/sign.ts'
import { type Certificate, readCertificate } from '../proof/verify/certificate.ts'
import { findChainFault, maySignProofs } from '../proof/verify/certificate-chain.ts'
import { KeyRefused } from './refused.ts'

const SHA256_WITH_RSA = '1.2.840.113549.1.1.11'
/** RFC 4519; a country is a PrintableString, everything else UTF-8 (RFC 5280, appendix A). */
const NAME_TYPES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  SERIALNUMBER: '2.5.4.5',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
}
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g

/** A request that is signed elsewhere. */
class UnsignedRequest extends CertificationRequest {
  /** The bytes to sign. */
  toBeSigned(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.encodeTBS().toBER())
  }
}

/** PKCS#10 request as PEM, signed by the key in its store. `subject`: `CN=Branch 7, O=Example`. Throws KeyRefused. */
export async function createCertificateRequest(signer: KeySigner, subject: string): Promise<string> {
  const request = new UnsignedRequest()
  // The library would combine all parts in one set; a name is a sequence of sets (RFC 5280, section 4.1.2.4).
  request.subject.valueBeforeDecode = new Sequence({ value: readSubject(subject) }).toBER()
  request.attributes = []
  const spki = signer.publicKey.export({ type: 'spki', format: 'der' })
  request.subjectPublicKeyInfo = PublicKeyInfo.fromBER(new Uint8Array(spki))
  request.signatureAlgorithm = new AlgorithmIdentifier({ algorithmId: SHA256_WITH_RSA })
  request.tbsView = request.toBeSigned()
  const signature = await signer.signBytes(request.tbsView)
  request.signatureValue = new BitString({ valueHex: new Uint8Array(signature).buffer })
  return toPem('CERTIFICATE REQUEST', new Uint8Array(request.toSchema().toBER()))
}

interface CertificateChain {
  /** The key's own certificate first. */
  readonly pem: string
  /** Hash of the key's own certificate (DER), lower-case hex. */
  readonly sha256: string
  /** The earliest expiry in the chain. */
  readonly validTo: Date
}

/**
 * Returns the chain if its first certificate belongs to this key and a verifier who trusts the last one would accept it
 * now. The verifier decides whom to trust. Throws KeyRefused with the reason.
 */
export function checkChain(pem: string, publicKey: KeyObject, at: Date): CertificateChain {
  const chain = readCertificates(pem)
  const [leaf] = chain
  if (!leaf) throw new KeyRefused('The file holds no certificate (PEM).')
  const isOfKey = ({ x509 }: Certificate): boolean => x509.publicKey.equals(publicKey)
  if (!isOfKey(leaf)) {
    throw new KeyRefused(
      chain.some(isOfKey)
        ? 'The chain is not in order: the certificate of the key comes first, its issuer after it.'
        : 'The first certificate is of another key.',
    )
  }
  if (!maySignProofs(leaf)) throw new KeyRefused('The certificate of the key is not one for signatures.')
  if (chain.length === 1) {
    throw new KeyRefused(
      'The issuer is missing: append its certificate, and so on up to the root or just below it.',
    )
  }
  const fault = findChainFault(chain, chain.slice(-1), at, 'the certificate of the key')
  if (fault) throw new KeyRefused(fault.message)
  return {
    pem: chain.map(({ x509 }) => toPem('CERTIFICATE', x509.raw)).join(''),
    sha256: createHash('sha256').update(leaf.x509.raw).digest('hex'),
    validTo: new Date(Math.min(...chain.map(({ validTo }) => validTo.getTime()))),
  }
}

function readCertificates(pem: string): Certificate[] {
  return [...pem.matchAll(PEM_CERTIFICATE)].map(([, base64 = ''], index) => {
    const certificate = readCertificate(Buffer.from(base64, 'base64'))
    if (!certificate) throw new KeyRefused(`Certificate ${index + 1} of the file cannot be read.`)
    return certificate
  })
}

function readSubject(subject: string): Set[] {
  return subject.split(',').map((part) => {
    const [name = '', ...rest] = part.split('=')
    const type = NAME_TYPES[name.trim().toUpperCase()]
    const value = rest.join('=').trim()
    if (type === undefined || value === '') {
      const names = Object.keys(NAME_TYPES).join(', ')
      throw new KeyRefused(`The subject is written as "CN=Branch 7, O=Example"; known are ${names}.`)
    }
    const isCountry = type === NAME_TYPES.C
    if (isCountry && !/^[A-Z]{2}$/.test(value)) throw new KeyRefused('C is a country of two capital letters.')
    const text = isCountry ? new PrintableString({ value }) : new Utf8String({ value })
    return new Set({ value: [new Sequence({ value: [new ObjectIdentifier({ value: type }), text] })] })
  })
}

function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
