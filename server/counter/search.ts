/**
 * Finding a visit by what stands on its receipt: the reference, which names it, or the code, which lets it go on here. Codes
 * are few characters: whoever tries them out is stopped, and the log says so.
 */
import { Router } from 'express'
import { SlidingWindow } from '../api/rate-limit.ts'
import { AppError } from '../errors.ts'
import { readReceiptText } from '../screens/receipt.ts'
import type { Visit } from '../store/visits.ts'
import { listProofing } from '../workflows/list-proofings.ts'
import { needs } from './access.ts'
import { byStaff } from './caller.ts'
import { SearchBody } from './contract/today.ts'
import type { SearchAnswer } from './contract/today.ts'
import type { CounterDeps } from './deps.ts'
import { bodyOf } from './guard.ts'
import { proofingRow } from './today.ts'

/** A code has 50 random bits; ten wrong ones in a quarter of an hour are typing errors, more are not. Starting values. */
const WRONG_CODES = 10
const WINDOW_MS = 15 * 60_000

/** Wrong codes of all consoles together: it is one secret space. */
export class CodeTries {
  readonly #deps: Pick<CounterDeps, 'store' | 'clock'>
  readonly #window: SlidingWindow

  constructor(deps: Pick<CounterDeps, 'store' | 'clock'>) {
    this.#deps = deps
    this.#window = new SlidingWindow(WINDOW_MS, () => deps.clock.now().getTime())
  }

  #left = WRONG_CODES

  /** Throws `rate_limited` when too many were wrong lately, whatever this one is. */
  find(code: string, author: { readonly actor: string }): Visit | null {
    // Counted before it is looked at, and given back when it is right: many at once cannot slip through.
    const { refused, remaining } = this.#window.hit('codes', WRONG_CODES)
    this.#left = remaining
    if (refused) throw new AppError('rate_limited')
    const visit = this.#deps.store.visits.findByCode(code)
    if (visit) {
      this.#window.forgive('codes')
      this.#left += 1
    } else if (remaining === 0) {
      const { store, clock } = this.#deps
      store.events.append('search.refused', null, { wrongCodes: WRONG_CODES }, clock.now(), author)
    }
    return visit
  }

  get left(): number {
    return this.#left
  }
}

export function searchRouter(deps: CounterDeps, tries: CodeTries): Router {
  const router = Router()
  router.post('/search', needs('proofings:list'), async (req, res) => {
    const body = await bodyOf(req, SearchBody)
    const wanted = 'text' in body ? readReceiptText(body.text) : body
    const byCode = wanted !== null && 'code' in wanted
    const visit = !wanted
      ? null
      : 'code' in wanted
        ? tries.find(wanted.code, byStaff(req))
        : deps.store.visits.findByReference(tidyReference(wanted.reference))
    const answer: SearchAnswer = {
      found: visit ? proofingRow(deps, listProofing(deps.ctx, visit)) : null,
      mayTakeOver: visit !== null && byCode && mayGoOn(deps, visit),
      triesLeft: tries.left,
    }
    res.json(answer)
  })
  return router
}

/** As it is printed, however it was typed: O for 0, I or L for 1, with or without its dash. */
export function tidyReference(typed: string): string {
  const text = typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}`
}

/** Nothing can go on that is erased or sealed, or that never was anybody's. */
export function mayGoOn({ store }: Pick<CounterDeps, 'store'>, { identityId, endedAt }: Visit): boolean {
  if (identityId === null) return endedAt === null
  const identity = store.identities.find(identityId)
  return identity !== null && identity.status !== 'CLOSED'
}
