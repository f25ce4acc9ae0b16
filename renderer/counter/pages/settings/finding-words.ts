/** What a problem of a setting is called in the reader's language. Pure. */
import type { SettingFinding } from '../../../../server/counter/contract/settings.ts'
import type { Texts } from '../../text.tsx'

/** Codes of the schema, whose message names a place and a type, and not what to do. */
const OF_SCHEMA = /^(invalid_|unrecognized_|too_(small|big)$|not_multiple|custom$)/

export const isOfSchema = (code: string): boolean => OF_SCHEMA.test(code)

/** Null: there is no sentence of ours, and the server's own, in English, has to do. */
export function ownSentence(
  { code }: Pick<SettingFinding, 'code'>,
  { t, known }: Pick<Texts, 't' | 'known'>,
) {
  const own = known(`settings.problem.${code}`, '')
  if (own !== '') return own
  return isOfSchema(code) ? t('settings.problem.shape') : null
}
