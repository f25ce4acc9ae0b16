/**
 * Runs `npm run bench:quality`: photographs specimens well, and then worse and worse in one way at a time. A stated
 * step says from where a picture must be refused, and another one up to where it must not. A refusal must give the
 * code of the actual fault first. Every picture takes the product's own way: the vision worker measures, and the
 * product's rules judge.
 */
import { parseArgs } from 'node:util'
import { loadThresholds } from '../../verification/thresholds.ts'
import { startVision } from '../../vision/client.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import { endBench, findLabelledData } from './labelled-data.ts'
import { timeFrames } from './quality-frames.ts'
import { measureSeries, type SeriesResult } from './quality-measure.ts'
import { measureReal } from './quality-real.ts'
import { describeFrames, describeReal, describeSeries } from './quality-report.ts'
import { SERIES } from './quality-series.ts'
import { SIDES, drawSpecimen } from './quality-specimens.ts'

const HELP = `bench-quality: spoils photographs of specimens step by step and counts the refusals by code

  --seed S        seed of place, light and background                                  (default 1)
  --specimens N   number of the 8 sides of documents to use                           (default all)
  --only A,B      of ${SERIES.map(({ name }) => name).join(', ')}
  --manifest FILE photographs that must not be refused if they are read exactly         (default ../shared/data/mrz.tsv;
                  none if it is missing)
  --images DIR    folder of the photographs                    (default: the folder with the manifest's name)
  --frame-time N  instead, times N live pictures of 1920 by 1080
  --json          one JSON object at the end
  --help          this text

never: no picture is refused up to this step. always: from this step on every picture is refused, with its own code first.
live: the same for the live picture of a capture session, in which nothing is read. The exit status is 1 if a series misses its
limits, or if a real photograph that is read exactly is refused. Progress goes to standard error.

Example: npm run bench:quality -- --specimens 2 --only dark,blur
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      seed: { type: 'string', default: '1' },
      specimens: { type: 'string', default: String(SIDES.length) },
      only: { type: 'string', default: '' },
      manifest: { type: 'string' },
      images: { type: 'string' },
      'frame-time': { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [seed, count, frames] = [values.seed, values.specimens, values['frame-time']].map(Number)
  const names = values.only.split(',').filter((name) => name !== '')
  const series = SERIES.filter(({ name }) => names.length === 0 || names.includes(name))
  const isWhole = [seed, count, frames].every(Number.isInteger) && count >= 1 && count <= SIDES.length
  if (!isWhole || frames < 0 || series.length < names.length || series.length === 0) {
    process.stderr.write(
      '--seed, --specimens and --frame-time take whole numbers, --only names of series; --help tells them\n',
    )
    return 2
  }
  // Searched before the series, so that a mistyped name does not cost their time.
  const found = frames > 0 ? null : findLabelledData('mrz', values, 'rendered photographs alone are measured')
  const specimens = await Promise.all(SIDES.slice(0, count).map((side, i) => drawSpecimen(side, seed + i)))
  if (frames > 0) {
    const times = await timeFrames(specimens, seed, frames)
    process.stdout.write(values.json ? `${JSON.stringify({ seed, ...times })}\n` : describeFrames(times))
    return endBench(frames)
  }
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  const tools = { vision, limits: loadThresholds() }
  const results: SeriesResult[] = []
  try {
    for (const one of series) {
      const result = await measureSeries(one, specimens, seed, tools, (step) =>
        process.stderr.write(`${step}\n`),
      )
      results.push(result)
      if (!values.json) process.stdout.write(describeSeries(result))
    }
    const real = found && (await measureReal(found.manifest, found.images, tools))
    const violations = results.reduce((sum, result) => sum + result.violations.length, 0)
    if (values.json)
      process.stdout.write(
        `${JSON.stringify({ seed, specimens: count, series: results, real, violations })}\n`,
      )
    else process.stdout.write(`seed ${seed}, ${violations} violations\n${describeReal(real)}`)
    return endBench(results.length, violations === 0 && (real?.refusedThoughExact ?? 0) === 0)
  } finally {
    await vision.close()
  }
}
