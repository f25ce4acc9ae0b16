/**
 * Figures of the branch as tables, without personal data: counts of visits, advice and times.
 * GET charts?from&to            → ChartsView     (charts:see)
 * GET charts/{name}.csv?from&to → the table      (charts:export)
 */
import { z } from 'zod'
import { CHART_NAMES } from '../../store/visits.ts'

export const CHARTS = CHART_NAMES
export type ChartName = (typeof CHARTS)[number]

export interface ChartsView {
  /** First and last day of the period. */
  readonly from: string
  readonly to: string
  readonly charts: readonly Chart[]
}

export interface Chart {
  readonly name: ChartName
  /** Key of the locale: `chart.{name}`. */
  readonly title: string
  readonly columns: readonly {
    readonly name: string
    /** Key of the locale. */
    readonly label: string
    readonly unit: 'COUNT' | 'SECONDS' | 'SHARE' | 'HOURS' | 'MINUTES' | null
    /** WORD: a step, an outcome or a guidance code; the page has its text. */
    readonly type: 'WORD' | 'TIME' | 'NUMBER'
  }[]
  readonly rows: readonly (readonly (string | number | null)[])[]
  /** True for fewer than five visits: the figures are then not split. */
  readonly tooFew: boolean
}

export const ChartsQuery = z.strictObject({ from: z.iso.date().optional(), to: z.iso.date().optional() })
export type ChartsQuery = z.infer<typeof ChartsQuery>
