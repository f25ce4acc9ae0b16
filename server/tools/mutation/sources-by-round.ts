/**
 * The TypeScript of Stryker's copy of the repository, loaded again and again in one process: a hook of Node's module loader
 * gives every file a new address per round, and notes which file uses which. Never touches what lies outside the copy.
 */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export class SourcesByRound {
  readonly #stands: Readonly<Record<string, string>>
  readonly #root = pathToFileURL(join(process.cwd(), '/')).href
  readonly #code = new Map<string, string>()
  readonly #uses = new Map<string, Set<string>>()
  #round = 0

  /** `stands` maps packages to the files that are loaded in their place; such a file itself gets the real package. */
  constructor(stands: Readonly<Record<string, string>>) {
    this.#stands = stands
  }

  /** True after the first round, when `distance` can answer. */
  get known(): boolean {
    return this.#round > 0
  }

  nextRound(): void {
    this.#round++
  }

  buildAddress(file: string): string {
    return `${pathToFileURL(file).href}?round=${this.#round}`
  }

  /** Number of imports between the two files, as far as they have been loaded; null if there is no path. */
  distance(file: string, used: string): number | null {
    const wanted = pathToFileURL(used).href
    let nearest = new Set([pathToFileURL(file).href])
    const seen = new Set(nearest)
    for (let steps = 0; nearest.size > 0; steps++) {
      if (nearest.has(wanted)) return steps
      const next = [...nearest].flatMap((url) => [...(this.#uses.get(url) ?? [])])
      nearest = new Set(next.filter((url) => !seen.has(url)))
      for (const url of nearest) seen.add(url)
    }
    return null
  }

  install(): void {
    registerHooks({
      resolve: (specifier, context, next) => {
        const stand = this.#stands[specifier]
        if (stand !== undefined && context.parentURL !== stand) return { url: stand, shortCircuit: true }
        const resolved = next(specifier, context)
        if (!this.#isOfTheCopy(resolved.url)) return resolved
        const [url] = resolved.url.split('?')
        this.#note(context.parentURL, url)
        return { ...resolved, url: `${url}?round=${this.#round}` }
      },
      load: (url, context, next) =>
        this.#isOfTheCopy(url)
          ? { format: 'module', source: this.#codeOf(url), shortCircuit: true }
          : next(url, context),
    })
  }

  #isOfTheCopy(url: string): boolean {
    return url.startsWith(this.#root) && !url.includes('/node_modules/') && url.split('?')[0].endsWith('.ts')
  }

  #note(parent: string | undefined, url: string): void {
    const from = parent?.split('?')[0] ?? ''
    const used = this.#uses.get(from) ?? new Set()
    this.#uses.set(from, used.add(url))
  }

  #codeOf(url: string): string {
    const path = fileURLToPath(url.split('?')[0])
    const code = this.#code.get(path) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'))
    this.#code.set(path, code)
    return code
  }
}
