/** Result of bench:authenticity and its text form. */
import { AUTHENTICITY_SIGNALS, type AuthenticitySignalName } from '../../../vision/protocol.ts'
import type { Sample } from './pictures.ts'
import type { Rate, SignalRates } from './rates.ts'

export interface AuthenticityBench {
  readonly settingSeeds: string
  readonly measuringSeeds: string
  readonly genuine: Readonly<Record<Sample['source'], number>>
  readonly signals: Readonly<
    Record<
      AuthenticitySignalName,
      SignalRates & { readonly threshold: number; readonly falseAlarmsOnScenes: Rate }
    >
  >
  readonly outOfReach: readonly (Rate & { readonly species: string })[]
  /** Genuine pictures that raise signals of two groups. */
  readonly together: Rate
  readonly unrepairedCheckDigits: { readonly falseAlarms: number; readonly judged: number }
  readonly falseAlarmsOn: Readonly<Record<string, readonly string[]>>
  readonly setAside: readonly {
    readonly file: string
    readonly because: string
    readonly raised: readonly string[]
  }[]
  readonly msMedian: number
}

export function describe(result: AuthenticityBench): string {
  const percent = ({ rate, errors, trials, ci95 }: Rate) =>
    `${(100 * rate).toFixed(1)} % (${errors} of ${trials}, 95 %: ${(100 * ci95[0]).toFixed(1)}-${(100 * ci95[1]).toFixed(1)})`
  const { rendered, scenes, specimens, photographs: real } = result.genuine
  const lines = [
    `thresholds set on seeds ${result.settingSeeds} and the photographs; measured on seeds ${result.measuringSeeds}`,
    `genuine: ${rendered} rendered pages, ${scenes} scenes, ${specimens} specimens, ${real} photographs`,
    ...AUTHENTICITY_SIGNALS.flatMap((name) => {
      const { threshold, falseAlarms, falseAlarmsOnScenes, misses, worst, nullShare } = result.signals[name]
      return [
        '',
        `${name}  threshold ${threshold}, not measurable ${(100 * nullShare).toFixed(1)} %`,
        `  false alarms           ${percent(falseAlarms)} ${result.falseAlarmsOn[name].join(' ')}`,
        `  … on scenes alone      ${percent(falseAlarmsOnScenes)}`,
        `  misses, worst species  ${worst ? percent(worst) : '-'} ${worst?.species ?? ''}`,
        ...misses.map((miss) => `    ${miss.species.padEnd(28)} ${percent(miss)}`),
      ]
    }),
    '',
    ...result.outOfReach.map((miss) => `out of reach: ${miss.species.padEnd(16)} ${percent(miss)}`),
    `genuine that raise two groups: ${percent(result.together)}`,
    `unrepaired check digits: ${result.unrepairedCheckDigits.falseAlarms} false alarms of ${result.unrepairedCheckDigits.judged}`,
    ...result.setAside.map(
      ({ file, because, raised }) =>
        `set aside: ${file}, ${because}: ${raised.join(' ') || 'nothing raised'}`,
    ),
    `ms median ${result.msMedian}`,
  ]
  return `${lines.join('\n')}\n`
}
