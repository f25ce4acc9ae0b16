/** Codes of the API as sentences. Pure, except for the clock. */
import type { Alarm, Kiosk, KioskReason, Rollout } from '../../server/central/head-office/contract.ts'
import type { FleetTexts } from './text.ts'

/** Reasons that another column of the table shows. */
const SHOWN_ELSEWHERE: readonly KioskReason[] = ['health_down', 'bundle_behind', 'alarm_open']

/** Each reason why the kiosk needs attention. */
export function listReasons(kiosk: Kiosk, texts: FleetTexts): readonly string[] {
  return kiosk.reasons.map((reason) => reasonSentence(reason, kiosk, texts))
}

/** The reasons that no other column of the table shows. */
export function otherReasons(kiosk: Kiosk, texts: FleetTexts): readonly string[] {
  const { t, formats } = texts
  const isNew = kiosk.state === 'OK' && kiosk.lastSeenAt === null
  const shown = kiosk.reasons.filter((reason) => !SHOWN_ELSEWHERE.includes(reason))
  return [
    ...(isNew ? [t('reason.new', { ago: formats.relative(kiosk.enrolledAt) })] : []),
    ...shown.map((reason) => reasonSentence(reason, kiosk, texts)),
  ]
}

function reasonSentence(reason: KioskReason, kiosk: Kiosk, { t, formats }: FleetTexts): string {
  const span = (since: string | null) => (since ? formats.span(Date.now() - Date.parse(since)) : '–')
  switch (reason) {
    case 'revoked':
      return t('reason.revoked', { time: kiosk.revokedAt ? formats.dateTime(kiosk.revokedAt) : '–' })
    case 'frozen':
      return t('reason.frozen', { why: formats.list(kiosk.frozen.map(spellCode)) })
    case 'not_seen':
      return kiosk.lastSeenAt
        ? t('reason.not_seen', { span: span(kiosk.lastSeenAt) })
        : t('reason.never_seen')
    case 'backlog_old':
      return t('reason.backlog_old', { span: span(kiosk.oldestPendingAt) })
    case 'health_down':
      return t('reason.health_down', { parts: formats.list(partsIn(kiosk, 'DOWN')) })
    case 'bundle_refused':
      return t('reason.bundle_refused', { number: kiosk.bundleProblems.length })
    case 'bundle_behind':
      return t('reason.bundle_behind', {
        own: kiosk.bundleVersion || t('none'),
        newest: kiosk.newestBundleVersion,
      })
    case 'alarm_integrity':
      return t('reason.alarm_integrity')
    case 'alarm_open':
      return t('reason.alarm_open', { number: kiosk.alarmsOpen })
    case 'newest_is_test':
      return t('reason.newest_is_test')
  }
}

/** The kinds of the service, in its order; a test compares them. */
export const ALARM_KINDS = [
  'GAP',
  'CHAIN_BROKEN',
  'CONFLICT',
  'REFUSED',
  'LOST',
  'CLONE',
  'AUDIT_ROLLBACK',
  'CLOCK',
  'OFFLINE',
  'UPDATE',
]

/** A kind that this page does not know stays a code. */
export function alarmSentence({ kind }: Alarm, { known }: FleetTexts): string {
  return known(`alarm.${kind}`, kind)
}

/** The alarm puts the identity or the history of the kiosk in doubt. */
export function isInDoubt({ kind }: Alarm): boolean {
  return ['CLONE', 'CONFLICT', 'CHAIN_BROKEN', 'AUDIT_ROLLBACK'].includes(kind)
}

/** Numbers and codes of an alarm. */
export function alarmFacts(alarm: Alarm, { t, formats }: FleetTexts): string {
  const { ranges, problems, sequence, version, state, reason } = alarm.details
  const numbers = Array.isArray(ranges) ? ranges.join(', ') : typeof sequence === 'number' ? sequence : null
  return [
    // Isolated, so that a range stays in its order between words that read from right to left.
    numbers === null ? '' : t('alarms.number', { numbers: `\u2066${numbers}\u2069` }),
    Array.isArray(problems) ? formats.list(problems.map(spellCode)) : '',
    ...[version, state, reason].map((fact) =>
      typeof fact === 'string' ? `\u2066${spellCode(fact)}\u2069` : '',
    ),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** One word on the health, with the parts that are not well; the details have every part. */
export function healthWords(kiosk: Kiosk, { t, formats }: FleetTexts): string {
  const [down, weak] = [partsIn(kiosk, 'DOWN'), partsIn(kiosk, 'DEGRADED')]
  if (down.length > 0) return t('health.down', { parts: formats.list(down) })
  if (weak.length > 0) return t('health.weak', { parts: formats.list(weak) })
  return Object.keys(kiosk.health).length === 0 ? '–' : t('health.good')
}

/** Name of a ring, with its numbers of kiosks. */
export function ringWords(
  { name, isReached, kiosks, unable, obstacles, offered, installed, failed }: Rollout['rings'][number],
  { t, formats }: FleetTexts,
): string {
  const counts = [
    kiosks === null ? '' : t('ring.kiosks', { number: kiosks }),
    isReached ? t('ring.installed', { number: installed }) : t('ring.later'),
    offered > 0 ? t('ring.offered', { number: offered }) : '',
    failed > 0 ? t('ring.failed', { number: failed }) : '',
    unable
      ? t('ring.unable', {
          number: unable,
          why: formats.list(obstacles.map((obstacle) => t(`ring.obstacle.${obstacle}`))),
        })
      : '',
  ]
  return t('ring.of', { ring: `\u2068${name}\u2069`, counts: formats.list(counts.filter(Boolean)) })
}

/** Updates by rollouts, as the kiosk reports them. */
export function updateWords({ updates }: Kiosk, { t }: FleetTexts): readonly string[] {
  if (updates === null) return [t('updates.unknown')]
  const { enabled, version, result, problem } = updates
  return [
    t(enabled ? 'updates.enabled' : 'updates.disabled'),
    ...(version === null ? [] : [t('updates.version', { version })]),
    ...(problem === null ? [] : [t('updates.waits', { why: spellCode(problem) })]),
    ...(result === null
      ? []
      : [
          t('updates.result', {
            result: [result.state, result.reason].filter(Boolean).map(spellCode).join(': '),
          }),
        ]),
  ]
}

/** The kiosk's bundle, and the newest one if they differ. */
export function bundleWords({ bundleVersion, newestBundleVersion }: Kiosk, { t }: FleetTexts): string {
  if (bundleVersion === null) return '–'
  const own = bundleVersion || t('none')
  return newestBundleVersion > bundleVersion
    ? t('bundle.of', { own, newest: newestBundleVersion })
    : String(own)
}

export function newestBundleWords({ bundleVersion, newestBundleVersion }: Kiosk, { t }: FleetTexts): string {
  if (newestBundleVersion === 0) return t('bundle.none')
  return t('bundle.newest', { own: bundleVersion || t('none'), newest: newestBundleVersion })
}

function partsIn(kiosk: Kiosk, state: 'DOWN' | 'DEGRADED'): readonly string[] {
  return Object.entries(kiosk.health).flatMap(([part, now]) => (now === state ? [part] : []))
}

/** `DISK_LOW` as "disk low". */
function spellCode(code: unknown): string {
  return String(code).toLowerCase().replaceAll('_', ' ')
}
