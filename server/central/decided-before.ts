/** The refusal of a decision that was made before: who made it, and when. The new one changes nothing. */
import { AppError } from '../errors.ts'

/** @param by null: the service itself; absent: not recorded */
export function decidedBefore(
  kind: string,
  act: 'resolved' | 'released' | 'revoked' | 'decided',
  at: Date,
  by?: string | null,
  more: Readonly<Record<string, string>> = {},
): AppError {
  return new AppError('transition_refused', {
    kind,
    reason: `it was ${act} before`,
    at: at.toISOString(),
    ...(by === undefined ? {} : { by: by ?? 'the service' }),
    ...more,
  })
}
