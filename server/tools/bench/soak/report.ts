/** Writes the report of a soak: one HTML file that needs no network. Pure. */
import { escapeXml } from '../../../xml/escape.ts'
import { MIN_PROOFINGS } from './drift.ts'
import { drawPlot, formatNumber, type Line } from './plot.ts'
import { listSeries, PLOTS, SERIES, type Sample, type SeriesName } from './series.ts'
import type { SoakResult } from './result.ts'

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 960px; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem }
.good { color: #00603b } .bad { color: #a4000f } .verdict { font-size: 1.15rem; font-weight: 600 }
table { border-collapse: collapse; width: 100%; font-size: .9rem } th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #ddd }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
svg { width: 100%; height: auto; margin: .4rem 0 1rem } svg text { font: 12px system-ui, sans-serif; fill: #444 }
svg .title { font-weight: 600; fill: #1b1b1b } svg path { fill: none; stroke-width: 1.6 } svg .grid { stroke: #e6e6e6 }
svg .mark { stroke: #999; stroke-dasharray: 2 3 } p.small { font-size: .85rem; color: #555 }`

const VERDICTS = { STEADY: 'steady', DRIFT: 'DRIFT', TOO_SHORT: 'too short to tell' } as const

export function writeReport(result: SoakResult): string {
  const { counts, faults, findings, judged, latencies, samples, settings } = result
  const minutes = result.seconds / 60
  const marks = faults.map(({ seconds, name }) => ({ minutes: seconds / 60, label: name }))
  const plots = PLOTS.map(({ name, title, unit }) => {
    const series = listSeries().filter(([, { plot }]) => plot === name)
    const lines = series.map(([key, { label, process }]) => toLine(samples, key, label, process))
    return drawPlot({ title, unit, lines, minutes, marks })
  })
  const title = `Soak of ${new Date(result.startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<p class="small">Version ${escapeXml(result.version)}, Node ${escapeXml(process.version)}, seed ${settings.seed}, central service with ${escapeXml(result.database)}</p>
<p class="verdict ${result.isGood ? 'good' : 'bad'}">${escapeXml(describeVerdict(result))}</p>
${writeTable(
  ['what', '#number'],
  [
    ['minutes', formatNumber(minutes)],
    ['proofs that a caller received', counts.received],
    ['proofs sealed', counts.sealed],
    ['live sessions', counts.live],
    ['proofings given up', counts.abandoned],
    ['faults', faults.length],
    ['lost', counts.lost],
    ['stored twice', counts.duplicated],
    ['half done, or a file that belongs to nothing', counts.half],
    ['changed after an answer', counts.changed],
    ['archives that do not verify', counts.unverified],
    ['findings in the audit log', counts.auditFindings],
    ['other broken promises', counts.broken],
  ],
)}
${findings.length > 0 ? `<ul>${findings.map((each) => `<li>${escapeXml(each)}</li>`).join('')}</ul>` : ''}
<h2>Drift</h2>
${writeTable(
  ['series', '#proofings judged', '#growth per proofing', '#at least', '#limit', 'verdict'],
  judged.map(({ series, proofings, slope, slopeAtLeast, limit, verdict }) => [
    nameSeries(series),
    proofings,
    slope === null ? '' : slope.toFixed(4),
    slopeAtLeast === null ? '' : slopeAtLeast.toFixed(4),
    limit.perProofing,
    VERDICTS[verdict],
  ]),
)}
<p class="small">Growth is the median slope of all pairs of samples (Theil–Sen) in the longest life of the process, after its warm-up; “at least” is
the lower end of its 95 % interval. Drift: that end is above the limit, so is the total growth, and the level at the end is above all of the warm-up. Fewer than ${MIN_PROOFINGS} proofings tell nothing.</p>
<h2>Times</h2>
${writeTable(
  ['step', '#number', '#median ms', '#p95 ms', '#longest ms'],
  result.times.map(({ step, number, median, p95, longest }) => [step, number, median, p95, longest]),
)}
<h2>Plots</h2>
<p class="small">A dashed line is a fault; the pointer on it shows its name. A line that breaks is a process that ended.</p>
${plots.join('\n')}
${drawPlot({
  title: 'Times of steps, faults included',
  unit: 's',
  minutes,
  marks,
  lines: result.times
    .filter(({ step }) => step !== 'live session')
    .map(({ step }) => ({
      label: step,
      isDots: true,
      points: latencies
        .filter((each) => each.step === step)
        .map(({ seconds, ms }) => [seconds / 60, ms / 1000] as const),
    })),
})}
<h2>Faults</h2>
${writeTable(
  ['#minute', 'fault', '#seconds'],
  faults.map(({ seconds, name, lasted }) => [formatNumber(seconds / 60), name, formatNumber(lasted)]),
)}
</html>
`
}

export function describeVerdict({ counts, judged, isGood }: SoakResult): string {
  const { lost, duplicated, half, changed, unverified, auditFindings, broken } = counts
  const drifting = judged.filter(({ verdict }) => verdict === 'DRIFT').map(({ series }) => nameSeries(series))
  const short = judged.filter(({ verdict }) => verdict === 'TOO_SHORT').length
  const drift = drifting.length > 0 ? `drift of ${drifting.join(', ')}` : 'no drift'
  const untold = short > 0 ? ` (${short} of ${judged.length} series too short to tell)` : ''
  const others = half + changed + unverified + auditFindings + broken
  return (
    `${isGood ? 'Well' : 'Not well'}: ${counts.sealed} proofs, ${lost} lost, ${duplicated} twice, ` +
    `${others} other findings, ${drift}${untold}`
  )
}

function nameSeries(series: SeriesName): string {
  const { plot, label } = SERIES[series]
  const found = PLOTS.find(({ name }) => name === plot)
  return `${plot}: ${label}${found?.unit ? `, ${found.unit}` : ''}`
}

function toLine(
  samples: readonly Sample[],
  series: SeriesName,
  label: string,
  process: keyof Sample['pids'] | undefined,
): Line {
  const points: (readonly [number, number | null])[] = []
  let pid: number | null = null
  for (const { seconds, pids, values } of samples) {
    const present = process === undefined ? 0 : pids[process]
    if (present !== pid) points.push([seconds / 60, null])
    pid = present
    points.push([seconds / 60, values[series] ?? null])
  }
  return { label, points }
}

/** A heading that begins with # is a column of numbers. */
function writeTable(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const isNumber = headings.map((heading) => heading.startsWith('#'))
  const write = (tag: 'th' | 'td', cells: readonly (string | number)[]): string => {
    const written = cells.map(
      (cell, index) => `<${tag}${isNumber[index] ? ' class="n"' : ''}>${escapeXml(String(cell))}</${tag}>`,
    )
    return `<tr>${written.join('')}</tr>`
  }
  const head = write(
    'th',
    headings.map((heading) => heading.replace('#', '')),
  )
  return `<table>${head}${rows.map((row) => write('td', row)).join('')}</table>`
}
