/** Paths of a route table, as Express and `Allow` need them. */

/** `/v1/identities/{id}` → `/v1/identities/:id`. */
export function expressPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1')
}

/**
 * Path → the methods it answers, HEAD with GET, for `Allow`. A path that is written out comes before one with a parameter
 * in its place, because Express takes the first that fits.
 */
export function methodsByPath(
  routes: readonly { readonly path: string; readonly method: string; readonly head?: boolean }[],
): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  const wholeFirst = [...routes].sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  for (const { path, method, head } of wholeFirst) {
    const known = methods.get(path) ?? []
    known.push(...(method === 'get' && head !== false ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    methods.set(path, known)
  }
  return methods
}
