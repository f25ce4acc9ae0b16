/** All that the shell gives a page: which shell it runs in, and one thing to call, which prints it. No file, no key. */
export interface ShellBridge {
  readonly shell: 'electron'
  readonly version: string
  /** Prints this page without a dialog; false: it was not printed. `window.print()` does the same. */
  print(): Promise<boolean>
}

/** `window.counterproof` */
export const BRIDGE_NAME = 'counterproof'
export const PRINT_CHANNEL = 'counterproof-print'
