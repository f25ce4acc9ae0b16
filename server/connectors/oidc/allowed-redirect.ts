/**
 * Whether a person may be sent on to this address: same origin as an allowed one, and at or below its path. Compared as
 * parsed URLs, as the browser will, so that neither `https://allowed@elsewhere/`, `/allowed/../` nor `/allowed-not` passes.
 */
export function isAllowedRedirect(target: string, allowed: readonly string[]): boolean {
  if (!URL.canParse(target)) return false
  const { origin, pathname, username, password } = new URL(target)
  if (username || password) return false
  return allowed.some((prefix) => {
    const base = new URL(prefix)
    const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`
    return origin === base.origin && (pathname === base.pathname || pathname.startsWith(folder))
  })
}
