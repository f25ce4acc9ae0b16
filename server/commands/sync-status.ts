/** `sync status`: the central service, waiting and parked proofs, and present problems. */
import { readLastFreezeReasons } from '../workflows/health/freeze.ts'
import { syncState } from '../workflows/health/sync-state.ts'
import type { Call, Shown } from './sync-work.ts'

export function showStatus({ store }: Call): Shown {
  const enrolment = store.enrolments.find()
  const { backlog, oldestSealedAt, parked } = store.outbox.summary()
  const { lastContactAt, failingSince, lastError } = syncState({ store })
  const bundle = store.bundles.applied()
  const json = {
    kioskId: store.applianceId,
    centreUrl: enrolment?.centralUrl ?? null,
    centreId: enrolment?.membership?.trust.centreId ?? null,
    joined: (enrolment?.membership ?? null) !== null,
    backlog,
    oldestSealedAt: oldestSealedAt?.toISOString() ?? null,
    lastSequence: store.outbox.lastSequence(),
    lastContactAt: dateText(lastContactAt),
    failingSince: dateText(failingSince),
    lastError,
    frozen: readLastFreezeReasons({ store }),
    bundleVersion: bundle?.version ?? 0,
    parked: store.outbox
      .pending()
      .filter(({ state }) => state === 'REFUSED')
      .map((entry) => ({ sequence: entry.sequence, proofId: entry.proofId, error: entry.lastError })),
  }
  const where = !json.joined
    ? 'No central service joined.'
    : json.centreUrl === ''
      ? `Joined the central service ${json.centreId}; packets travel by hand.`
      : `Joined the central service ${json.centreId} at ${json.centreUrl}.`
  const words = [
    `This is kiosk ${json.kioskId}.`,
    where,
    `Waiting: ${backlog}${oldestSealedAt ? `, the oldest since ${oldestSealedAt.toISOString()}` : ''}; parked: ${parked}.`,
    `Last contact: ${json.lastContactAt ?? 'never'}${lastError ? `; failing since ${json.failingSince}: ${lastError}` : ''}.`,
    ...(json.frozen.length > 0 ? [`Nothing new may begin: ${json.frozen.join(', ')}.`] : []),
    ...json.parked.map(({ sequence, proofId, error }) => `  parked ${sequence}  ${proofId}  ${error ?? ''}`),
  ]
  return { json, words: words.join('\n') }
}

function dateText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
