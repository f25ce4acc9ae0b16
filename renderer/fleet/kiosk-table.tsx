/** The kiosks, the most urgent first, each with its state as word and shape. */
import type { Kiosk, KioskState } from '../../server/central/head-office/contract.ts'
import { changeQuery, useRoute } from '../counter/route.ts'
import { Badge, type Tone } from '../counter/ui/badge.tsx'
import { Button } from '../counter/ui/button.tsx'
import { Empty } from '../counter/ui/card.tsx'
import type { IconName } from '../counter/ui/icon.tsx'
import type { Column } from '../counter/ui/table.tsx'
import { Time } from '../counter/ui/time.tsx'
import { FleetList, type Listed, type ListFrame } from './list.tsx'
import { useFleetText } from './text.ts'
import { bundleWords, healthWords, otherReasons } from './words.ts'

const STATES: readonly KioskState[] = ['ALARM', 'FROZEN', 'LATE', 'ATTENTION', 'OK', 'REVOKED']
export type KioskCounts = Readonly<Partial<Record<KioskState, number>>>

const MARKS: Readonly<Record<KioskState, readonly [Tone, IconName]>> = {
  OK: ['done', 'done'],
  ATTENTION: ['attention', 'attention'],
  LATE: ['attention', 'waiting'],
  FROZEN: ['problem', 'octagon'],
  ALARM: ['problem', 'attention'],
  REVOKED: ['quiet', 'stop'],
}

export function StateBadge({ state }: { readonly state: KioskState }) {
  const { t } = useFleetText()
  const [tone, icon] = MARKS[state]
  return (
    <Badge tone={tone} icon={icon}>
      {t(`state.${state}`)}
    </Badge>
  )
}

interface KioskPage extends Listed {
  readonly kiosks: readonly Kiosk[]
  readonly counts: KioskCounts | null
}

export function KioskTable({
  onCounts,
  ...frame
}: ListFrame & { readonly onCounts: (counts: KioskCounts) => void }) {
  const texts = useFleetText()
  const { t, formats } = texts
  const columns: readonly Column<Kiosk>[] = [
    {
      key: 'name',
      label: t('column.kiosk'),
      head: true,
      roomy: true,
      sortable: true,
      cell: ({ name }) => <bdi>{name}</bdi>,
    },
    {
      key: 'urgency',
      label: t('column.state'),
      roomy: true,
      sortable: true,
      cell: (kiosk) => (
        <>
          <StateBadge state={kiosk.state} />
          {otherReasons(kiosk, texts).map((reason) => (
            <small key={reason} class="block muted">
              {reason}
            </small>
          ))}
        </>
      ),
    },
    {
      key: 'backlog',
      label: t('column.waiting'),
      number: true,
      sortable: true,
      cell: ({ backlog }) => backlog ?? '–',
    },
    {
      key: 'oldest',
      label: t('column.oldest'),
      tight: true,
      sortable: true,
      cell: ({ oldestPendingAt }) =>
        oldestPendingAt ? formats.span(Date.now() - Date.parse(oldestPendingAt)) : '–',
    },
    {
      key: 'seen',
      label: t('column.seen'),
      tight: true,
      sortable: true,
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} show="relative" /> : t('never')),
    },
    { key: 'health', label: t('column.health'), cell: (kiosk) => healthWords(kiosk, texts) },
    {
      key: 'version',
      label: t('column.version'),
      tight: true,
      sortable: true,
      cell: ({ productVersion }) => productVersion ?? '–',
    },
    { key: 'bundle', label: t('column.bundle'), number: true, cell: (kiosk) => bundleWords(kiosk, texts) },
    {
      key: 'details',
      label: t('kiosks.details'),
      hidden: true,
      cell: ({ kioskId, name }) => (
        <Button
          id={`kiosk-${kioskId}`}
          label={t('kiosks.details-of', { kiosk: name })}
          onClick={() => changeQuery({ kiosk: kioskId })}
        >
          {t('kiosks.details')}
        </Button>
      ),
    },
  ]
  return (
    <FleetList<Kiosk, KioskPage>
      {...frame}
      name="kiosks"
      path="/kiosks"
      caption={t('kiosks.title')}
      columns={columns}
      sort={{ key: 'urgency', descending: false }}
      searchLabel={t('list.search-kiosk')}
      facets={[
        {
          name: 'state',
          label: t('column.state'),
          choices: [
            { value: '', label: t('list.all') },
            ...STATES.map((value) => ({ value, label: t(`state.${value}`) })),
          ],
        },
      ]}
      readRows={({ kiosks }) => kiosks}
      getKey={({ kioskId }) => kioskId}
      empty={<Empty>{t('kiosks.none')}</Empty>}
      onAnswer={({ counts }) => counts && onCounts(counts)}
    />
  )
}

/** Number of kiosks by state; each one filters the list. */
export function StateCounts({ counts }: { readonly counts: KioskCounts }) {
  const { t } = useFleetText()
  const chosen = useRoute().query.get('kiosks-state')
  return (
    <ul class="counts" aria-label={t('fleet.counts')}>
      {STATES.map(
        (state) =>
          ((counts[state] ?? 0) > 0 || state === 'OK') && (
            <li key={state}>
              <button
                type="button"
                aria-pressed={chosen === state}
                onClick={() => changeQuery({ 'kiosks-state': chosen === state ? undefined : state })}
              >
                <b>{counts[state]}</b>
                <StateBadge state={state} />
              </button>
            </li>
          ),
      )}
    </ul>
  )
}
