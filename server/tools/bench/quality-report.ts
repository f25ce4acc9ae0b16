/** Formats the output of bench:quality. */
import type { FrameTimes } from './quality-frames.ts'
import type { SeriesResult } from './quality-measure.ts'
import type { RealResult } from './quality-real.ts'

export function describeSeries({ name, code, never, always, steps, violations }: SeriesResult): string {
  const shown = (first: Readonly<Record<string, number>>) =>
    Object.entries(first)
      .map(([key, count]) => `${key}×${count}`)
      .join(' ')
  return [
    `${name} → ${code}: never up to ${never}, always from ${always}`,
    ...steps.map(({ step, amount, pictures, refused, first, live }) =>
      [
        `  ${String(step).padStart(2)}`,
        amount.padEnd(34),
        `${refused}/${pictures}`.padStart(6),
        shown(first).padEnd(22),
        `live ${live.refused}/${pictures} ${shown(live.first)}`,
      ].join('  '),
    ),
    violations.length === 0 ? '  ok\n' : `  VIOLATIONS: ${violations.join('; ')}\n`,
  ].join('\n')
}

export function describeReal(real: RealResult | null): string {
  if (real === null) return 'photographs: not there, not measured\n'
  const { images, readExactly, refusedThoughExact } = real
  return `photographs: ${images}, read exactly ${readExactly}, of these refused ${refusedThoughExact}\n`
}

export function describeFrames({ frames, wallMs, cpuMs }: FrameTimes): string {
  const shown = ({ median, p95 }: FrameTimes['cpuMs']) => `median ${median} ms, p95 ${p95} ms`
  return `live pictures of 1920 × 1080: ${frames}; on the clock ${shown(wallMs)}; of the processor ${shown(cpuMs)}\n`
}
