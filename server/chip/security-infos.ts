/**
 * SecurityInfos: what protocols a chip offers, in EF.CardAccess, EF.CardSecurity and DG14 (ICAO Doc 9303-11, 9.2). Unknown entries
 * are ignored, as the standard requires; a known entry that is malformed refuses the file.
 */
import type { CipherName } from './ciphers.ts'
import { ASN1, readMembers, toOid, toSmallNumber } from './der.ts'
import { ChipFault } from './outcome.ts'
import { readTlv, readTlvs, type Tlv } from './tlv.ts'

export type PaceMapping = 'generic' | 'integrated' | 'chip_authentication'

export interface PaceInfo {
  readonly oid: string
  readonly mapping: PaceMapping
  readonly agreement: 'dh' | 'ecdh'
  readonly cipher: CipherName
  /** Standardised domain parameters; null if the entry names none. */
  readonly parameterId: number | null
}

export interface ChipAuthenticationInfo {
  readonly oid: string
  readonly agreement: 'dh' | 'ecdh'
  readonly cipher: CipherName
  /** 1 to 3; versions 2 and 3 belong to other applications of the chip (BSI TR-03110-3, A.1.1.2). */
  readonly version: number
  readonly keyId: number | null
}

export interface ChipAuthenticationKeyInfo {
  readonly agreement: 'dh' | 'ecdh'
  /** SubjectPublicKeyInfo, not parsed yet: one key that is not supported must not hide another. */
  readonly spki: Uint8Array
  readonly keyId: number | null
}

export interface SecurityInfos {
  readonly pace: readonly PaceInfo[]
  readonly chipAuthentication: readonly ChipAuthenticationInfo[]
  readonly chipAuthenticationKeys: readonly ChipAuthenticationKeyInfo[]
  /** Signature algorithms of active authentication, as object identifiers. */
  readonly activeAuthentication: readonly string[]
}

const PACE = '0.4.0.127.0.7.2.2.4'
const CHIP_AUTHENTICATION = '0.4.0.127.0.7.2.2.3'
const CHIP_AUTHENTICATION_KEY = '0.4.0.127.0.7.2.2.1'
const ACTIVE_AUTHENTICATION = '2.23.136.1.1.5'
const PACE_VERSION = 2
const MAX_CHIP_AUTHENTICATION_VERSION = 3
const MAX_INFOS = 32 // documents have fewer than ten

const CIPHER_NUMBERS: readonly (CipherName | undefined)[] = [
  undefined,
  'TDES',
  'AES-128',
  'AES-192',
  'AES-256',
]

/** The arc after id-PACE; CAM exists only with curves and AES. */
const PACE_VARIANTS: Readonly<Record<string, Pick<PaceInfo, 'mapping' | 'agreement'>>> = {
  1: { agreement: 'dh', mapping: 'generic' },
  2: { agreement: 'ecdh', mapping: 'generic' },
  3: { agreement: 'dh', mapping: 'integrated' },
  4: { agreement: 'ecdh', mapping: 'integrated' },
  6: { agreement: 'ecdh', mapping: 'chip_authentication' },
}
const AGREEMENTS: Readonly<Record<string, 'dh' | 'ecdh'>> = { 1: 'dh', 2: 'ecdh' }

/**
 * Reads the SET OF SecurityInfo: the content of EF.CardAccess, of the signed part of EF.CardSecurity, and of DG14 in its template.
 * @throws ChipFault malformed_data
 */
export function parseSecurityInfos(set: Uint8Array): SecurityInfos {
  const entries = readMembers(set, ASN1.set)
  if (entries.length > MAX_INFOS) throw new ChipFault('malformed_data')
  const infos = entries.map((entry) => {
    if (entry.tag !== ASN1.sequence) throw new ChipFault('malformed_data')
    const [oid, required, optional, ...more] = readTlvs(entry.value)
    if (required === undefined || more.length > 0) throw new ChipFault('malformed_data')
    return { oid: toOid(oid), required, optional }
  })
  const paceNames = infos.filter(({ oid }) => readPaceProtocol(oid) !== null)
  return {
    pace: paceNames.flatMap(({ oid, required, optional }) => parsePaceInfo(oid, required, optional) ?? []),
    chipAuthentication: infos.flatMap(({ oid, required, optional }) => {
      const protocol = readChipProtocol(oid)
      if (protocol === null) return []
      const version = toSmallNumber(required)
      if (version < 1 || version > MAX_CHIP_AUTHENTICATION_VERSION) throw new ChipFault('malformed_data')
      return [{ oid, ...protocol, version, keyId: readOptional(optional) }]
    }),
    chipAuthenticationKeys: infos.flatMap(({ oid, required, optional }) => {
      const agreement = readArcs(oid, CHIP_AUTHENTICATION_KEY, 1)
      const kind = AGREEMENTS[agreement?.[0] ?? '']
      return kind === undefined
        ? []
        : [{ agreement: kind, spki: required.raw, keyId: readOptional(optional) }]
    }),
    activeAuthentication: infos
      .filter(({ oid }) => oid === ACTIVE_AUTHENTICATION)
      .map(({ optional }) => toOid(optional)),
  }
}

/** Reads EF.DG14: the SecurityInfos in the template 6E. */
export function parseDg14(file: Uint8Array): SecurityInfos {
  return parseSecurityInfos(readTlv(file, 0x6e).value)
}

/** Returns the protocol that an object identifier of PACE names, or null. */
export function readPaceProtocol(oid: string): Pick<PaceInfo, 'mapping' | 'agreement' | 'cipher'> | null {
  const [variantArc = '', cipherArc = ''] = readArcs(oid, PACE, 2) ?? []
  const variant = PACE_VARIANTS[variantArc]
  const cipher = CIPHER_NUMBERS[Number(cipherArc)]
  if (variant === undefined || cipher === undefined) return null
  if (variant.mapping === 'chip_authentication' && cipher === 'TDES') return null
  return { ...variant, cipher }
}

/** True if the chip offers this protocol with several parameters, so that the terminal must name the one it means. */
export function needsParameterId(info: PaceInfo, offered: readonly PaceInfo[]): boolean {
  return offered.some(({ oid, parameterId }) => oid === info.oid && parameterId !== info.parameterId)
}

function parsePaceInfo(oid: string, required: Tlv, optional: Tlv | undefined): PaceInfo | null {
  const protocol = readPaceProtocol(oid)
  if (protocol === null) return null
  // Version 1 is withdrawn (Doc 9303-11, 9.2.1): such an entry is not used.
  if (toSmallNumber(required) !== PACE_VERSION) return null
  return { oid, ...protocol, parameterId: readOptional(optional) }
}

function readChipProtocol(oid: string): Pick<ChipAuthenticationInfo, 'agreement' | 'cipher'> | null {
  const [agreementArc = '', cipherArc = ''] = readArcs(oid, CHIP_AUTHENTICATION, 2) ?? []
  const agreement = AGREEMENTS[agreementArc]
  const cipher = CIPHER_NUMBERS[Number(cipherArc)]
  return agreement === undefined || cipher === undefined ? null : { agreement, cipher }
}

function readOptional(optional: Tlv | undefined): number | null {
  return optional === undefined ? null : toSmallNumber(optional)
}

/** The arcs after the prefix, if there are exactly so many. */
function readArcs(oid: string, prefix: string, count: number): string[] | null {
  if (!oid.startsWith(`${prefix}.`)) return null
  const arcs = oid.slice(prefix.length + 1).split('.')
  return arcs.length === count ? arcs : null
}
