/** Prints the page as its style for paper has it: in the shell without a dialog, elsewhere as the browser does. */

interface Shell {
  readonly print: () => Promise<boolean>
}

/**
 * False: nothing was printed. Null: nobody can tell, which a browser never can; and a printer that took the job may have no
 * paper.
 */
export async function printPage(): Promise<boolean | null> {
  const { counterproof: shell } = globalThis as { counterproof?: Shell }
  if (shell) return shell.print().catch(() => false)
  window.print()
  return null
}
