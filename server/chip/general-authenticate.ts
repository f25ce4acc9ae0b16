/** The commands that PACE and chip authentication share: MSE:Set AT and GENERAL AUTHENTICATE (ICAO Doc 9303-11, 4.4.4 and 6.2.4). */
import { EXTENDED_LE, makeCommand, SHORT_LE, type Channel } from './apdu.ts'
import { ChipFault, type FaultReason } from './outcome.ts'
import { requireSuccess } from './status-words.ts'
import { readTlv, readTlvs, writeTlv, type Tlv } from './tlv.ts'

const DYNAMIC_AUTHENTICATION_DATA = 0x7c
const MAX_SHORT_DATA = 255
const CHAINED_CLASS = 0x10

/**
 * @param p1 what the security environment is set for: 0xc1 (PACE) or 0x41 (chip authentication)
 * @param p2 0xa4 (authentication) or 0xa6 (key agreement)
 */
export async function setSecurityEnvironment(
  channel: Channel,
  p1: number,
  p2: number,
  objects: readonly Uint8Array[],
): Promise<void> {
  const command = makeCommand([0, 0x22, p1, p2], { data: Buffer.concat(objects) })
  requireSuccess(await channel.transmit(command))
}

/**
 * Sends one step and returns the objects of the reply.
 * @param isLast false if a further step follows (command chaining)
 * @param reason the fault for a status word other than success
 */
export async function authenticate(
  channel: Channel,
  objects: readonly Uint8Array[],
  { isLast, reason = 'status_refused' }: { readonly isLast: boolean; readonly reason?: FaultReason },
): Promise<Tlv[]> {
  const data = writeTlv(DYNAMIC_AUTHENTICATION_DATA, ...objects)
  // A short Le where it suffices: some chips refuse the extended one (6982) before the session exists.
  const le = data.length > MAX_SHORT_DATA ? EXTENDED_LE : SHORT_LE
  const command = makeCommand([isLast ? 0 : CHAINED_CLASS, 0x86, 0, 0], { data, le })
  const reply = requireSuccess(await channel.transmit(command), reason)
  try {
    return reply.length === 0 ? [] : readTlvs(readTlv(reply, DYNAMIC_AUTHENTICATION_DATA).value)
  } catch (cause) {
    throw cause instanceof ChipFault ? new ChipFault('malformed_reply', { cause }) : cause
  }
}

/** Returns the value of the object with this tag. Throws ChipFault malformed_reply unless there is exactly one. */
export function getReplyValue(objects: readonly Tlv[], tag: number): Uint8Array {
  const [found, ...more] = objects.filter((object) => object.tag === tag)
  if (found === undefined || more.length > 0) throw new ChipFault('malformed_reply')
  return found.value
}
