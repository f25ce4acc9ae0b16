/** Places that differ, each with its value before and after. */
import type { CheckView } from '../../../../server/counter/contract/settings.ts'
import { useText } from '../../text.tsx'
import { Table } from '../../ui/table.tsx'

export function Changes({ changes }: { readonly changes: CheckView['changes'] }) {
  const { t } = useText()
  if (changes.length === 0) return <p class="muted">{t('settings.no-change')}</p>
  return (
    <Table
      caption={t('settings.difference')}
      rows={changes}
      keyOf={({ field }) => field}
      columns={[
        {
          key: 'field',
          label: t('settings.place'),
          head: true,
          cell: ({ field }) => <bdi class="mono small">{field}</bdi>,
        },
        { key: 'before', label: t('settings.before'), cell: ({ before }) => <Value value={before} /> },
        { key: 'after', label: t('settings.after'), cell: ({ after }) => <Value value={after} /> },
      ]}
    />
  )
}

function Value({ value }: { readonly value: string | null }) {
  return value === null ? <span class="muted">–</span> : <bdi class="small settings-value">{value}</bdi>
}
