/**
 * Judges whether a database and a key file belong together before the first start makes anything. An empty database beside
 * an existing key is usually a wrong address, or a restore that did not happen: a new central service there would be
 * a stranger to every kiosk. Pure.
 */
import { AppError } from '../errors.ts'

export interface FirstStart {
  /** The database names a central service. */
  readonly hasCentralService: boolean
  /** The database has keys or tenants. */
  readonly hasRows: boolean
  readonly hasKeyFile: boolean
  /** The operator asks for a new central service (`central -- init`). */
  readonly mayBeNew: boolean
}

type Refusal = 'key_missing' | 'database_empty' | 'database_incomplete'

const REASONS: Readonly<Record<Refusal, string>> = {
  key_missing:
    'the database has a central service, and its key file is missing. Put the copy of the key file there; never make another one',
  database_empty:
    'the key file exists, and the database is empty: it is not the database of this key. Check DATABASE_URL. If the database was lost, ' +
    'restore it (docs/RUNBOOK.md, "The central service is lost"). To begin a new central service with this key file, run npm run central -- init',
  database_incomplete:
    'the database has rows, and no central service: a restore did not finish. Restore again into an empty database',
}

/** `make`: a new central service is made. Throws `key_unavailable` with the reason. */
export function judgeFirstStart(facts: FirstStart): 'open' | 'make' {
  const refusal = findRefusal(facts)
  if (refusal !== null) throw new AppError('key_unavailable', { reason: REASONS[refusal] })
  return facts.hasCentralService ? 'open' : 'make'
}

function findRefusal({ hasCentralService, hasRows, hasKeyFile, mayBeNew }: FirstStart): Refusal | null {
  if (hasCentralService) return hasKeyFile ? null : 'key_missing'
  if (hasRows) return 'database_incomplete'
  return hasKeyFile && !mayBeNew ? 'database_empty' : null
}
