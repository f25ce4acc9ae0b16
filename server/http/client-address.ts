/**
 * Finds the address of the client of a request. It is the socket's peer, unless that peer is one of `trustedProxies`:
 * then it is the address that the proxy forwards (Express `trust proxy`, set in mount.ts). X-Forwarded-For from any
 * other sender is ignored.
 */
import { isIPv4, isIPv6 } from 'node:net'
import type { Request } from 'express'

/** Returns IPv4 in its own form, even if a socket maps it into IPv6. Returns '' if the address is unknown. */
export function clientAddress(req: Request): string {
  return plainAddress(req.ip ?? '')
}

export function plainAddress(address: string): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return isIPv4(bare) || isIPv6(bare) ? bare : ''
}

/**
 * Returns the client as limits per address count it: an IPv4 address, or the /64 network of an IPv6 address. One
 * subscriber has a whole /64 and could otherwise use a new address for each call.
 */
export function clientNetwork(req: Request): string {
  const address = clientAddress(req)
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
