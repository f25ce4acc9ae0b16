/** Lists who did what and when in one proofing, from the audit log. Uses only words of closed lists, never a value. */
import type { Context } from '../../context.ts'
import { BUILT_IN } from '../../proofing/applications.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { StoredEvent } from '../../store/events.ts'
import { isFaceWithoutSession } from './shown-evidence.ts'

/** Longer timelines come from a fault. */
const MAX_EVENTS = 500

/** The members of an event's body to show: codes of closed lists, never an id. */
const TOLD = [
  'type',
  'kind',
  'status',
  'state',
  'score',
  'levelOfAssurance',
  'approved',
  'outcome',
  'reason',
  'why',
  'answer',
  'display',
  'language',
  'tactile',
  'channel',
  'because',
  'cause',
  'connector',
  'source',
  'values',
  'trouble',
] as const

export function buildTimeline(ctx: Context, identity: Identity, evidences: readonly Evidence[]) {
  const fromFile = evidences.filter((evidence) => isFaceWithoutSession(ctx, evidence)).map(({ id }) => id)
  const events = ctx.store.eventPages.page({ identityId: identity.id, limit: MAX_EVENTS })
  const openedBy = new Map(
    events.flatMap(({ type, body, actor }) =>
      type === 'session.opened' ? [[String(body.evidenceId), actor] as const] : [],
    ),
  )
  return [...events].reverse().map((event) => ({
    seq: event.seq,
    at: event.at.toISOString(),
    who: endedByOfficer(event, openedBy) ?? identifyActor(ctx, event),
    what: event.type,
    details: [
      ...listDetails(event),
      ...(event.type === 'evidence.submitted' && fromFile.includes(String(event.body.evidenceId))
        ? [{ name: 'capture', value: 'PICTURE_FILE' }]
        : []),
    ],
  }))
}

function listDetails({ body, reason }: StoredEvent) {
  const told = TOLD.flatMap((name) => {
    const value = body[name]
    if (value === undefined || value === null) return []
    return [{ name, value: Array.isArray(value) ? value.map(String) : String(value) }]
  })
  return reason === null || told.some(({ name }) => name === 'reason')
    ? told
    : [...told, { name: 'reason' as const, value: reason }]
}

/** The element of a capture has no name of its own: at the counter it works for the officer who began the capture. */
function endedByOfficer(
  { type, body, actor }: StoredEvent,
  openedBy: ReadonlyMap<string, string>,
): string | null {
  const opener = openedBy.get(String(body.evidenceId)) ?? ''
  const isByElement = type === 'session.ended' && actor.startsWith('USER_AGENT')
  return isByElement && opener.startsWith('STAFF:') ? opener : null
}

const OURS = ['appliance', 'operator', 'centre']

function identifyActor({ store, config }: Context, { actor }: StoredEvent): string {
  if (OURS.includes(actor) || actor.startsWith('STAFF:')) return actor
  const [role, applicationId = ''] = actor.split(':')
  if (role === 'USER_AGENT') return 'person'
  const isKiosk = store.apiKeys.findApplicationName(config.tenant.id, applicationId) === BUILT_IN.KIOSK
  return isKiosk ? 'kiosk' : 'service'
}
