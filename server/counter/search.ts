/**
 * Finds a visit by its receipt: the reference names it, the code lets it continue here. Finds a case by the
 * reference of the desk. Codes are short: repeated wrong codes are blocked and logged.
 */
import { Router } from 'express'
import { CallWindow } from '../http/call-window.ts'
import { AppError } from '../errors.ts'
import { isAwaited } from '../proofing/adjudication.ts'
import { endOfIdBy, readReceiptText } from '../screens/receipt.ts'
import type { Visit } from '../store/visits.ts'
import { listProofing } from '../workflows/staff/list-proofings.ts'
import { findWithin } from '../workflows/access/reach.ts'
import { needs } from './access.ts'
import { getEventActor } from './caller.ts'
import { SearchBody } from './contract/today.ts'
import type { SearchAnswer } from './contract/today.ts'
import type { CounterDeps } from './deps.ts'
import { parseJsonBody } from './guard.ts'
import { proofingRow } from './today.ts'

/** Wrong codes of one officer in a quarter of an hour: more than ten are no typing errors. Starting value. */
const WRONG_CODES = 10
/** Wrong codes that all staff together may enter, so that several accounts cannot share a search. Starting value. */
const WRONG_CODES_OF_ALL = 100
const WINDOW_MS = 15 * 60_000
const ALL = 'all'

/** Limits wrong codes per officer: the errors of one do not block the others. */
export class CodeTries {
  readonly #deps: Pick<CounterDeps, 'store' | 'clock'>
  readonly #window: CallWindow

  constructor(deps: Pick<CounterDeps, 'store' | 'clock'>) {
    this.#deps = deps
    this.#window = new CallWindow(WINDOW_MS, () => deps.clock.now().getTime())
  }

  /** Throws `rate_limited` after too many wrong codes, whether or not this one is right. */
  find(code: string, author: { readonly actor: string }): { visit: Visit | null; triesLeft: number } {
    const { actor } = author
    // Counted before the search and taken back if the code is right, so that parallel calls cannot exceed the
    // limit.
    const own = this.#window.hit(actor, WRONG_CODES)
    if (own.isRefused) throw new AppError('rate_limited')
    if (this.#window.hit(ALL, WRONG_CODES_OF_ALL).isRefused) throw new AppError('rate_limited')
    const visit = this.#deps.store.visits.findByCode(code)
    if (visit) {
      for (const counted of [actor, ALL]) this.#window.forgive(counted)
      return { visit, triesLeft: own.remaining + 1 }
    }
    if (own.remaining === 0) {
      const { store, clock } = this.#deps
      store.events.append('search.refused', null, { wrongCodes: WRONG_CODES }, clock.now(), author)
    }
    return { visit: null, triesLeft: own.remaining }
  }
}

export function searchRouter(deps: CounterDeps, tries: CodeTries): Router {
  const router = Router()
  router.post('/search', needs('proofings:list'), async (req, res) => {
    const body = await parseJsonBody(req, SearchBody)
    const wanted = 'text' in body ? readReceiptText(body.text) : body
    const byCode = wanted !== null && 'code' in wanted
    const { visit, triesLeft } = !wanted
      ? { visit: null, triesLeft: WRONG_CODES }
      : 'code' in wanted
        ? tries.find(wanted.code, getEventActor(req))
        : {
            visit: deps.store.visits.findByReference(tidyReference(wanted.reference)),
            triesLeft: WRONG_CODES,
          }
    const isReference = wanted !== null && !byCode && 'reference' in wanted
    const open = visit !== null && mayGoOn(deps, visit)
    const answer: SearchAnswer = {
      foundCase: isReference && !visit ? findCase(deps, tidyReference(wanted.reference)) : null,
      found: visit ? proofingRow(deps, listProofing(deps.ctx, visit)) : null,
      mayTakeOver: open && byCode,
      needsCode: open && !byCode && visit.takenOverBy === null,
      triesLeft,
    }
    res.json(answer)
  })
  return router
}

/** The desk names an identity without a visit by the end of its id. */
function findCase({ ctx, caller, store }: CounterDeps, reference: string): SearchAnswer['foundCase'] {
  const end = endOfIdBy(reference)
  const identityId = end === null ? undefined : store.identities.listIds().find((id) => id.endsWith(end))
  if (identityId === undefined || findWithin(ctx, caller, identityId) === null) return null
  const waiting = store.evidences
    .list(identityId)
    .some(({ id }) => store.adjudications.ofEvidence(id).some(({ status }) => isAwaited(status)))
  return { identityId, reference, isAtDesk: waiting }
}

/** Normalises a typed reference to the printed form: O for 0, I or L for 1, with or without its dash. */
export function tidyReference(typed: string): string {
  const text = typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}`
}

/** An erased, sealed or unassigned visit cannot continue. */
export function mayGoOn(
  { ctx, caller }: Pick<CounterDeps, 'ctx' | 'caller'>,
  { identityId, endedAt }: Visit,
): boolean {
  if (identityId === null) return endedAt === null
  const identity = findWithin(ctx, caller, identityId)
  return identity !== null && identity.status !== 'CLOSED'
}
