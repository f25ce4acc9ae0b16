/** Compares names of certificates (RFC 5280, 7.1): issuers write the same name in other string types, cases and orders. */
import { ASN1, readMembers, toOid } from '../der.ts'
import { ChipFault } from '../outcome.ts'
import { readTlvs, type Tlv } from '../tlv.ts'

const UTF8_STRING = 0x0c
const BMP_STRING = 0x1e

/** @throws ChipFault malformed_data if one of both is no name */
export function isSameName(one: Uint8Array, other: Uint8Array): boolean {
  return normaliseName(one) === normaliseName(other)
}

export function normaliseName(name: Uint8Array): string {
  const parts = readMembers(name).flatMap((relative) => {
    if (relative.tag !== ASN1.set) throw new ChipFault('malformed_data')
    return readTlvs(relative.value).map(({ value }) => {
      const [type, text] = readTlvs(value)
      if (text === undefined) throw new ChipFault('malformed_data')
      return `${toOid(type)}=${normaliseText(text)}`
    })
  })
  return JSON.stringify(parts.sort())
}

function normaliseText({ tag, value }: Tlv): string {
  const bytes = Buffer.from(value)
  if (tag === BMP_STRING && bytes.length % 2 !== 0) throw new ChipFault('malformed_data')
  const text =
    tag === UTF8_STRING
      ? bytes.toString('utf8')
      : tag === BMP_STRING
        ? bytes.swap16().toString('utf16le')
        : bytes.toString('latin1')
  return text.trim().replace(/ +/g, ' ').toLowerCase()
}
