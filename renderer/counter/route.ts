/**
 * The place within the counter: the part of the address behind `#`. The server serves one page; links can be
 * shared.
 */
import { useEffect, useState } from 'preact/hooks'

export interface Route {
  /** `proofings` of `#/proofings/0193…` */
  readonly page: string
  /** The rest of the path: ids, tabs. */
  readonly rest: readonly string[]
  readonly query: URLSearchParams
}

export const HOME = 'today'

/** Parses the address; an unknown one leads to the home page. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [page = '', ...rest] = path.split('/').filter(Boolean).map(decode)
  return { page: page || HOME, rest, query: new URLSearchParams(query) }
}

export function linkTo(
  path: string,
  query: Readonly<Record<string, string | undefined>> | URLSearchParams = {},
): string {
  const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query)
  const kept = entries.filter((entry): entry is [string, string] => Boolean(entry[1]))
  const search = new URLSearchParams(kept).toString()
  return `#/${path}${search ? `?${search}` : ''}`
}

export function goTo(path: string, query?: Parameters<typeof linkTo>[1]): void {
  location.hash = linkTo(path, query)
}

/** Changes the filters of the same page, without a history entry for every letter. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes))
    if (value) query.set(name, value)
    else query.delete(name)
  history.replaceState(null, '', linkTo(path, query))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Null: the page may be left. */
let mayLeave: ((next: Route) => boolean) | null = null

/** Asks `ask` before the address leads elsewhere, until the returned function is called; false: the page stays. */
export function guardLeaving(ask: (next: Route) => boolean): () => void {
  mayLeave = ask
  return () => {
    mayLeave = null
  }
}

/** Must be called before any other listener follows the address: a held change reaches none of them. */
export function watchLeaving(): void {
  addEventListener('hashchange', (event) => {
    if (mayLeave === null || mayLeave(parseRoute(location.hash))) return
    event.stopImmediatePropagation()
    history.replaceState(null, '', new URL(event.oldURL).hash)
  })
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
