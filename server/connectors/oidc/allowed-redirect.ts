/**
 * Tests whether the applicant may be redirected to this address: same origin as an allowed one, and at or below its path.
 * Compares parsed URLs like the browser, so that `https://allowed@elsewhere/`, `/allowed/../` and `/allowed-not` are
 * rejected.
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
