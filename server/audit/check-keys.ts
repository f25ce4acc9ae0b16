/** Checks that every signing key has its events, and that dates, certificate and state agree with them. */
import { createHash } from 'node:crypto'
import type { AuditView, SigningKeyRow } from '../store/audit-view.ts'
import type { EventFacts, NotedEvent } from './event-facts.ts'
import type { Findings } from './findings.ts'

const TABLE = 'signing_keys'

/** A key according to the events; undefined: an older version did not record it. */
interface Told {
  readonly kid: string
  readonly createdAt: number | undefined
  readonly inToken: unknown
  activeFrom: number | undefined
  retiredAt: number | null
  revokedAt: number | null
  chainSha256: unknown
}

export function checkKeys(view: AuditView, facts: EventFacts, findings: Findings): void {
  const rows = view.signingKeyRows()
  const told = whatEventsTell(facts.noted)
  for (const row of rows) {
    const key = told.get(row.kid)
    if (!key) {
      const message = `Signing key ${row.kid} has no event in the log: it was made up, and nothing that it signed counts.`
      findings.add(TABLE, 'made_up', row.kid, message)
      continue
    }
    for (const what of differences(view, row, key)) {
      findings.add(
        TABLE,
        'changed',
        row.kid,
        `Signing key ${row.kid} has another ${what} than the log notes.`,
      )
    }
  }
  const present = new Set(rows.map(({ kid }) => kid))
  for (const { kid } of told.values()) {
    if (!present.has(kid))
      findings.add(TABLE, 'missing', kid, `Signing key ${kid}, which the log notes, is missing.`)
  }
  const inUse = facts.noted.findLast(({ type }) => type === 'key.activated')?.body.kid ?? null
  if (view.note('signing-key-in-use') !== inUse) {
    const message = 'The note of the signing key in use names another key than the log does.'
    findings.add('meta', 'changed', 'signing-key-in-use', message)
  }
}

function differences(view: AuditView, row: SigningKeyRow, key: Told): string[] {
  const chain = row.certificate_chain === null ? undefined : computeSha256(row.certificate_chain, 'hex')
  const differs: readonly (readonly [string, boolean])[] = [
    ['public half', computeThumbprint(row.public_jwk) !== row.kid],
    ['private half', row.source === 'pkcs11' ? row.wrapped_private !== null : !view.hasPrivateHalf(row)],
    ['algorithm', row.algorithm !== 'RS256'],
    ['source', typeof key.inToken === 'boolean' && key.inToken !== (row.source === 'pkcs11')],
    ['certificate chain', chain !== key.chainSha256],
    ['date of creation', key.createdAt !== undefined && row.created_at !== key.createdAt],
    ['first day of use', key.activeFrom !== undefined && row.active_from !== key.activeFrom],
    ['end of use', row.retired_at !== key.retiredAt],
    ['date of revocation', row.revoked_at !== key.revokedAt],
  ]
  return differs.flatMap(([what, different]) => (different ? [what] : []))
}

/** Repeats the steps of `keys/rotation` from the events alone. */
function whatEventsTell(events: readonly NotedEvent[]): ReadonlyMap<string, Told> {
  const keys = new Map<string, Told>()
  const isActive = (key: Told, at: number): boolean =>
    key.revokedAt === null &&
    (key.retiredAt === null || key.retiredAt > at) &&
    (key.activeFrom === undefined || key.activeFrom <= at || key.activeFrom <= (key.createdAt ?? 0))
  const isPending = (key: Told, at: number): boolean =>
    key.revokedAt === null && (key.retiredAt === null || key.retiredAt > at) && !isActive(key, at)
  const active = (at: number): Told[] => [...keys.values()].filter((key) => isActive(key, at))
  const retire = (key: Told, at: number): void => {
    if (key.retiredAt === null || key.retiredAt > at) key.retiredAt = at
  }
  const callOff = (key: Told, at: number): void => {
    if (isPending(key, at)) for (const other of active(at)) other.retiredAt = null
  }
  for (const { type, at, reason, body } of events) {
    const kid = typeof body.kid === 'string' ? body.kid : ''
    const key = keys.get(kid)
    const from = typeof body.activeFrom === 'number' ? body.activeFrom : undefined
    if (type === 'key.created') {
      if (from !== undefined) for (const other of active(at)) retire(other, from)
      keys.set(kid, { ...aKey(kid), createdAt: at, inToken: body.inToken, activeFrom: from })
    } else if (type === 'key.activated') {
      // An older version recorded no more.
      if (!key) keys.set(kid, aKey(kid))
      else if (key.activeFrom !== undefined && !isActive(key, at))
        key.activeFrom = Math.min(key.activeFrom, at)
    } else if (!key) {
      continue
    } else if (type === 'key.retired' && reason !== 'ROTATION') {
      callOff(key, at)
      retire(key, at)
    } else if (type === 'key.revoked') {
      callOff(key, at)
      key.revokedAt = typeof body.since === 'number' ? body.since : at
    } else if (type === 'key.certified') {
      key.chainSha256 = body.chainSha256
    }
  }
  return keys
}

function aKey(kid: string): Told {
  return {
    kid,
    createdAt: undefined,
    inToken: undefined,
    activeFrom: undefined,
    retiredAt: null,
    revokedAt: null,
    chainSha256: undefined,
  }
}

/** RFC 7638. */
function computeThumbprint(publicJwk: string): string | null {
  try {
    const { e, kty, n } = JSON.parse(publicJwk) as Record<string, unknown>
    return computeSha256(JSON.stringify({ e, kty, n }), 'base64url')
  } catch {
    return null
  }
}

function computeSha256(text: string, encoding: 'hex' | 'base64url'): string {
  return createHash('sha256').update(text, 'utf8').digest(encoding)
}
