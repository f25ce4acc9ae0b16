/** Writes SecurityInfos: what a simulated chip offers in EF.CardAccess, EF.CardSecurity and DG14 (ICAO Doc 9303-11, 9.2). */
import { CURVE_IDS, type CurveName } from '../../../chip/curve-constants.ts'
import { ASN1, writeOid } from '../../../chip/der.ts'
import { readPaceProtocol, type PaceInfo } from '../../../chip/security-infos.ts'
import { writeTlv } from '../../../chip/tlv.ts'
import { writeInteger } from './chip-authentication-chip.ts'

export const ROOT = '0.4.0.127.0.7.2.2'

/** @param arcs such as 2.1: generic mapping on a curve with 3DES */
export function makePaceInfo(arcs: string, parameterId: number): PaceInfo {
  const oid = `${ROOT}.4.${arcs}`
  const protocol = readPaceProtocol(oid)
  if (protocol === null) throw new TypeError('no protocol of PACE')
  return { oid, ...protocol, parameterId }
}

export function writeInfo(oid: string, ...members: readonly Uint8Array[]): Buffer {
  return writeTlv(ASN1.sequence, writeOid(oid), ...members)
}

export function writePaceInfo({ oid, parameterId }: Pick<PaceInfo, 'oid' | 'parameterId'>): Buffer {
  const id = parameterId === null ? [] : [writeInteger(BigInt(parameterId))]
  return writeInfo(oid, writeInteger(2n), ...id)
}

/** @param arcs such as 2.1: a curve with 3DES */
export function writeChipAuthenticationInfo(arcs: string, keyId: number | null, version = 1n): Buffer {
  const id = keyId === null ? [] : [writeInteger(BigInt(keyId))]
  return writeInfo(`${ROOT}.3.${arcs}`, writeInteger(version), ...id)
}

/** @param kind 1 (Diffie-Hellman) or 2 (curve) */
export function writeChipKeyInfo(kind: number, spki: Uint8Array, keyId: number | null): Buffer {
  const id = keyId === null ? [] : [writeInteger(BigInt(keyId))]
  return writeInfo(`${ROOT}.1.${kind}`, spki, ...id)
}

/** SubjectPublicKeyInfo of a point on a named curve. */
export function writeCurveKey(name: CurveName, point: Uint8Array): Buffer {
  const [oid = ''] = Object.entries(CURVE_IDS).find(([, each]) => each === name) ?? []
  const algorithm = writeTlv(ASN1.sequence, writeOid('1.2.840.10045.2.1'), writeOid(oid))
  return writeTlv(ASN1.sequence, algorithm, writeTlv(ASN1.bitString, Buffer.of(0), point))
}

/** SubjectPublicKeyInfo with standardised domain parameters (BSI TR-03110-3, A.2.1.1). */
export function writeStandardKey(parameterId: number, element: Uint8Array): Buffer {
  const number = writeInteger(BigInt(parameterId))
  const algorithm = writeTlv(ASN1.sequence, writeOid('0.4.0.127.0.7.1.2'), number)
  return writeTlv(ASN1.sequence, algorithm, writeTlv(ASN1.bitString, Buffer.of(0), element))
}

export function writeSet(entries: readonly Uint8Array[]): Buffer {
  return writeTlv(ASN1.set, ...entries)
}

export function writeDg14(entries: readonly Uint8Array[]): Buffer {
  return writeTlv(0x6e, writeSet(entries))
}
