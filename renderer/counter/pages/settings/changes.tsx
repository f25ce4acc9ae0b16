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
        {
          key: 'before',
          label: t('settings.before'),
          cell: ({ field, before }) => <Value field={field} value={before} />,
        },
        {
          key: 'after',
          label: t('settings.after'),
          cell: ({ field, after }) => <Value field={field} value={after} />,
        },
      ]}
    />
  )
}

/** The bytes of a logo say nothing to a reader. */
const FILE_FIELD = 'logoData'

function Value({ field, value }: { readonly field: string; readonly value: string | null }) {
  const { t } = useText()
  if (value !== null && field === FILE_FIELD) return <span class="small">{t('settings.value.file')}</span>
  return value === null ? <span class="muted">–</span> : <bdi class="small settings-value">{value}</bdi>
}
