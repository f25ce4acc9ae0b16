/** Wrong use of the command line: a sentence and status 2, the same for every command. */

/** The sentence is shown with a hint at --help; see failure.ts. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Throws UsageError for an unknown name. */
export function getAction<Action>(actions: Readonly<Record<string, Action>>, name: string): Action {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) throw new UsageError(`there is no action '${name}'`)
  return action
}

/** Extra words are a mistake: half of a path with a space, or an option without its hyphens. */
export function refuseMore(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`this is not understood: ${words.join(' ')}`)
}
