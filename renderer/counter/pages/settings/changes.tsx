/** Places that differ, each with its value before and after. */
import type { CheckView } from '../../../../server/counter/contract/settings.ts'
import { useText } from '../../text.tsx'
import { Table } from '../../ui/table.tsx'
import { placeWords, valueWords } from './place-words.ts'

export function Changes({ changes }: { readonly changes: CheckView['changes'] }) {
  const texts = useText()
  const { t } = texts
  if (changes.length === 0) return <p class="muted">{t('settings.no-change')}</p>
  return (
    <Table
      caption={t('settings.difference')}
      rows={changes}
      getKey={({ field }) => field}
      columns={[
        {
          key: 'field',
          label: t('settings.place'),
          head: true,
          cell: ({ field }) => <bdi>{placeWords(field, texts)}</bdi>,
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

/** The bytes of a logo mean nothing to a reader. */
const FILE_FIELD = 'logoData'

function Value({ field, value }: { readonly field: string; readonly value: unknown }) {
  const texts = useText()
  if (value === null) return <span class="muted">–</span>
  if (field === FILE_FIELD) return <span class="small">{texts.t('settings.value.file')}</span>
  return <bdi class="small settings-value">{valueWords(field, value, texts)}</bdi>
}
