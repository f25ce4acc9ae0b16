/**
 * Nonces for the signatures of kiosks: the time of issue, encrypted with the master key for one kiosk. Every
 * instance accepts the nonces of the others without storing them.
 */
import type { Secrets } from '../head-office/index.ts'

/** A recorded request can be replayed for this long. */
const NONCE_LIFETIME_MS = 5 * 60_000
/** The clocks of instances differ by less than this. */
const INSTANCE_SKEW_MS = 60_000

export interface Nonces {
  issue(kioskId: string, at: Date): string
  /** Returns when the nonce was issued to this kiosk; null for an expired or unknown one. */
  read(kioskId: string, nonce: string, now: Date): Date | null
}

export function createNonces(secrets: Secrets): Nonces {
  const buildNonceContext = (kioskId: string): string => `kiosk-nonce:${kioskId}`
  return {
    issue: (kioskId, at) => {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(at.getTime()))
      return Buffer.from(secrets.seal(buildNonceContext(kioskId), time)).toString('base64url')
    },
    read: (kioskId, nonce, now) => {
      let time: Buffer
      try {
        time = Buffer.from(secrets.open(buildNonceContext(kioskId), Buffer.from(nonce, 'base64url')))
      } catch {
        return null
      }
      const issuedAt = Number(time.readBigUInt64BE())
      const ageMs = now.getTime() - issuedAt
      return ageMs <= NONCE_LIFETIME_MS && ageMs >= -INSTANCE_SKEW_MS ? new Date(issuedAt) : null
    },
  }
}
