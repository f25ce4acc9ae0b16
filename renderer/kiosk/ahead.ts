/** Fetches parts of the page while it is idle, so that they work when the server is unreachable later. */

/** Delay before a part that could not be fetched is tried again. */
const AGAIN_MS = 20_000

export function fetchAhead(parts: readonly (() => Promise<unknown>)[]): void {
  requestIdleCallback(() => {
    for (const part of parts) part().catch(() => setTimeout(() => fetchAhead([part]), AGAIN_MS))
  })
}
