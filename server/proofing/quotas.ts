/** Checks a submission against the limits of its identity and application. Pure: receives the counts. */
import { AppError } from '../errors.ts'

interface IdentityQuotas {
  readonly openJobs: number
  readonly pieces: number
  readonly megabytes: number
}

/** Current counts. */
export interface Kept {
  readonly openJobs: number
  readonly pieces: number
  readonly bytes: number
  /** Only for an application. */
  readonly identities?: number
}

/** Amounts that a submission adds. A job counts if one follows, now or later. */
export interface Addition {
  readonly jobs?: number
  readonly pieces?: number
  readonly bytes?: number
  readonly identities?: number
}

export const MEGABYTE = 1_000_000

/**
 * Throws `too_many_open_jobs` if too many jobs wait or run, and `quota_reached` if too much would be stored. Details name
 * the limit, so that the caller can distinguish owner and count. A count to which the submission adds nothing never
 * causes a rejection.
 */
export function requireWithinQuotas(
  owner: 'identity' | 'application',
  limits: IdentityQuotas & { readonly identities?: number },
  kept: Kept,
  { jobs = 0, pieces = 0, bytes = 0, identities = 0 }: Addition,
): void {
  if (jobs > 0 && kept.openJobs + jobs > limits.openJobs) {
    throw new AppError('too_many_open_jobs', { owner, limit: limits.openJobs })
  }
  const refuseBeyond = (count: string, present: number, added: number, limit: number): void => {
    if (added > 0 && present + added > limit) throw new AppError('quota_reached', { owner, count, limit })
  }
  refuseBeyond('pieces', kept.pieces, pieces, limits.pieces)
  refuseBeyond('bytes', kept.bytes, bytes, limits.megabytes * MEGABYTE)
  refuseBeyond('identities', kept.identities ?? 0, identities, limits.identities ?? Infinity)
}
