/** What a person at the terminal asked for and cannot have. The message is one sentence; nothing was changed. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
}
