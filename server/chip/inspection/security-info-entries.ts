/** Compares EF.CardAccess, which is not signed, with the signed files that repeat it. */
import { ASN1, readMembers, toOid } from '../der.ts'
import { parseCardSecurity } from '../files/card-security.ts'
import { readTlv, readTlvs, type Tlv } from '../tlv.ts'

const PACE = '0.4.0.127.0.7.2.2.4.'
const DG14_TAG = 0x6e

/** Each SecurityInfo of EF.CardAccess, in hexadecimal. */
export function listEntries(cardAccess: Uint8Array): string[] {
  return readMembers(cardAccess, ASN1.set).map(toHex)
}

/** Only those of PACE: DG14 repeats them, and other entries as the issuer likes (Doc 9303-11, 9.2). */
export function listPaceEntries(cardAccess: Uint8Array): string[] {
  return readMembers(cardAccess, ASN1.set)
    .filter(({ value }) => toOid(readTlvs(value)[0]).startsWith(PACE))
    .map(toHex)
}

/** True if the signed file, DG14 or EF.CardSecurity, has every entry; it may have more. */
export function isRepeated(entries: readonly string[], signedFile: Uint8Array): boolean {
  const isDg14 = signedFile[0] === DG14_TAG
  const set = isDg14 ? readTlv(signedFile, DG14_TAG).value : parseCardSecurity(signedFile).signedData.content
  const signed = new Set(readMembers(set, ASN1.set).map(toHex))
  return entries.every((entry) => signed.has(entry))
}

function toHex({ raw }: Tlv): string {
  return Buffer.from(raw).toString('hex')
}
