/** Why the server did not let somebody in, as a sentence. Which of name and password was wrong, nobody learns. Pure. */
import type { Refusal } from '../../../server/counter/contract/staff.ts'
import type { Formats } from '../formats.ts'
import type { Translate } from '../../locales/index.ts'

export function refusalSentence(
  { code, until, reason }: Refusal,
  t: Translate<'counter'>,
  formats: Pick<Formats, 'time'>,
): string {
  if (code === 'WEAK_PASSWORD') return reason ? t(`password.fault.${reason}`) : t('password.fault.COMMON')
  if (code === 'LOCKED')
    return until ? t('refusal.locked', { time: formats.time(nextMinute(until)) }) : t('refusal.locked-now')
  return t('refusal.wrong')
}

const MINUTE_MS = 60_000

/** Times are told without seconds: the lock is over at the minute that is told, and not within it. */
function nextMinute(iso: string): string {
  return new Date(Math.ceil(Date.parse(iso) / MINUTE_MS) * MINUTE_MS).toISOString()
}
