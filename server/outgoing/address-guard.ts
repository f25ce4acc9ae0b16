/**
 * Where a webhook may go: a consumer names the address, so it must not become a way into the network that the server
 * stands in. Judged when it is registered, and again on the resolved address of every connection, since a name may
 * point elsewhere by then.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { fieldProblem } from '../errors.ts'

export interface AddressRules {
  readonly allowHttp: boolean
  readonly allowPrivateAddresses: boolean
}

/** The code of the error with which a connection to a refused address ends. */
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

/** An address as text. IPv6 forms that hold an IPv4 address count as that one. */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%', 1)[0] ?? ''
  if (isIP(bare) === 0) return false
  const mapped = /^::(ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[2]
  if (mapped) return isPublicAddress(mapped)
  // BlockList judges ::ffff:0:0/96 in hexadecimal by the rules of IPv4; the old ::a.b.c.d form is nobody's address.
  if (/^::[0-9a-f]{1,4}(:[0-9a-f]{1,4})?$/i.test(bare)) return false
  return !blocked.check(bare, detectFamily(bare))
}

/** Throws `validation_failed` for an address that is refused as it stands. Names are resolved only when it is called. */
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

/** Throws an error of code ADDRESS_REFUSED for a literal address that is refused; names pass on to `guardedLookup`. */
export function checkLiteralAddress(url: URL, rules: AddressRules): void {
  const host = readHost(url)
  if (!rules.allowPrivateAddresses && isIP(host) > 0 && !isPublicAddress(host)) throw refusal()
}

type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void

/** dns.lookup that gives no address out unless all of the name's addresses are allowed. */
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
