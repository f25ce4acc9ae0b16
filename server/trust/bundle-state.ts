/** Which bundle of the central service is in force here, when it was confirmed last, and why a newer one is not in force. */
import type { Store } from '../store/open.ts'
import type { TrustBundleFault } from '../store/trust-kinds.ts'

export interface BundleFault {
  readonly code: TrustBundleFault
  /** The offered version; null if no signed answer named one. */
  readonly version: number | null
  /** The sentence of a refused file; null for the other faults. */
  readonly reason: string | null
  /** Milliseconds since 1970, UTC: the first time. */
  readonly at: number
}

export interface BundleState {
  /** The central service that signed it. The versions of another one count from the beginning. */
  readonly centreId: string
  /** 0: none is in force. */
  readonly version: number
  /** Hash of the signed statement, hexadecimal; null: none is in force. */
  readonly sha256: string | null
  /** Milliseconds since 1970, UTC; null: never. */
  readonly appliedAt: number | null
  readonly checkedAt: number | null
  readonly fault: BundleFault | null
}

type Known = Pick<Store, 'meta'>

const STATE = 'trust-bundle'

/** Null: no central service has answered yet. */
export function findBundleState({ meta }: Known): BundleState | null {
  return meta.getJson(STATE) as BundleState | null
}

/** The state for this central service; version 0 if the bundle in force is of another one. */
export function readBundleState(store: Known, centreId: string): BundleState {
  const kept = findBundleState(store)
  if (kept?.centreId === centreId) return kept
  return { centreId, version: 0, sha256: null, appliedAt: null, checkedAt: null, fault: null }
}

/** Call inside a transaction. */
export function saveBundleState({ meta }: Known, state: BundleState): void {
  meta.setJson(STATE, state)
}

/** The central service has confirmed that the bundle in force is its newest. */
export function noteBundleConfirmed(store: Store, centreId: string, now: Date): void {
  store.transaction(() => {
    const state = readBundleState(store, centreId)
    if (state.version > 0) store.trust.noteBundleChecked(state.version, now)
    saveBundleState(store, { ...state, checkedAt: now.getTime(), fault: null })
  })
}

/** Records a fault with an event. A fault that continues is recorded once. The lists in force stay. */
export function noteBundleFault(
  store: Store,
  centreId: string,
  { code, version, reason }: Omit<BundleFault, 'at'>,
  now: Date,
): void {
  const state = readBundleState(store, centreId)
  const { fault } = state
  if (fault?.code === code && fault.version === version && fault.reason === reason) return
  store.transaction(() => {
    saveBundleState(store, { ...state, fault: { code, version, reason, at: now.getTime() } })
    const body = { version, fault: code }
    store.events.append('trust.distribution_refused', null, body, now, { actor: 'centre' })
  })
}

/** Says what is wrong, and what staff do about it. */
export function describeBundleFault({ code, version, reason }: BundleFault): string {
  const bundle = version === null ? 'The bundle' : `Bundle ${version}`
  switch (code) {
    case 'statement_refused':
      return `${bundle} of the central service is not signed by it, or is for another kiosk. The lists in force stay. Check the address of the central service and the proxies on the way (npm run sync -- status).`
    case 'older_version':
      return `${bundle} of the central service is older than the one in force, which stays. The head office publishes its lists again until the version is higher.`
    case 'other_content':
      return `${bundle} of the central service has other content than the bundle of this version that is in force, which stays. The head office publishes its lists again.`
    case 'file_damaged':
      return `${bundle} of the central service arrived with a file that is cut or changed. The lists in force stay. The kiosk tries again each hour; if that does not help, the head office publishes its lists again.`
    case 'file_refused':
      return `${bundle} of the central service is refused, and the lists in force stay: ${reason ?? ''} The head office publishes a bundle that fits.`
  }
}
