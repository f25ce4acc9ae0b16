/**
 * Measures how much a page of the built screens makes a browser load: its scripts and styles, compressed as for a
 * network.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Compressed bytes. */
export interface BundleSize {
  readonly scripts: number
  readonly styles: number
  /** Scripts that no page names; one of them is loaded when a person chooses that language. */
  readonly lazy: Readonly<Record<string, number>>
}

/** @param screensDir the folder with a folder for each page and `assets/` beside them */
export function measureBundle(screensDir: string, page: 'kiosk' | 'counter'): BundleSize {
  const assets = join(screensDir, 'assets')
  const size = (name: string): number => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + size(name), 0)
  const own = namedBy(screensDir, page)
  const named = new Set([...namedBy(screensDir, 'kiosk'), ...namedBy(screensDir, 'counter')])
  const lazy = readdirSync(assets).filter((name) => name.endsWith('.js') && !named.has(name))
  return {
    scripts: sum(own.filter((name) => name.endsWith('.js'))),
    styles: sum(own.filter((name) => name.endsWith('.css'))),
    lazy: Object.fromEntries(lazy.map((name) => [name.replace(/-[\w-]{8}\.js$/, ''), size(name)])),
  }
}

/** Names of the files that a page loads before it shows anything: entry, shared chunks, styles. */
export function namedBy(screensDir: string, page: 'kiosk' | 'counter'): string[] {
  const html = readFileSync(join(screensDir, page, 'index.html'), 'utf8')
  // The organisation's colours come from its configuration and are not built.
  return [...html.matchAll(/(?:src|href)="([^"]*assets\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) =>
    basename(path),
  )
}
