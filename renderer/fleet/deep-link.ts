/** A link to a tenant, a list, a kiosk or an alarm of the page survives the sign-in at the provider, which leaves the page. */
import { parseRoute } from '../counter/route.ts'

const SLOT = 'counterproof-link'

export function isDeepLink(): boolean {
  return location.hash.startsWith('#/?')
}

export function keepDeepLink(): void {
  if (isDeepLink()) sessionStorage.setItem(SLOT, location.hash)
}

/** Opens the kept link, if the address has none. */
export function restoreDeepLink(): void {
  const link = sessionStorage.getItem(SLOT)
  sessionStorage.removeItem(SLOT)
  if (link === null || isDeepLink()) return
  history.replaceState(null, '', link)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Returns the tenant that the address, or else the kept link, names. */
export function readLinkedTenant(): string | null {
  const link = isDeepLink() ? location.hash : (sessionStorage.getItem(SLOT) ?? '')
  return parseRoute(link).query.get('tenant')
}
