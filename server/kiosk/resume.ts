/**
 * Resumes stored sessions after a restart of the server. A step whose progress was only in memory begins
 * again, and the page says so; the steps before it are kept. It ends no session: `visits-in-progress` ends
 * those whose page does not come back.
 */
import { getCapture } from './known.ts'
import { parseKeptFacts } from './kept-facts.ts'
import { callerFor, change, readKnownFacts, type Kit, type Turn } from './kit.ts'
import { NEW_VISIT, type CaptureStepName } from './facts.ts'
import { STEP_KINDS } from './contract/journey.ts'
import { isExpired, resumeSession, type KioskSession } from './sessions.ts'
import type { KeptSession } from '../store/kiosk-sessions.ts'

/** Returns the sessions that may continue and deletes the others. */
export async function resumeSessions(kit: Kit): Promise<readonly KioskSession[]> {
  const resumed: KioskSession[] = []
  for (const kept of kit.deps.sessions.list()) {
    const session = restoreSession(kit, kept)
    if (session && (await isWhole({ kit, session, caller: callerFor(kit, null) }))) resumed.push(session)
    else kit.keeper.forget(kept)
  }
  return resumed
}

/** Null: its time is over, it had ended, or the stored facts cannot be read. */
function restoreSession({ deps, record }: Kit, kept: KeptSession): KioskSession | null {
  const lasting = kept.identityId === null ? { facts: NEW_VISIT, sealFrom: null } : parseKeptFacts(kept.facts)
  if (!lasting) return null
  const visit = record.find(kept)
  if (visit && visit.endedAt !== null) return null
  const now = deps.clock.now()
  const step = STEP_KINDS.find((kind) => kind === visit?.step) ?? null
  const helpAsked = visit !== null && visit.helpAskedAt !== null
  const session = resumeSession({ ...kept, ...lasting, step, helpAsked }, now)
  return isExpired(session, now) ? null : session
}

/** False: its progress is unknown. */
async function isWhole(turn: Turn): Promise<boolean> {
  const { kit, session } = turn
  const { identityId } = session
  if (identityId === null) return true
  try {
    const known = await readKnownFacts(turn)
    for (const step of ['document', 'portrait'] as const) {
      const { state, counts } = getCapture(known, step)
      // The capture ended with the server, or while it was down: the applicant is not told that it failed.
      if (state === 'AGAIN' && !counts) beginAnew(turn, step)
    }
  } catch {
    return false
  }
  // The server was killed before the visit knew its identity.
  if (kit.record.find(session)?.identityId === null) kit.record.bind(session, identityId)
  return true
}

function beginAnew(turn: Turn, step: CaptureStepName): void {
  change(turn, { [step]: { ...turn.session.facts[step], current: null }, beginsAnew: step })
}
