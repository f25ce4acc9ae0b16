/** Shows which rows of the total are visible, and the buttons for the others. */
import { useText } from '../text.tsx'
import { Button } from './button.tsx'

export const ROWS_PER_PAGE = 25

export function Pager({
  page,
  total,
  perPage = ROWS_PER_PAGE,
  onPage,
}: {
  /** Counted from 1. */
  readonly page: number
  readonly total: number
  readonly perPage?: number
  readonly onPage: (page: number) => void
}) {
  const { t } = useText()
  const pages = Math.max(1, Math.ceil(total / perPage))
  if (total <= perPage && page === 1) return null
  return (
    <nav class="pager" aria-label={t('pager.label')}>
      <Button icon="back" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {t('pager.previous')}
      </Button>
      <p>{t('pager.rows', { from: (page - 1) * perPage + 1, to: Math.min(total, page * perPage), total })}</p>
      <Button icon="next" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {t('pager.next')}
      </Button>
    </nav>
  )
}

/** For lists with a cursor of the server. */
export function MoreButton({ onMore, working }: { readonly onMore: () => void; readonly working: boolean }) {
  const { t } = useText()
  return (
    <div class="buttons">
      <Button icon="down" working={working} onClick={onMore}>
        {t('pager.more')}
      </Button>
    </div>
  )
}
