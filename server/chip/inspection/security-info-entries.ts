/** Compares EF.CardAccess, which is not signed, with the signed files that repeat it. */
import { ASN1, readMembers, toOid } from '../der.ts'
import { parseCardSecurity } from '../files/card-security.ts'
import { readTlv, readTlvs, type Tlv } from '../tlv.ts'

const PACE = '0.4.0.127.0.7.2.2.4.'

/**
 * True if DG14 and EF.CardAccess have the same entries of PACE (Doc 9303-11, 9.2); an entry that only DG14 has was hidden from the
 * terminal. DG14 has other entries as the issuer likes.
 * @param cardAccess null if the chip gave none
 */
export function hasSamePaceEntries(cardAccess: Uint8Array | null, dg14: Uint8Array): boolean {
  const announced = cardAccess === null ? [] : listEntries(cardAccess).filter(isPace).map(toHex)
  const signed = listEntries(readTlv(dg14, 0x6e).value).filter(isPace).map(toHex)
  const isSigned = announced.every((entry) => signed.includes(entry))
  return isSigned && signed.every((entry) => announced.includes(entry))
}

/** True if EF.CardSecurity has every entry of EF.CardAccess; it may have more (TR-03105-5.1, LDS_J_01). */
export function isRepeated(cardAccess: Uint8Array, cardSecurity: Uint8Array): boolean {
  const signed = listEntries(parseCardSecurity(cardSecurity).signedData.content).map(toHex)
  return listEntries(cardAccess).every((entry) => signed.includes(toHex(entry)))
}

function listEntries(set: Uint8Array): Tlv[] {
  return readMembers(set, ASN1.set)
}

function isPace({ value }: Tlv): boolean {
  return toOid(readTlvs(value)[0]).startsWith(PACE)
}

function toHex({ raw }: Tlv): string {
  return Buffer.from(raw).toString('hex')
}
