/** Input and output of the actions of `signing-keys`. */
import { parseArgs } from 'node:util'
import type { Config } from '../config/config.ts'
import type { Token } from '../keys/token.ts'
import { NEW_OPTION } from './appliance.ts'
import type { Store } from '../store/open.ts'

export type Values = ReturnType<typeof readOptions>['values']

export interface Work {
  readonly config: Config
  readonly store: Store
  readonly values: Values
  readonly kid: string
  readonly openToken: () => Token
}
/** The output: the object for --json, the lines for a person. */
export interface Result {
  readonly json: Readonly<Record<string, unknown>>
  readonly lines: readonly string[]
}

/** A KID may begin with a hyphen, as options do; no option is that long. */
const KID_LIKE_OPTION = /^-[A-Za-z0-9_-]{42}$/

export function readOptions(argv: string[]) {
  const kids = argv.filter((argument) => KID_LIKE_OPTION.test(argument))
  const others = argv.filter((argument) => !KID_LIKE_OPTION.test(argument))
  return parseArgs({
    args: kids.length > 0 ? [...others, '--', ...kids] : argv,
    allowPositionals: true,
    options: {
      ...NEW_OPTION,
      'publish-days': { type: 'string' },
      since: { type: 'string' },
      'without-successor': { type: 'boolean', default: false },
      subject: { type: 'string' },
      chain: { type: 'string' },
      pem: { type: 'boolean', default: false },
      ceremony: { type: 'boolean', default: false },
      record: { type: 'string' },
      witness: { type: 'string', multiple: true },
      unattended: { type: 'boolean', default: false },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
}
