/** Explains a refused sign-in. It never reveals whether the name or the password was wrong. Pure. */
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

/** Rounds up to whole minutes: the lock is over at the shown minute. */
function nextMinute(iso: string): string {
  return new Date(Math.ceil(Date.parse(iso) / MINUTE_MS) * MINUTE_MS).toISOString()
}
