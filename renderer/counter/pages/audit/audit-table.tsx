/** Rows of the log, newest first. */
import type { AuditActor, AuditRow } from '../../../../server/counter/contract/audit.ts'
import { changeQuery, linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { EventDetails } from '../../ui/event-details.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { spellCode } from '../../words.ts'

export function AuditTable({ rows }: { readonly rows: readonly AuditRow[] }) {
  const { t, known } = useText()
  const { can } = useSession()
  return (
    <Table
      caption={t('nav.audit')}
      rows={rows}
      getKey={({ seq }) => String(seq)}
      sticky
      columns={[
        { key: 'seq', label: t('audit.number'), number: true, tight: true, cell: ({ seq }) => seq },
        { key: 'at', label: t('column.time'), tight: true, cell: ({ at }) => <Time at={at} /> },
        {
          key: 'who',
          label: t('audit.who'),
          roomy: true,
          cell: ({ actor, confirmedBy }) => (
            <>
              <Who actor={actor} />
              {confirmedBy && (
                <p class="muted">
                  {t('audit.confirmed-by', { name: confirmedBy.name ?? confirmedBy.id?.slice(-8) ?? '' })}
                </p>
              )}
            </>
          ),
        },
        {
          key: 'what',
          label: t('audit.what'),
          head: true,
          cell: (row) => (
            <>
              <span title={row.type}>{known(`event.${row.type}`, spellCode(row.type))}</span>{' '}
              <EventDetails body={row.reason === null ? row.body : { ...row.body, reason: row.reason }} />
            </>
          ),
        },
        {
          key: 'on',
          label: t('audit.on'),
          tight: true,
          cell: ({ reference, identityId }) => {
            const words = reference ?? identityId?.slice(-12)
            if (!words) return '–'
            if (!identityId || !can('proofings:open')) return <Mono>{words}</Mono>
            return (
              <a href={linkTo(`proofings/${identityId}`)}>
                <Mono>{words}</Mono>
              </a>
            )
          },
        },
        { key: 'from', label: t('audit.from'), cell: ({ from }) => (from ? <bdi>{from}</bdi> : '–') },
      ]}
    />
  )
}

/** Name of the application of the appliance's own kiosk (proofing/applications). */
const BUILT_IN_KIOSK = 'kiosk'

function Who({ actor }: { readonly actor: AuditActor }) {
  const { t, known } = useText()
  const kind = known(`who.${actor.kind.toLowerCase()}`, spellCode(actor.kind))
  if (!actor.id) return <>{kind}</>
  const named = actor.name === BUILT_IN_KIOSK ? t('who.kiosk') : actor.name
  const name = named ?? t('who.gone', { id: actor.id.slice(-8) })
  return (
    <button
      type="button"
      class="link"
      title={t('audit.only-of', { name })}
      onClick={() => changeQuery({ actor: actor.id ?? undefined })}
    >
      <bdi>{name}</bdi>
    </button>
  )
}
