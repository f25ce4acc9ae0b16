/**
 * Check VELOCITY: limits how many identities use the same device, document or address within a time window. Only keyed
 * hashes are stored; this file defines their input and the limits.
 */
import type { AddressData } from '../evidence.ts'
import type { CallerRole } from '../types.ts'
import { createOkFinding, createWarningFinding, createUnverifiedFinding, type Finding } from './finding.ts'

export const VELOCITY_KINDS = ['DEVICE', 'DOCUMENT', 'ADDRESS'] as const
export type VelocityKind = (typeof VELOCITY_KINDS)[number]

interface VelocityLimit {
  /** Maximum number of identities with the same mark within the window, including this one. */
  readonly identities: number
  readonly hours: number
}
type VelocityLimits = Readonly<Record<VelocityKind, VelocityLimit>>

/** Identities within the window, including this one; null if there is no mark of this kind. */
export type VelocityCounts = Readonly<Record<VelocityKind, number | null>>

/** A single exceeded limit is a hint. Without a document its frequency is unknown. */
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
  if (known.some(({ count, limit }) => count > limit.identities))
    return createWarningFinding('VELOCITY', measured)
  const isAnswer = counts.DOCUMENT !== null && facts.electedWasRead
  return isAnswer ? createOkFinding('VELOCITY', measured) : createUnverifiedFinding('VELOCITY', measured)
}

const LOOPBACK = /^(127\.|::1$)/
const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * The device in a call, to be hashed; null if unknown. A back end calls for many devices, so its address identifies none.
 */
export function identifyDevice(call: {
  readonly role: CallerRole
  readonly remoteAddress: string | null
}): string | null {
  if (call.remoteAddress === null || call.remoteAddress === '') return null
  const address = call.remoteAddress.toLowerCase().replace(MAPPED, '')
  if (LOOPBACK.test(address)) return 'this-kiosk'
  return call.role === 'USER_AGENT' ? address : null
}

/** Canonical form of an address, to be hashed; null if it is too general to count. */
export function computeAddressKey(address: AddressData): string | null {
  const { fullAddress, streetDetails, houseNumber, houseName, flatNumber } = address
  const street = fullAddress ?? [...(streetDetails?.streetLines ?? []), houseName, houseNumber].join(' ')
  const place = [street, flatNumber, address.postcode, address.city, address.country]
  const parts = place.map((part) => bare(part ?? ''))
  // A town alone is no address: it would count all its residents together.
  return parts[0] === '' ? null : parts.join('\n')
}

/** Upper-case letters and digits only, without accents. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
