/** Names a problem of a setting in the reader's language. Pure. */
import type { SettingFinding } from '../../../../server/counter/contract/settings.ts'
import type { Texts } from '../../text.tsx'

/** Schema codes whose message names only a place and a type. */
const OF_SCHEMA = /^(invalid_|unrecognized_|too_(small|big)$|not_multiple|custom$)/

export const isOfSchema = (code: string): boolean => OF_SCHEMA.test(code)

/** Null: there is no text for the code; the server's English message is shown. */
export function ownSentence(
  { code }: Pick<SettingFinding, 'code'>,
  { t, known }: Pick<Texts, 't' | 'known'>,
) {
  const own = known(`settings.problem.${code}`, '')
  if (own !== '') return own
  return isOfSchema(code) ? t('settings.problem.shape') : null
}
