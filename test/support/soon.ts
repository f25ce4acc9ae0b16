/** For `vi.waitFor` and `vi.waitUntil`, whose default of one second is too short on a busy machine. */
export const SOON = { timeout: 60_000 }
