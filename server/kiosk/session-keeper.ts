/**
 * Stores the sessions on disk, so that a visit continues after a restart of the server. If the disk refuses
 * writes, the visit continues in memory and is stored as soon as possible.
 */
import { toKept } from './kept-facts.ts'
import type { KioskDeps } from './port.ts'
import type { KioskSession } from './sessions.ts'

export class SessionKeeper {
  readonly #deps: Pick<KioskDeps, 'sessions' | 'log'>

  constructor(deps: Pick<KioskDeps, 'sessions' | 'log'>) {
    this.#deps = deps
  }

  /** Runs after every change of a session. An ended session is no longer stored. */
  keep(session: KioskSession): void {
    if (session.ended) return
    const { id, tokenHash, visitId, identityId, language, startedAt } = session
    const facts = identityId === null ? null : toKept(session)
    session.isKept = this.#try(() =>
      this.#deps.sessions.keep({ id, tokenHash, visitId, identityId, language, startedAt, facts }),
    )
  }

  /** Repeats a write that failed. */
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
      this.#deps.log.warn({}, 'a kiosk session could not be stored')
      return false
    }
  }
}
