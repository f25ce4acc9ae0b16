/**
 * Defects of documents that a state has published (defect list, BSI TR-03129-2, 7). A defect names the certificate of the signer. A
 * defect may lower a verdict and never raises one: a replacement certificate in the list is not used.
 */
import { createHash } from 'node:crypto'
import { ASN1, readMembers, toOid, toSmallNumber } from '../der.ts'
import { parseSignerIdentifier, type SignerIdentifier } from '../files/cms.ts'
import { ChipFault } from '../outcome.ts'
import { readTlvs, type Tlv } from '../tlv.ts'
import type { ChipCertificate } from './certificate.ts'
import type { PassiveIndicator } from './policy.ts'
import { getHashName, type HashName } from './signature.ts'
import { isIdentified } from './signed-file.ts'

export interface Defect {
  readonly identifier: SignerIdentifier
  /** Decides where several certificates have the same identifier; null if the list states none. */
  readonly certificateHash: { readonly hash: HashName; readonly value: Uint8Array } | null
  /** Object identifiers of the defects. */
  readonly types: readonly string[]
}

export const DEFECT_LIST = '0.4.0.127.0.7.3.1.5'
const PARAMETERS = 0xa0
const MAX_TYPES = 32

/** `fails`: the documents must not be used. An indicator changes no verdict of passive authentication. */
export type DefectEffect = 'fails' | 'undetermined' | PassiveIndicator

/** Type below the identifier of the list → effect. Every other type leaves the verdict undetermined. */
const EFFECTS: Readonly<Record<string, DefectEffect>> = {
  '1.1': 'fails', // the certificate of the signer is revoked
  '1.2': 'undetermined', // the certificate is malformed, and the list contains another one
  '1.3': 'CHIP_AUTHENTICATION_KEY_REVOKED',
  '1.4': 'CHIP_ACTIVE_AUTHENTICATION_KEY_REVOKED',
  '2.1': 'CHIP_KNOWN_DEFECT', // data groups are malformed
  '2.2': 'CHIP_KNOWN_DEFECT', // EF.SOD is invalid
  '3.1': 'CHIP_KNOWN_DEFECT', // the eID application, which is not read
  '3.2': 'CHIP_KNOWN_DEFECT',
  '4.1': 'CHIP_KNOWN_DEFECT', // EF.CardSecurity is malformed
}

/**
 * Reads the content of the signed file: SEQUENCE { version, hash, SET OF Defect }.
 * @throws ChipFault malformed_data or algorithm_unknown
 */
export function parseDefects(content: Uint8Array): readonly Defect[] {
  const [version, hash, list, ...more] = readMembers(content)
  if (toSmallNumber(version) !== 0 || list?.tag !== ASN1.set || more.length > 0)
    throw new ChipFault('malformed_data')
  const hashName = getHashName(toOid(hash))
  return readTlvs(list.value).map((each) => parseDefect(each, hashName))
}

function parseDefect(defect: Tlv, hash: HashName): Defect {
  if (defect.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [identifier, ...rest] = readTlvs(defect.value)
  const value = rest[0]?.tag === ASN1.octetString ? rest.shift()?.value : undefined
  const [known, ...more] = rest
  if (identifier === undefined || known?.tag !== ASN1.set || more.length > 0)
    throw new ChipFault('malformed_data')
  const types = readTlvs(known.value)
  if (types.length === 0 || types.length > MAX_TYPES) throw new ChipFault('malformed_data')
  return {
    identifier: parseSignerIdentifier(identifier),
    certificateHash: value === undefined ? null : { hash, value },
    types: types.map(parseType),
  }
}

function parseType(known: Tlv): string {
  if (known.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
  const [type, parameters, ...more] = readTlvs(known.value)
  const isEnd = more.length === 0 && (parameters === undefined || parameters.tag === PARAMETERS)
  if (!isEnd) throw new ChipFault('malformed_data')
  return toOid(type)
}

/** The effects of all defects that name this certificate. */
export function listDefectEffects(
  defects: readonly Defect[],
  certificate: ChipCertificate,
): readonly DefectEffect[] {
  const types = defects.filter((defect) => isAbout(defect, certificate)).flatMap((defect) => defect.types)
  return types.map((type) => {
    const below = type.startsWith(`${DEFECT_LIST}.`) ? type.slice(DEFECT_LIST.length + 1) : ''
    return EFFECTS[below] ?? 'undetermined'
  })
}

function isAbout({ identifier, certificateHash }: Defect, certificate: ChipCertificate): boolean {
  if (!isIdentified(identifier, certificate)) return false
  if (certificateHash === null) return true
  const { hash, value } = certificateHash
  return createHash(hash).update(certificate.der).digest().equals(value)
}
