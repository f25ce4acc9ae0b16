/**
 * Tables: a caption, sortable heads, rows of 36 pixels; on a narrow screen every row is a card with its
 * labels.
 */
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

export interface Column<Row> {
  readonly key: string
  readonly label: string
  readonly cell: (row: Row) => ComponentChildren
  readonly sortable?: boolean
  /** Aligns numbers. */
  readonly number?: boolean
  /** The cell that names the row. */
  readonly head?: boolean
  /** As narrow as its content. */
  readonly tight?: boolean
  /** Keeps names of usual length on one line. */
  readonly roomy?: boolean
  /** Hides the label visually, for columns of buttons; screen readers still announce it. */
  readonly hidden?: boolean
}

export interface Sort {
  readonly key: string
  readonly descending: boolean
}

interface TableProps<Row> {
  readonly caption: string
  /** Shows the caption. Otherwise it is only announced, because a visible heading says the same. */
  readonly captionShown?: boolean
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly getKey: (row: Row) => string
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  readonly sticky?: boolean
  readonly busy?: boolean
  readonly chooseTone?: (row: Row) => 'attention' | 'problem' | null
}

export function Table<Row>(props: TableProps<Row>) {
  const {
    caption,
    captionShown = false,
    columns,
    rows,
    getKey,
    sort,
    onSort,
    sticky = false,
    busy,
    chooseTone,
  } = props
  return (
    <div class={`table-frame${sticky ? ' table-sticky' : ''}`}>
      {/* The roles preserve the table for screen readers when rows are laid out as cards: CSS blocks remove the table semantics. */}
      <table role="table" aria-busy={busy || undefined}>
        <caption class={captionShown ? '' : 'only-read'}>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const tone = chooseTone?.(row)
            return (
              <tr role="row" key={getKey(row)} class={tone ? `row-${tone}` : undefined}>
                {columns.map((column) => (
                  <BodyCell key={column.key} column={column} row={row} />
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function BodyCell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const Cell = column.head ? 'th' : 'td'
  const classes = (['number', 'tight', 'roomy'] as const).filter((name) => column[name]).join(' ')
  return (
    <Cell
      role={column.head ? 'rowheader' : 'cell'}
      scope={column.head ? 'row' : undefined}
      class={classes || undefined}
    >
      {!column.hidden && (
        <span class="cell-label" aria-hidden="true">
          {column.label}
        </span>
      )}
      <span class="cell-value">{column.cell(row)}</span>
    </Cell>
  )
}

function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort) => void) | undefined
}) {
  const { key, label, sortable = false, number = false, hidden = false } = column
  const sorted = sort?.key === key
  const direction = sorted ? (sort.descending ? 'descending' : 'ascending') : undefined
  return (
    <th role="columnheader" scope="col" class={number ? 'number' : undefined} aria-sort={direction}>
      {sortable && onSort ? (
        <button
          type="button"
          class="sort"
          onClick={() => onSort({ key, descending: sorted ? !sort.descending : false })}
        >
          <span>{label}</span>
          <Icon name={sorted ? (sort.descending ? 'down' : 'up') : 'sort'} size={16} />
        </button>
      ) : (
        <span class={hidden ? 'only-read' : ''}>{label}</span>
      )}
    </th>
  )
}
