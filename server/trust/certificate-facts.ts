/** Facts of a certificate that path building of the chip does not need: extensions by id, the country, the subject in words. */
import { createHash } from 'node:crypto'
import { ASN1, readMembers, toOid } from '../chip/der.ts'
import { ChipFault } from '../chip/outcome.ts'
import type { ChipCertificate } from '../chip/passive/certificate.ts'
import { findValue, readTlv, readTlvs } from '../chip/tlv.ts'

const COUNTRY = '2.5.4.6'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const KEY_USAGE = '2.5.29.15'
/** RFC 5280, 4.2.1.3: bit 6. */
const REVOCATION_LIST_SIGNING = 0x02
const LABELS: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  [COUNTRY]: 'C',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
}

/** SHA-256 in hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * The country of a name in capital letters: some states write it in small letters. Null if there is none or it has another form.
 * @throws ChipFault malformed_data
 */
export function findCountry(name: Uint8Array): string | null {
  const value =
    readName(name)
      .find(({ type }) => type === COUNTRY)
      ?.text.toUpperCase() ?? ''
  return /^[A-Z]{2,3}$/.test(value) ? value : null
}

/**
 * A name on one line, such as `C=DE, O=bund, CN=csca-germany`; control characters become spaces.
 * @throws ChipFault malformed_data
 */
export function formatName(name: Uint8Array): string {
  return readName(name)
    .map(({ type, text }) => `${LABELS[type] ?? type}=${text.replace(/\p{C}/gu, ' ')}`)
    .join(', ')
}

function readName(name: Uint8Array): { readonly type: string; readonly text: string }[] {
  return readMembers(name).flatMap((relative) => {
    if (relative.tag !== ASN1.set) throw new ChipFault('malformed_data')
    return readTlvs(relative.value).map(({ value }) => {
      const [type, text] = readTlvs(value)
      return { type: toOid(type), text: Buffer.from(text?.value ?? []).toString('utf8') }
    })
  })
}

/** Object identifiers of the extended key usage; empty if the certificate has none. */
export function readPurposes({ tbs }: ChipCertificate): readonly string[] {
  const value = findExtension(tbs, EXTENDED_KEY_USAGE)
  return value === null ? [] : readMembers(value).map(toOid)
}

export function maySignRevocationLists({ tbs }: ChipCertificate): boolean {
  const usage = findExtension(tbs, KEY_USAGE)
  const [, bits = 0] = usage === null ? [] : readTlv(usage, ASN1.bitString).value
  return (bits & REVOCATION_LIST_SIGNING) !== 0
}

function findExtension(tbs: Uint8Array, oid: string): Uint8Array | null {
  const wrapped = findValue(readMembers(tbs), 0xa3)
  const list = wrapped === null ? [] : readMembers(wrapped)
  const members = list.map(({ value }) => readTlvs(value)).find(([type]) => toOid(type) === oid)
  return members?.at(-1)?.value ?? null
}
