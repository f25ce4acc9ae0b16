/**
 * The shell's interface for a page: the kind of shell, and one function, which prints the page. No file, no
 * key.
 */
export interface ShellBridge {
  readonly shell: 'electron'
  readonly version: string
  /** Prints this page without a dialog; false: printing failed. `window.print()` does the same. */
  print(): Promise<boolean>
}

/** `window.counterproof` */
export const BRIDGE_NAME = 'counterproof'
export const PRINT_CHANNEL = 'counterproof-print'
