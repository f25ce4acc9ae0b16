/**
 * The trust of this kiosk: the CA whose fingerprint came with the enrolment code, and the keys that this CA
 * has signed.
 */
import { createPublicKey, X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { compactVerify, type JWK } from 'jose'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { caFingerprint } from '../protocol/enrolment-code.ts'
import { readStatement } from '../protocol/statements.ts'
import type { CentralTrust, EnrolmentAnswer, Receipt } from '../protocol/wire.ts'

/** Throws `enrolment_refused` unless the CA is that of the code and signed these keys. */
export async function checkFirstTrust(trust: CentralTrust, fingerprint: string): Promise<void> {
  const ca = readCertificate(trust.caCertificate, 'the certificate of the central service cannot be read')
  if (caFingerprint(ca.raw) !== fingerprint)
    throw refused('this is not the central service that the code is from')
  if (!ca.ca || !ca.verify(ca.publicKey))
    throw refused('the certificate of the central service is no authority')
  await checkSignature(trust, ca)
}

/**
 * Checks changed keys of the central service; false if nothing changed. Throws `statement_refused` unless
 * central service and CA are those of the enrolment and the CA signed the new keys.
 */
export async function checkNewTrust(kept: CentralTrust, offered: CentralTrust): Promise<boolean> {
  if (isDeepStrictEqual(kept, offered)) return false
  const pinned = new X509Certificate(kept.caCertificate)
  if (offered.centreId !== kept.centreId || offered.caCertificate !== kept.caCertificate) {
    throw new AppError('statement_refused', { kind: 'trust' })
  }
  try {
    await checkSignature(offered, pinned)
  } catch (cause) {
    throw new AppError('statement_refused', { kind: 'trust' }, { cause })
  }
  // Each reading signs the keys again, and an ECDSA signature differs each time: it says nothing about the keys.
  return !isDeepStrictEqual({ ...kept, signature: '' }, { ...offered, signature: '' })
}

/** Stores the new keys, which `checkNewTrust` has accepted, and logs them. */
export function keepTrust({ store, clock }: Pick<Context, 'store' | 'clock'>, trust: CentralTrust): void {
  store.transaction(() => {
    store.enrolments.setTrust(trust)
    const trustSha256 = store.enrolments.fingerprints()?.trustSha256
    if (trustSha256 === undefined) return
    const body = { centreId: trust.centreId, trustSha256 }
    store.events.append('sync.trusted', null, body, clock.now(), { actor: 'centre' })
  })
}

/** Throws `enrolment_refused` unless the CA certified exactly this key. */
export function checkCertificate(answer: EnrolmentAnswer, publicJwk: JWK): void {
  const ca = new X509Certificate(answer.trust.caCertificate)
  const certificate = readCertificate(answer.certificate, 'the certificate of this kiosk cannot be read')
  const ours = createPublicKey({ key: publicJwk, format: 'jwk' })
  const fits =
    certificate.checkIssued(ca) && certificate.verify(ca.publicKey) && certificate.publicKey.equals(ours)
  if (!fits) throw refused('the certificate is not for the key of this kiosk')
}

/** The expected subject of a receipt. */
export interface Awaited {
  readonly kioskId: string
  readonly proofId: string
  readonly sequence: number
  /** SHA-256 of the decrypted archive. */
  readonly sha256: string
}

/** Throws `statement_refused` unless the central service signed it for exactly this proof of this kiosk. */
export async function checkReceipt(jws: string, awaited: Awaited, trust: CentralTrust): Promise<Receipt> {
  const receipt = await readStatement('receipt', jws, trust.statementKeys.keys as JWK[])
  const { kioskId, proofId, sequence, sha256 } = receipt
  if (!isDeepStrictEqual({ kioskId, proofId, sequence, sha256 }, { ...awaited })) {
    throw new AppError('statement_refused', { kind: 'receipt' })
  }
  return receipt
}

async function checkSignature(trust: CentralTrust, ca: X509Certificate): Promise<void> {
  const { centreId, statementKeys, packetKeys } = trust
  let signed: unknown
  try {
    const { payload } = await compactVerify(trust.signature, ca.publicKey, { algorithms: ['ES256'] })
    signed = JSON.parse(Buffer.from(payload).toString('utf8'))
  } catch (cause) {
    throw refused('the keys of the central service are not signed by its authority', cause)
  }
  const fits = isDeepStrictEqual(signed, { centreId, statementKeys, packetKeys })
  if (!fits || statementKeys.keys.length === 0 || packetKeys.keys.length === 0) {
    throw refused('the keys of the central service are not those that its authority signed')
  }
}

function readCertificate(pem: string, otherwise: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw refused(otherwise, cause)
  }
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError('enrolment_refused', { reason }, cause === undefined ? {} : { cause })
}
