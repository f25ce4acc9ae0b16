/** Codes of the API in words, and times as people say them. */

export const STATES = {
  OK: { word: 'OK', icon: 'done' },
  LATE: { word: 'Late', icon: 'late' },
  FROZEN: { word: 'Frozen', icon: 'problem' },
  REVOKED: { word: 'Revoked', icon: 'gone' },
}

/** @type {Record<string, (kiosk: any, now: number) => string>} */
const REASONS = {
  revoked: (kiosk) => `Refused since ${moment(kiosk.revokedAt)}`,
  frozen: (kiosk) => `Takes no new proofings: ${kiosk.frozen.map(spoken).join(', ')}`,
  not_seen: (kiosk, now) =>
    kiosk.lastSeenAt ? `Silent for ${since(kiosk.lastSeenAt, now)}` : 'Not heard from yet',
  backlog_old: (kiosk, now) => `A proof waits there for ${since(kiosk.oldestPendingAt, now)}`,
  health_down: (kiosk) => `Not working: ${partsOf(kiosk, 'DOWN')}`,
  bundle_refused: (kiosk) =>
    `Refused bundle: ${kiosk.bundleProblems.length} problem${plural(kiosk.bundleProblems)}`,
  bundle_behind: (kiosk) => `Has bundle ${kiosk.bundleVersion} of ${kiosk.newestBundleVersion}`,
  newest_is_test: () => 'Its newest proof is a test: it proves nothing about a real person',
  alarm_open: (kiosk) => `${kiosk.alarmsOpen} open alarm${kiosk.alarmsOpen === 1 ? '' : 's'}`,
}

/** Alarm kinds: what happened, and what to do. */
export const ALARMS = {
  GAP: 'A proof is missing: its number came neither from the line nor by hand.',
  CHAIN_BROKEN: 'The chain of proofs does not fit: something was removed or changed on the kiosk.',
  CONFLICT: 'Two different proofs came under one number.',
  REFUSED: 'A proof was refused because it does not verify.',
  LOST: 'The kiosk lost the key of a person, and its copy of the proof. A proof that is stored here stays valid.',
  CLONE: 'Two machines use the identity of this kiosk.',
  AUDIT_ROLLBACK: 'The audit log went back: the kiosk was set to an older state.',
  CLOCK: 'The clock of the kiosk is wrong.',
  OFFLINE: 'The kiosk is silent.',
}

/** Every reason for looking at it. */
export function reasonsOf(kiosk, now = Date.now()) {
  return kiosk.reasons.map((reason) => REASONS[reason]?.(kiosk, now) ?? reason)
}

/** Those that no other column of the table shows. */
export function stateReasonsOf(kiosk, now = Date.now()) {
  const shown = kiosk.reasons.filter((reason) => !SHOWN_ELSEWHERE.includes(reason))
  const isNew = kiosk.state === 'OK' && !kiosk.lastSeenAt
  return [
    ...(isNew ? [`Joined ${ago(kiosk.enrolledAt, now)}, no report yet`] : []),
    ...shown.map((reason) => REASONS[reason]?.(kiosk, now) ?? reason),
  ]
}
const SHOWN_ELSEWHERE = ['health_down', 'bundle_behind', 'alarm_open']

/** What an alarm is about, as far as it helps a person. */
export function factsOf({ details, times, raisedAt }, now = Date.now()) {
  const { ranges, problems, sequence } = details
  return [
    Array.isArray(ranges) ? `number ${ranges.join(', ')}` : null,
    typeof sequence === 'number' ? `number ${sequence}` : null,
    Array.isArray(problems) ? problems.map(spoken).join(', ') : null,
    times > 1 ? `${times} times` : null,
    ago(raisedAt, now),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** A code as words: `DISK_LOW` → "disk low". */
function spoken(code) {
  return String(code).toLowerCase().replaceAll('_', ' ')
}

export function partsOf(kiosk, state) {
  return Object.entries(kiosk.health)
    .filter(([, value]) => value === state)
    .map(([name]) => name)
    .join(', ')
}

/** Health in a word: every part, not the worst alone, stands in the details. */
export function healthOf(kiosk) {
  const states = Object.values(kiosk.health)
  if (states.length === 0) return '–'
  if (states.includes('DOWN')) return `Down: ${partsOf(kiosk, 'DOWN')}`
  return states.includes('DEGRADED') ? `Weak: ${partsOf(kiosk, 'DEGRADED')}` : 'Good'
}

/** "5 min", "3 h", "2 days". */
export function since(text, now = Date.now()) {
  const minutes = Math.max(0, Math.floor((now - Date.parse(text)) / 60_000))
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h`
  return `${Math.floor(hours / 24)} days`
}

export function ago(text, now = Date.now()) {
  if (!text) return '–'
  return now - Date.parse(text) < 60_000 ? 'just now' : `${since(text, now)} ago`
}

/** Local time with its day, to the minute. */
export function moment(text) {
  return text ? new Date(text).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) : '–'
}

export function bytes(count) {
  if (count === null) return '–'
  return count >= 1e9 ? `${(count / 1e9).toFixed(1)} GB` : `${Math.round(count / 1e6)} MB`
}

function plural(list) {
  return list.length === 1 ? '' : 's'
}
