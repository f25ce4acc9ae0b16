/** Prints the page with its print style: in the shell without a dialog, elsewhere through the browser. */

interface Shell {
  readonly print: () => Promise<boolean>
}

/**
 * False: printing failed. Null: unknown, because a browser never reports the result and a printer that took
 * the job may have no paper.
 */
export async function printPage(): Promise<boolean | null> {
  const { counterproof: shell } = globalThis as { counterproof?: Shell }
  if (shell) return shell.print().catch(() => false)
  window.print()
  return null
}
