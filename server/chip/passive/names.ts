/** Names of certificates: comparison (RFC 5280, 7.1: issuers write the same name in other string types, cases and orders), country, words. */
import { ASN1, readMembers, toOid } from '../der.ts'
import { ChipFault } from '../outcome.ts'
import { readTlvs, type Tlv } from '../tlv.ts'

const UTF8_STRING = 0x0c
const BMP_STRING = 0x1e
const COUNTRY = '2.5.4.6'
const LABELS: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  [COUNTRY]: 'C',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
}

/** @throws ChipFault malformed_data if one of both is no name */
export function isSameName(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0 || normaliseName(one) === normaliseName(other)
}

export function normaliseName(name: Uint8Array): string {
  const parts = readName(name).map(
    ({ type, text }) => `${type}=${text.trim().replace(/ +/g, ' ').toLowerCase()}`,
  )
  return JSON.stringify(parts.sort())
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
      if (text === undefined) throw new ChipFault('malformed_data')
      return { type: toOid(type), text: decodeText(text) }
    })
  })
}

function decodeText({ tag, value }: Tlv): string {
  const bytes = Buffer.from(value)
  if (tag === UTF8_STRING) return bytes.toString('utf8')
  if (tag !== BMP_STRING) return bytes.toString('latin1')
  if (bytes.length % 2 !== 0) throw new ChipFault('malformed_data')
  return bytes.swap16().toString('utf16le')
}
