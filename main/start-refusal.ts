/** The shell cannot start. The message is a sentence for the operator; it names files, never keys. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal'
}
