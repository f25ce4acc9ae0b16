/** All that the shell tells a page: which shell it runs in. No function, no file, no key. */
export interface ShellBridge {
  readonly shell: 'electron'
  readonly version: string
}

/** `window.counterproof` */
export const BRIDGE_NAME = 'counterproof'
