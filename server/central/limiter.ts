/**
 * Limits slow work. A free place goes to the tenant with the least work in progress; of several, to the one whose last turn
 * is longest ago. The callers of a tenant take turns, and each has one place at a time. So a tenant or a caller that queues a
 * thousand tasks delays another one by one task.
 */
export interface Caller {
  readonly tenant: string
  readonly id: string
}
export type Limiter = <T>(caller: Caller, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

interface Tenant {
  running: number
  readonly busy: Set<string>
  /** Tasks of callers in the order of their turns. A caller without waiting tasks is removed. */
  readonly waiting: Map<string, Set<() => void>>
}

/**
 * The work waits for a place; an abort of `signal` removes it from the queue and rejects with the signal's
 * reason.
 */
export function createLimiter(places: number): Limiter {
  let running = 0
  /** Tenants in the order of their turns. A tenant without tasks is removed. */
  const tenants = new Map<string, Tenant>()

  const findNext = (): { name: string; tenant: Tenant; id: string; start: () => void } | null => {
    let next: ReturnType<typeof findNext> = null
    for (const [name, tenant] of tenants) {
      if (next && next.tenant.running <= tenant.running) continue
      for (const [id, [start]] of tenant.waiting) {
        if (start === undefined || tenant.busy.has(id)) continue
        next = { name, tenant, id, start }
        break
      }
    }
    return next
  }
  const startNext = (): void => {
    while (running < places) {
      const next = findNext()
      if (!next) return
      const { name, tenant, id, start } = next
      leave(name, id, start)
      running++
      tenant.running++
      tenant.busy.add(id)
      start()
    }
  }
  const leave = (name: string, id: string, start: () => void): void => {
    const tenant = tenants.get(name)
    const tasks = tenant?.waiting.get(id)
    tasks?.delete(start)
    if (tasks?.size === 0) tenant?.waiting.delete(id)
  }
  const removeIdle = (name: string): void => {
    const tenant = tenants.get(name)
    if (tenant?.running === 0 && tenant.waiting.size === 0) tenants.delete(name)
  }

  return async ({ tenant: name, id }, work, signal) => {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        leave(name, id, start)
        removeIdle(name)
        reject(signal?.reason as Error)
      }
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      const tenant: Tenant = tenants.get(name) ?? { running: 0, busy: new Set(), waiting: new Map() }
      tenants.set(name, tenant)
      tenant.waiting.set(id, (tenant.waiting.get(id) ?? new Set()).add(start))
      startNext()
    })
    try {
      return await work()
    } finally {
      running--
      const tenant = tenants.get(name)
      if (tenant) {
        tenant.running--
        tenant.busy.delete(id)
        // The next turn comes after those of all others, also of those that have come since this one began.
        moveToEnd(tenant.waiting, id)
        moveToEnd(tenants, name)
      }
      removeIdle(name)
      startNext()
    }
  }
}

function moveToEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}
