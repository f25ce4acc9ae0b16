/** Bars and lines, drawn here. Each value is reached by arrow keys or pointer and said below; a table stands beside every chart. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { niceTop, pointsOf } from './chart-scale.ts'

export interface ChartPoint {
  readonly label: string
  /** One for each series; null: nothing was measured. */
  readonly values: readonly (number | null)[]
  /** The whole value in words. */
  readonly words: string
}

interface ChartProps {
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly series: readonly string[]
  readonly format: (value: number) => string
}

const WIDTH = 640
const HEIGHT = 220
const EDGE = { start: 56, end: 8, top: 12, bottom: 28 }
const PLOT = { width: WIDTH - EDGE.start - EDGE.end, height: HEIGHT - EDGE.top - EDGE.bottom }

/** Which point has the focus or the pointer; left and right arrows move it. */
function useReach(count: number) {
  const [at, setAt] = useState<number | null>(null)
  const group = useRef<SVGGElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const to = Math.min(count - 1, Math.max(0, (at ?? -1) + step))
    setAt(to)
    group.current?.querySelectorAll<SVGGElement>('[role=img]')[to]?.focus()
  }
  return { at, setAt, group, move }
}

function Plot({
  props: { label, points, series, format },
  top,
  children,
}: {
  readonly props: ChartProps
  readonly top: number
  readonly children: (
    x: (index: number) => number,
    y: (value: number) => number,
    slot: number,
  ) => ComponentChildren
}) {
  const { at, setAt, group, move } = useReach(points.length)
  const slot = PLOT.width / Math.max(1, points.length)
  const x = (index: number) => EDGE.start + slot * (index + 0.5)
  const y = (value: number) => EDGE.top + PLOT.height * (1 - value / top)
  // As many labels as fit without touching: about 56 units each.
  const every = Math.ceil(56 / slot)
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={label} direction="ltr">
        {[0, 0.5, 1].map((share) => (
          <g key={share} aria-hidden="true">
            <path class="chart-rule" d={`M${EDGE.start} ${y(top * share)}h${PLOT.width}`} />
            <text class="chart-text" x={EDGE.start - 6} y={y(top * share) + 4} text-anchor="end">
              {format(top * share)}
            </text>
          </g>
        ))}
        {children(x, y, slot)}
        <g ref={group} onKeyDown={move}>
          {points.map((point, index) => (
            <g
              key={index}
              role="img"
              aria-label={point.words}
              tabIndex={index === (at ?? 0) ? 0 : -1}
              class="chart-reach"
              onFocus={() => setAt(index)}
              onPointerEnter={() => setAt(index)}
            >
              <rect x={x(index) - slot / 2} y={EDGE.top} width={slot} height={PLOT.height} />
              {index % every === 0 && (
                <text class="chart-text" x={x(index)} y={HEIGHT - 8} text-anchor="middle" aria-hidden="true">
                  {point.label}
                </text>
              )}
            </g>
          ))}
        </g>
      </svg>
      {series.length > 1 && (
        <ul class="legend">
          {series.map((name, index) => (
            <li key={name}>
              <svg viewBox="0 0 32 8" aria-hidden="true">
                <path class={`chart-line series-${index % 3}`} d="M0 4h32" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <p class="chart-value" aria-hidden="true">
        {at === null ? '\u00a0' : points[at]?.words}
      </p>
    </figure>
  )
}

export function BarChart(props: ChartProps) {
  const top = niceTop(props.points.flatMap(({ values }) => values))
  return (
    <Plot props={props} top={top}>
      {(x, y, slot) =>
        props.points.map(({ values }, index) => {
          const value = values[0] ?? 0
          const width = Math.min(40, slot * 0.7)
          return (
            <rect
              key={index}
              class="chart-bar"
              x={x(index) - width / 2}
              y={y(value)}
              width={width}
              height={Math.max(0, EDGE.top + PLOT.height - y(value))}
            />
          )
        })
      }
    </Plot>
  )
}

export function LineChart(props: ChartProps) {
  const top = niceTop(props.points.flatMap(({ values }) => values))
  return (
    <Plot props={props} top={top}>
      {(x, y) =>
        props.series.map((name, at) => (
          <g key={name} class={`series-${at % 3}`} aria-hidden="true">
            <path class={`chart-line series-${at % 3}`} d={pointsOf(props.points, at, x, y)} />
            {props.points.map(({ values }, index) => {
              const value = values[at]
              return value === null || value === undefined ? null : (
                <circle key={index} class="chart-dot" cx={x(index)} cy={y(value)} r={3.5} />
              )
            })}
          </g>
        ))
      }
    </Plot>
  )
}

/** Long words beside their bars: steps, advice, outcomes. */
export function RowChart({ label, points, format }: Omit<ChartProps, 'series'>) {
  const top = niceTop(points.map(({ values }) => values[0] ?? null))
  return (
    <ul class="row-chart" aria-label={label}>
      {points.map(({ label: name, values, words }, index) => {
        const value = values[0] ?? 0
        return (
          <li key={index} tabIndex={0} title={words}>
            <span>{name}</span>
            <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
              <rect class="chart-bar" width={(value / top) * 100} height="12" />
            </svg>
            <b>{format(value)}</b>
          </li>
        )
      })}
    </ul>
  )
}
