/**
 * Bar charts. Arrow keys or the pointer reach each value, which is shown below; a table is beside every
 * chart.
 */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { niceTop } from './chart-scale.ts'

interface ChartPoint {
  readonly label: string
  /** Null: nothing was measured. */
  readonly value: number | null
  /** The complete value in words. */
  readonly words: string
}

interface ChartProps {
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly format: (value: number) => string
}

const WIDTH = 640
const HEIGHT = 220
const EDGE = { start: 56, end: 8, top: 12, bottom: 28 }
const PLOT = { width: WIDTH - EDGE.start - EDGE.end, height: HEIGHT - EDGE.top - EDGE.bottom }

/** The point with the focus or the pointer; the left and right arrows move it. */
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
  props: { label, points, format },
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
      <p class="chart-value" aria-hidden="true">
        {at === null ? '\u00a0' : points[at]?.words}
      </p>
    </figure>
  )
}

export function BarChart(props: ChartProps) {
  const top = niceTop(props.points.map(({ value }) => value))
  return (
    <Plot props={props} top={top}>
      {(x, y, slot) =>
        props.points.map((point, index) => {
          const value = point.value ?? 0
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

/** Bars with long labels beside them: steps, advice, outcomes. */
export function RowChart({
  label,
  points,
  format,
  isShare = false,
}: ChartProps & { readonly isShare?: boolean }) {
  // A share fills its bar proportionally: half of it for 50 %.
  const top = isShare ? 1 : niceTop(points.map(({ value }) => value))
  return (
    <ul class="row-chart" aria-label={label}>
      {points.map(({ label: name, value: measured, words }, index) => {
        const value = measured ?? 0
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
