/**
 * Decides which addresses a webhook may call. The consumer chooses the address, so it must not give access to the server's
 * own network (SSRF). Checked at registration and again on the resolved address of every connection, because a name may
 * resolve to another address later.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { fieldProblem } from '../errors.ts'

export interface AddressRules {
  readonly allowHttp: boolean
  readonly allowPrivateAddresses: boolean
}

/** Error code of a connection to a refused address. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED'

/** IANA special-purpose registries: nothing here is a host on the internet. */
const NOT_PUBLIC: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['::1', 128],
  ['::ffff:0:0:0', 96], // IPv4, translated (RFC 2765)
  ['64:ff9b::', 96], // IPv4 behind a translator
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: holds an IPv4 address
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]
const blocked = new BlockList()
for (const [network, bits] of NOT_PUBLIC) blocked.addSubnet(network, bits, detectFamily(network))

/** An IPv6 form that contains an IPv4 address is judged as that IPv4 address. */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%', 1)[0] ?? ''
  if (isIP(bare) === 0) return false
  const mapped = /^::(ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[2]
  if (mapped) return isPublicAddress(mapped)
  // BlockList applies the IPv4 rules to hexadecimal ::ffff:0:0/96. The deprecated form ::a.b.c.d is assigned to no host.
  if (/^::[0-9a-f]{1,4}(:[0-9a-f]{1,4})?$/i.test(bare)) return false
  return !blocked.check(bare, detectFamily(bare))
}

/** Throws `validation_failed` for a refused address. Does not resolve names; `guardedLookup` does at each connection. */
export function checkWebhookUrl(text: string, rules: AddressRules): URL {
  const refuse = (message: string) => fieldProblem('url_refused', 'url', message)
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url) throw refuse('must be an absolute URL')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp))
    throw refuse('must be https')
  if (url.username || url.password) throw refuse('must not have user information')
  if (url.hash) throw refuse('must not have a fragment')
  if (!rules.allowPrivateAddresses && isInside(readHost(url))) {
    throw refuse('must not point to this machine or a private network')
  }
  return url
}

/** Throws an error of code ADDRESS_REFUSED for a refused literal address; `guardedLookup` checks names. */
export function checkLiteralAddress(url: URL, rules: AddressRules): void {
  const host = readHost(url)
  if (!rules.allowPrivateAddresses && isIP(host) > 0 && !isPublicAddress(host)) throw refusal()
}

type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void

/** A `dns.lookup` that returns addresses only if all addresses of the name are allowed. */
export function guardedLookup(rules: AddressRules, resolve: typeof systemLookup = systemLookup) {
  return (hostname: string, options: LookupOptions, callback: Callback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const refused =
        !rules.allowPrivateAddresses && !addresses.every(({ address }) => isPublicAddress(address))
      const [first] = addresses
      if (refused || !first) return callback(refusal(), [])
      if (options.all === true) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

function isInside(host: string): boolean {
  if (isIP(host) > 0) return !isPublicAddress(host)
  return (
    host === 'localhost' || /\.(localhost|local|internal|home\.arpa)\.?$/.test(host) || !host.includes('.')
  )
}

function readHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
}

function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('address refused'), { code: ADDRESS_REFUSED })
}

function detectFamily(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}
