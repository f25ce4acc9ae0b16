/**
 * Schemas for listen addresses and reverse proxies, shared by the appliance and the central service.
 */
import { isIP } from 'node:net'
import { z } from 'zod'

/** An address or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

/** The largest private networks are 10.0.0.0/8 and fc00::/7. Two networks of /1 would trust every peer. */
const MIN_BITS = { 4: 8, 6: 7 }

function isNarrow(text: string): boolean {
  const [address = '', bits] = text.split('/')
  return bits === undefined || Number(bits) >= MIN_BITS[isIP(address) === 4 ? 4 : 6]
}

export const TrustedProxies = z
  .array(
    z
      .string()
      .refine(isNetwork, {
        error: 'an address or a network is expected, such as 10.0.0.5 or 10.0.0.0/24',
        abort: true,
      })
      .refine(
        isNarrow,
        'this network is too wide: its callers could choose the address that counts. Name the proxies, or a network of at most 10.0.0.0/8 or fc00::/7',
      ),
  )
  .default([])
  .describe(
    'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto count; of all other peers they do not',
  )

/** True if only this machine can reach the address. Names other than `localhost` may resolve to any address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
