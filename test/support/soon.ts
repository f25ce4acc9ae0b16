/** For `vi.waitFor` and `vi.waitUntil`, which give up after a second: as long as a machine takes that does five other things. */
export const SOON = { timeout: 60_000 }
