/** Values that live as long as one appliance: workflows are functions and have no state of their own. */
import type { Context } from '../context.ts'

/**
 * Returns a function that creates the value at its first call for a context, and returns the same value
 * afterwards.
 */
export function createPerContext<T extends object>(make: (ctx: Context) => T): (ctx: Context) => T {
  const values = new WeakMap<Context, T>()
  return (ctx) => {
    const value = values.get(ctx) ?? make(ctx)
    values.set(ctx, value)
    return value
  }
}
