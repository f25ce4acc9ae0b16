/**
 * The check VELOCITY: how many identities came with the same device, document or address in a while. What is counted by is
 * kept as a keyed hash alone; this file says what goes into it, and when a count is too high.
 */
import type { AddressData } from '../evidence.ts'
import type { CallerRole } from '../types.ts'
import { checked, doubted, notChecked, type Finding } from './finding.ts'

export const VELOCITY_KINDS = ['DEVICE', 'DOCUMENT', 'ADDRESS'] as const
export type VelocityKind = (typeof VELOCITY_KINDS)[number]

export interface VelocityLimit {
  /** Identities with the same mark within the window, this one among them, that nobody wonders at. */
  readonly identities: number
  readonly hours: number
}
export type VelocityLimits = Readonly<Record<VelocityKind, VelocityLimit>>

/** Identities within the window, this one among them; null: no mark of this kind is known. */
export type VelocityCounts = Readonly<Record<VelocityKind, number | null>>

/** One count that is too high is a hint. Without a document nobody can say how often it came. */
export function judgeVelocity(
  counts: VelocityCounts,
  limits: VelocityLimits,
  facts: { readonly electedWasRead: boolean },
): Finding {
  const known = VELOCITY_KINDS.flatMap((kind) => {
    const count = counts[kind]
    return count === null ? [] : [{ kind, count, limit: limits[kind] }]
  })
  const measured = Object.fromEntries(
    known.flatMap(({ kind, count, limit }) => {
      const name = kind.toLowerCase()
      return [
        [`${name}Identities`, count],
        [`${name}Limit`, limit.identities],
        [`${name}Hours`, limit.hours],
      ]
    }),
  )
  if (known.some(({ count, limit }) => count > limit.identities)) return doubted('VELOCITY', measured)
  const isAnswer = counts.DOCUMENT !== null && facts.electedWasRead
  return isAnswer ? checked('VELOCITY', measured) : notChecked('VELOCITY', measured)
}

const LOOPBACK = /^(127\.|::1$)/
const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * The device that took part in a call, to be hashed; null where it is not known. A back end that calls from elsewhere
 * speaks for many devices, and which of them it was it does not say.
 */
export function deviceOf(call: {
  readonly role: CallerRole
  readonly remoteAddress: string | null
}): string | null {
  if (call.remoteAddress === null || call.remoteAddress === '') return null
  const address = call.remoteAddress.toLowerCase().replace(MAPPED, '')
  if (LOOPBACK.test(address)) return 'this-kiosk'
  return call.role === 'USER_AGENT' ? address : null
}

/** An address so that two spellings of it meet, to be hashed; null where it does not name a place that can be counted. */
export function addressKey(address: AddressData): string | null {
  const { fullAddress, streetDetails, houseNumber, houseName, flatNumber } = address
  const street = fullAddress ?? [...(streetDetails?.streetLines ?? []), houseName, houseNumber].join(' ')
  const place = [street, flatNumber, address.postcode, address.city, address.country]
  const parts = place.map((part) => bare(part ?? ''))
  // A town alone is no address: everybody in it would be counted together.
  return parts[0] === '' ? null : parts.join('\n')
}

/** Capitals and digits alone, without accents: what is left is written in one way. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
