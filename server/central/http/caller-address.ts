/** The address that limits count by. */
import type { Request } from 'express'
import { isIPv4, isIPv6 } from 'node:net'

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
/** One connection of a provider usually has a whole /64 of IPv6 addresses (RFC 6177). */
const GROUPS_OF_64_BITS = 4

/**
 * The address of the caller: of the connection, or, where the connection comes from a trusted proxy, the right-most
 * address of X-Forwarded-For that is no trusted proxy (`trustedProxies`, Express `trust proxy`). IPv6 is cut to its /64.
 */
export function callerAddress(req: Request): string {
  return limitKeyOf(req.ip ?? '')
}

/** Equal for addresses that share a limit. */
export function limitKeyOf(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1]
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address
  if (!isIPv6(address)) return 'unknown'
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? []
  const groups = head.split(':').filter((group) => group !== '')
  const end = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - end.length)
  return [...groups, ...Array<string>(zeros).fill('0'), ...end]
    .slice(0, GROUPS_OF_64_BITS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
