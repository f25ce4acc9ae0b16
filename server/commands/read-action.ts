/** The head of every command that has actions: options, the action's name, and the help where no action was asked for. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Read<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: O }>
>

export interface AskedAction<O extends Options> {
  readonly name: string
  /** The name first. */
  readonly positionals: string[]
  readonly values: Read<O>['values']
}

/** A status where there is nothing more to do: the help was shown, asked for (0) or for want of an action (2). */
export function readAction<O extends Options>(
  argv: string[],
  help: string,
  options: O,
): AskedAction<O> | { readonly status: 0 | 2 } {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { ...options, help: { type: 'boolean', default: false } },
  })
  const wantsHelp = (values as { readonly help?: boolean }).help === true
  const [name] = positionals
  if (!wantsHelp && name !== undefined) return { name, positionals, values }
  process.stdout.write(help)
  return { status: wantsHelp ? 0 : 2 }
}
