/** The kiosks in the order of their urgency, each with its state as word and shape. */
import type { Kiosk, KioskState } from '../../server/central/head-office/contract.ts'
import { Badge, type Tone } from '../counter/ui/badge.tsx'
import { Button } from '../counter/ui/button.tsx'
import type { IconName } from '../counter/ui/icon.tsx'
import { Table, type Column } from '../counter/ui/table.tsx'
import { Time } from '../counter/ui/time.tsx'
import { useFleetText } from './text.ts'
import { bundleWords, healthWords, otherReasons } from './words.ts'

const ORDER: readonly KioskState[] = ['ALARM', 'FROZEN', 'LATE', 'ATTENTION', 'OK', 'REVOKED']
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

export function KioskTable({
  kiosks,
  onDetails,
}: {
  readonly kiosks: readonly Kiosk[]
  readonly onDetails: (kioskId: string) => void
}) {
  const texts = useFleetText()
  const { t, formats } = texts
  const rows = kiosks.toSorted(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.name.localeCompare(b.name),
  )
  const columns: readonly Column<Kiosk>[] = [
    { key: 'kiosk', label: t('column.kiosk'), head: true, cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: 'state',
      label: t('column.state'),
      roomy: true,
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
    { key: 'waiting', label: t('column.waiting'), number: true, cell: ({ backlog }) => backlog ?? '–' },
    {
      key: 'oldest',
      label: t('column.oldest'),
      tight: true,
      cell: ({ oldestPendingAt }) =>
        oldestPendingAt ? formats.span(Date.now() - Date.parse(oldestPendingAt)) : '–',
    },
    {
      key: 'seen',
      label: t('column.seen'),
      tight: true,
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} show="relative" /> : t('never')),
    },
    { key: 'health', label: t('column.health'), cell: (kiosk) => healthWords(kiosk, texts) },
    {
      key: 'version',
      label: t('column.version'),
      tight: true,
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
          onClick={() => onDetails(kioskId)}
        >
          {t('kiosks.details')}
        </Button>
      ),
    },
  ]
  return <Table caption={t('kiosks.title')} columns={columns} rows={rows} getKey={({ kioskId }) => kioskId} />
}
