/**
 * Nonces for the signatures of kiosks: the time of issue, sealed by the master key for one kiosk. Every instance reads the
 * nonces of the others, and none has to be remembered.
 */
import type { Secrets } from '../head-office/index.ts'

/** A recorded request can be played again for this long. */
export const NONCE_LIFETIME_MS = 5 * 60_000
/** The clocks of instances differ by less. */
const INSTANCE_SKEW_MS = 60_000

export interface Nonces {
  issue(kioskId: string, at: Date): string
  /** When the nonce was issued to this kiosk; null for one that has expired or that no instance issued. */
  read(kioskId: string, nonce: string, now: Date): Date | null
}

export function createNonces(secrets: Secrets): Nonces {
  const contextOf = (kioskId: string): string => `kiosk-nonce:${kioskId}`
  return {
    issue: (kioskId, at) => {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(at.getTime()))
      return Buffer.from(secrets.seal(contextOf(kioskId), time)).toString('base64url')
    },
    read: (kioskId, nonce, now) => {
      let time: Buffer
      try {
        time = Buffer.from(secrets.open(contextOf(kioskId), Buffer.from(nonce, 'base64url')))
      } catch {
        return null
      }
      const issuedAt = Number(time.readBigUInt64BE())
      const ageMs = now.getTime() - issuedAt
      return ageMs <= NONCE_LIFETIME_MS && ageMs >= -INSTANCE_SKEW_MS ? new Date(issuedAt) : null
    },
  }
}
