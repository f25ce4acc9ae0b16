/**
 * Places for the verification of packets, because each one is opened in memory: one for each core, and few of them for large
 * packets.
 */
import { createLimiter, type Caller } from '../limiter.ts'

export type VerificationPlaces = <T>(
  caller: Caller,
  packetBytes: number,
  work: () => Promise<T>,
) => Promise<T>

/** A usual packet has some 200 kB. */
const LARGE_BYTES = 64 * 1024 * 1024
const LARGE_AT_ONCE = 2

export function createVerificationPlaces(places: number): VerificationPlaces {
  const all = createLimiter(places)
  const large = createLimiter(Math.min(LARGE_AT_ONCE, places))
  return (caller, packetBytes, work) =>
    packetBytes > LARGE_BYTES ? large(caller, () => all(caller, work)) : all(caller, work)
}
