/**
 * Lists the routes that a server has mounted, from Express itself: it observes every router while the server
 * is built.
 */
import express, { Router, type Application } from 'express'
import { vi } from 'vitest'

interface WatchedRoute {
  readonly path: string
  /** Express's own form: method in small letters, `_all` for every method. */
  readonly methods: Readonly<Record<string, boolean>>
}
interface Watched {
  readonly routes: WatchedRoute[]
  readonly children: { readonly path: string; readonly router: object }[]
}

export interface Mounting {
  /** `GET /v1/identities/{id}` for every route that answers a method, from each root application. */
  list(): readonly string[]
  stop(): void
}

export function watchMounting(): Mounting {
  const all = new Map<object, Watched>()
  const mounted = new Set<object>()
  const of = (router: object): Watched => {
    const known = all.get(router) ?? { routes: [], children: [] }
    all.set(router, known)
    return known
  }
  const add = (parent: object, args: readonly unknown[]) => {
    const [first] = args
    const paths = typeof first === 'string' ? [first] : Array.isArray(first) ? (first as string[]) : ['']
    for (const child of args.flat(5)) {
      // Routers and applications are functions with their own routes.
      if (typeof child !== 'function' || !('route' in child)) continue
      mounted.add(child)
      for (const path of paths) of(parent).children.push({ path, router: child })
    }
  }
  const routers = Router.prototype as Router
  const use = Reflect.get(routers, 'use') as unknown
  const route = Reflect.get(routers, 'route') as unknown
  const spies = [
    vi.spyOn(routers, 'use').mockImplementation(function (this: Router, ...args: unknown[]) {
      add(this, args)
      return (use as (...all: unknown[]) => Router).apply(this, args)
    } as never),
    vi.spyOn(routers, 'route').mockImplementation(function (this: Router, path: string) {
      const made = (route as (path: string) => object).call(this, path)
      of(this).routes.push(made as WatchedRoute)
      return made
    } as never),
  ]
  // An application creates its router at its first use, and mounts another one by a wrapping function.
  const applications = (express as unknown as { application: Application }).application
  const useApplication = applications.use as (...all: unknown[]) => Application
  spies.push(
    vi.spyOn(applications, 'use').mockImplementation(function (this: Application, ...args: unknown[]) {
      add(this, args)
      return useApplication.apply(this, args)
    } as never) as never,
  )

  const routesBelow = (router: object, prefix: string): readonly string[] => {
    const inner = (router as { readonly router?: object }).router
    const { routes, children } = of(router)
    const below = inner !== undefined && inner !== router && typeof inner === 'function' ? [inner] : []
    return [
      ...routes.flatMap(({ path, methods }) =>
        Object.keys(methods)
          // `app.all` registers a refusal for every method that Node knows.
          .filter((method) => method !== '_all' && !('unlock' in methods))
          .map((method) => `${method.toUpperCase()} ${templateOf(prefix + path)}`),
      ),
      ...children.flatMap((child) => routesBelow(child.router, prefix + child.path)),
      ...below.flatMap((child) => routesBelow(child, prefix)),
    ]
  }
  return {
    list: () => {
      const inner = new Set([...all.keys()].map((router) => (router as { router?: object }).router))
      const roots = [...all.keys()].filter((router) => !mounted.has(router) && !inner.has(router))
      return [...new Set(roots.flatMap((root) => routesBelow(root, '')))].sort()
    },
    stop: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

/** `/v1/identities/:id` → `/v1/identities/{id}`. */
function templateOf(path: string): string {
  return path
    .replaceAll(/\/+/g, '/')
    .replaceAll(/:(\w+)/g, '{$1}')
    .replace(/(.)\/$/, '$1')
}
