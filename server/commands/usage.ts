/** The command line does not say what is wanted: the sentence is shown with the help, and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
