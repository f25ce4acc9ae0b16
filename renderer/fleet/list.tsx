/**
 * One list of the page: filter, order and pages come from the service, which also exports what is filtered. Filter and order are
 * in the address, so that a link shows the same list.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiProblem } from '../counter/api/client.ts'
import { useAct, useResource } from '../counter/hooks.ts'
import { changeQuery, useRoute } from '../counter/route.ts'
import { saveAs } from '../counter/save-as.ts'
import { Button } from '../counter/ui/button.tsx'
import { Empty, Skeleton } from '../counter/ui/card.tsx'
import { SelectField, TextField, type Choice } from '../counter/ui/field.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Table, type Column, type Sort } from '../counter/ui/table.tsx'
import type { FleetClient } from './api.ts'
import { useFleetText } from './text.ts'

const ROWS = 25
const REFRESH_MS = 15_000
const TYPING_MS = 300

export interface Facet {
  /** Names the parameter. */
  readonly name: string
  readonly label: string
  /** The first one applies if the address names none; an empty value is not sent. */
  readonly choices: readonly Choice<string>[]
}

/** An answer of the service; `member` has its rows. */
export interface Listed {
  readonly next: string | null
}

export interface ListFrame {
  readonly client: FleetClient
  /** Changes when the lists have to load again. */
  readonly turn: number
  /** Null: the list was loaded. */
  readonly onProblem: (list: string, problem: ApiProblem | null) => void
}

interface ListProps<Row, Answer extends Listed> extends ListFrame {
  /** Begins the parameters of this list in the address. */
  readonly name: string
  /** Path of the list in the API. */
  readonly path: string
  readonly caption: string
  /** The key of a column is its name in the order of the API. */
  readonly columns: readonly Column<Row>[]
  readonly sort: Sort
  readonly facets?: readonly Facet[]
  readonly searchLabel: string
  readonly readRows: (answer: Answer) => readonly Row[]
  readonly getKey: (row: Row) => string
  readonly chooseTone?: (row: Row) => 'attention' | 'problem' | null
  /** Shown if there is no row, and no filter. */
  readonly empty: ComponentChildren
  readonly onAnswer?: (answer: Answer) => void
}

export function FleetList<Row, Answer extends Listed>(props: ListProps<Row, Answer>) {
  const { name, path, caption, columns, facets = [], client, turn, onProblem, readRows } = props
  const { t } = useFleetText()
  const { query } = useRoute()
  const read = (parameter: string) => query.get(`${name}-${parameter}`)
  const change = (parameters: Readonly<Record<string, string>>) =>
    changeQuery(
      Object.fromEntries(
        Object.entries(parameters).map(([parameter, value]) => [`${name}-${parameter}`, value]),
      ),
    )
  const sort = readSort(read('sort'), columns) ?? props.sort
  const chosen = facets.map((facet) => {
    const value = read(facet.name) ?? ''
    return facet.choices.some((choice) => choice.value === value) ? value : (facet.choices[0]?.value ?? '')
  })
  const search = read('search') ?? ''
  const isFiltered = search !== '' || facets.some(({ choices }, at) => chosen[at] !== choices[0]?.value)
  const wanted = new URLSearchParams({ sort: sort.key, order: sort.descending ? 'desc' : 'asc' })
  if (search !== '') wanted.set('search', search)
  for (const [at, facet] of facets.entries()) if (chosen[at]) wanted.set(facet.name, chosen[at])
  const list = wanted.toString()

  /** Cursors of the pages before the shown one, of the list that they belong to. */
  const [trail, setTrail] = useState<{ readonly list: string; readonly cursors: readonly string[] }>({
    list,
    cursors: [],
  })
  const cursors = trail.list === list ? trail.cursors : []
  const after = cursors.at(-1)
  const { data, problem, loading } = useResource<{ readonly list: string; readonly answer: Answer }>(
    async (signal) => ({
      list,
      answer: await client.get<Answer>(
        `${path}?${list}&limit=${ROWS}${after === undefined ? '' : `&after=${after}`}`,
        signal,
      ),
    }),
    `${list} ${after ?? ''} ${turn}`,
    { everyMs: REFRESH_MS },
  )
  useEffect(() => {
    if (data) props.onAnswer?.(data.answer)
  }, [data])
  useEffect(() => {
    if (!loading) onProblem(name, problem)
  }, [problem, loading])
  const exporting = useAct()
  const rows = data ? readRows(data.answer) : []
  const before = cursors.length * ROWS
  return (
    <>
      <div class="filters" role="search" aria-label={caption}>
        <SearchField
          label={props.searchLabel}
          value={search}
          onChange={(value) => change({ search: value })}
        />
        {facets.map((facet, at) => (
          <SelectField
            key={facet.name}
            label={facet.label}
            value={chosen[at] ?? ''}
            choices={facet.choices}
            onChange={(value) => change({ [facet.name]: value })}
          />
        ))}
        <Button
          icon="download"
          working={exporting.working}
          label={t('list.export-of', { list: caption })}
          onClick={() =>
            void exporting.run(async () => saveAs(await client.file(`${path}.csv?${list}`), `${name}.csv`))
          }
        >
          {t('list.export')}
        </Button>
      </div>
      <ProblemNotice problem={exporting.problem} />
      {!data && !problem && <Skeleton rows={3} />}
      {data && rows.length === 0 && (
        <>
          {isFiltered || cursors.length > 0 ? (
            <Empty
              actions={
                <Button
                  onClick={() => {
                    setTrail({ list, cursors: [] })
                    change({ search: '', ...Object.fromEntries(facets.map((facet) => [facet.name, ''])) })
                  }}
                >
                  {t('list.reset')}
                </Button>
              }
            >
              {t('list.none')}
            </Empty>
          ) : (
            props.empty
          )}
        </>
      )}
      {rows.length > 0 && (
        <Table
          caption={caption}
          columns={columns}
          rows={rows}
          getKey={props.getKey}
          sort={sort}
          onSort={({ key, descending }) => change({ sort: descending ? `-${key}` : key })}
          busy={loading && data?.list !== list}
          {...(props.chooseTone ? { chooseTone: props.chooseTone } : {})}
        />
      )}
      {(cursors.length > 0 || data?.answer.next) && (
        <nav class="pager" aria-label={t('list.pages', { list: caption })}>
          <Button
            icon="back"
            disabled={cursors.length === 0}
            onClick={() => setTrail({ list, cursors: cursors.slice(0, -1) })}
          >
            {t('list.previous')}
          </Button>
          <p>{rows.length > 0 && t('list.rows', { from: before + 1, to: before + rows.length })}</p>
          <Button
            icon="next"
            disabled={!data?.answer.next || data.list !== list}
            onClick={() => {
              const next = data?.answer.next
              if (next) setTrail({ list, cursors: [...cursors, next] })
            }}
          >
            {t('list.next')}
          </Button>
        </nav>
      )}
    </>
  )
}

/** Follows the typing with a pause, so that the service is not asked for each letter. */
function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => onChange(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return <TextField label={label} type="search" value={typed} maxLength={100} dir="auto" onInput={setTyped} />
}

/** `name`, or `-name` for the descending order. */
function readSort(
  text: string | null,
  columns: readonly Pick<Column<never>, 'key' | 'sortable'>[],
): Sort | null {
  const [, minus, key] = /^(-?)([a-z]+)$/.exec(text ?? '') ?? []
  const isKnown = columns.some((column) => column.sortable && column.key === key)
  return isKnown && key !== undefined ? { key, descending: minus === '-' } : null
}
