/** Parses commands that have actions: options, the action's name, and the help. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Read<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: O }>
>

interface AskedAction<O extends Options> {
  readonly name: string
  /** The name is the first element. */
  readonly positionals: string[]
  readonly values: Read<O>['values']
}

/**
 * Returns a status if nothing is left to do: the help was shown, on request (0) or because no action was
 * named (2).
 */
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
