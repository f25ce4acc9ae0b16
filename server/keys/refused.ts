/** Refusal of a command at the terminal. The message is one sentence; nothing was changed. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
}
