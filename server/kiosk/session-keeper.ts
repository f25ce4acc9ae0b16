/**
 * Keeps the sessions on the disk as they go, so that a visit continues after the server was dead. A disk that takes nothing
 * ends no visit: it continues in memory, and is kept as soon as something is taken again.
 */
import { toKept } from './kept-facts.ts'
import type { KioskDeps } from './port.ts'
import type { KioskSession } from './sessions.ts'

export class SessionKeeper {
  readonly #deps: Pick<KioskDeps, 'sessions' | 'log'>

  constructor(deps: Pick<KioskDeps, 'sessions' | 'log'>) {
    this.#deps = deps
  }

  /** After every change of what a session knows. One that has ended is not kept any more. */
  keep(session: KioskSession): void {
    if (session.ended) return
    const { id, tokenHash, visitId, identityId, language, startedAt } = session
    const facts = identityId === null ? null : toKept(session)
    session.isKept = this.#try(() =>
      this.#deps.sessions.keep({ id, tokenHash, visitId, identityId, language, startedAt, facts }),
    )
  }

  /** What the disk did not take before. */
  keepAgain(session: KioskSession): void {
    if (!session.isKept) this.keep(session)
  }

  forget({ id }: Pick<KioskSession, 'id'>): void {
    this.#try(() => this.#deps.sessions.forget(id))
  }

  #try(write: () => void): boolean {
    try {
      write()
      return true
    } catch {
      this.#deps.log.warn({}, 'kiosk: a session could not be kept')
      return false
    }
  }
}
