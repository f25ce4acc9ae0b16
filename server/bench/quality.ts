/**
 * `npm run bench:quality`: specimens photographed well and then worse and worse, in one way at a time. A picture must be
 * refused from a stated step on and never up to another one, and with the code of what is wrong with it before any
 * other. Every picture takes the product's own way: the vision worker measures, the product's rules judge.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { codesOf, findingsOf, type PictureCode, type PictureLimits } from '../proofing/document-quality.ts'
import { renderDocumentSide } from '../specimen/documents/render.ts'
import type { SpecimenKind } from '../specimen/documents/layout.ts'
import { measuresOf, measuresOfFrame } from '../verification/picture-measures.ts'
import { loadThresholds } from '../verification/thresholds.ts'
import { startVision } from '../vision/client.ts'
import { defaultModelsDir } from '../vision/packs.ts'
import { ImageFaultError, type Vision } from '../vision/protocol.ts'
import { readManifest } from './mrz.ts'
import { photograph, type FlatDocument } from './quality-scenes.ts'
import { SERIES, type Series } from './quality-series.ts'

const HELP = `bench-quality: spoils photographs of specimens step by step and counts what is refused, with which codes

  --seed S        place, light and background of every photograph                        (default 1)
  --specimens N   of the 8 sides of documents                                         (default all)
  --only A,B      of ${SERIES.map(({ name }) => name).join(', ')}
  --manifest FILE photographs that must not be refused where they are read exactly      (default ../shared/data/mrz.tsv)
  --images DIR    where they lie                                                        (default ../shared/data/mrz)
  --json          one JSON object at the end
  --help          this text

never: no picture is refused up to this step. always: from this step on every picture is, with its own code first.
live: the same for the live picture of a capture session, in which nothing is read. The exit status is 1 when a series
breaks its word or a real photograph that is read exactly is refused.
`

const SIDES: readonly (readonly [SpecimenKind, side: number])[] = [
  ['passport', 0],
  ['identity-card', 0],
  ['identity-card', 1],
  ['licence-north-america', 0],
  ['licence-europe', 0],
  ['residence-card', 0],
  ['identity-card-large', 0],
  ['passport', 0],
]
const DPI = 350

interface Specimen extends FlatDocument {
  readonly label: string
}

export interface StepResult {
  readonly step: number
  readonly amount: string
  readonly pictures: number
  readonly refused: number
  /** First code → pictures. */
  readonly first: Readonly<Record<string, number>>
  readonly live: { readonly refused: number; readonly first: Readonly<Record<string, number>> }
}

export interface SeriesResult {
  readonly name: string
  readonly code: PictureCode
  readonly never: string
  readonly always: string
  readonly steps: readonly StepResult[]
  readonly violations: readonly string[]
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      seed: { type: 'string', default: '1' },
      specimens: { type: 'string', default: String(SIDES.length) },
      only: { type: 'string', default: '' },
      manifest: { type: 'string', default: '../shared/data/mrz.tsv' },
      images: { type: 'string', default: '../shared/data/mrz' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [seed, count] = [Number(values.seed), Number(values.specimens)]
  const names = values.only.split(',').filter((name) => name !== '')
  const series = SERIES.filter(({ name }) => names.length === 0 || names.includes(name))
  const isWhole = Number.isInteger(seed) && Number.isInteger(count) && count >= 1 && count <= SIDES.length
  if (!isWhole || series.length < names.length || series.length === 0) {
    process.stderr.write(
      '--seed and --specimens take whole numbers, --only names of series; --help tells them\n',
    )
    return 2
  }
  const specimens = await Promise.all(SIDES.slice(0, count).map((side, i) => specimenOf(side, seed + i)))
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  const limits = loadThresholds()
  const results: SeriesResult[] = []
  try {
    for (const one of series) {
      const result = await measureSeries(one, specimens, seed, { vision, limits })
      results.push(result)
      if (!values.json) process.stdout.write(describeSeries(result))
    }
    const real = await measureReal(resolve(values.manifest), resolve(values.images), { vision, limits })
    const violations = results.reduce((sum, result) => sum + result.violations.length, 0)
    if (values.json)
      process.stdout.write(
        `${JSON.stringify({ seed, specimens: count, series: results, real, violations })}\n`,
      )
    else process.stdout.write(`seed ${seed}, ${violations} violations\n${describeReal(real)}`)
    return violations > 0 || (real?.refusedThoughExact ?? 0) > 0 ? 1 : 0
  } finally {
    await vision.close()
  }
}

async function specimenOf([kind, side]: (typeof SIDES)[number], seed: number): Promise<Specimen> {
  const { pixels, widthPx, heightPx, truth } = await renderDocumentSide(kind, seed, side, DPI)
  return {
    label: `${kind} ${truth.side.toLowerCase()}`,
    raster: { data: pixels, width: widthPx, height: heightPx },
    widthMm: truth.size.width,
    heightMm: truth.size.height,
  }
}

interface Tools {
  readonly vision: Vision
  readonly limits: PictureLimits
}

async function measureSeries(
  series: Series,
  specimens: readonly Specimen[],
  seed: number,
  tools: Tools,
): Promise<SeriesResult> {
  const steps: StepResult[] = []
  const strays: string[] = []
  for (const [index, { spoiling, amount }] of series.steps.entries()) {
    const first: Record<string, number> = {}
    const live: Record<string, number> = {}
    for (const [n, specimen] of specimens.entries()) {
      const { jpeg } = await photograph(specimen, spoiling, seed * 1000 + n * 20 + index)
      const codes = await codesOfPicture(jpeg, tools)
      const liveCodes = await codesOfFrame(jpeg, tools)
      for (const [counts, found] of [[first, codes] as const, [live, liveCodes] as const]) {
        const [worst] = found
        if (worst !== undefined) counts[worst] = (counts[worst] ?? 0) + 1
      }
      const [worst] = codes
      if (worst !== undefined && worst !== series.code)
        strays.push(`step ${index + 1}: ${specimen.label} has ${codes.join(' ')}`)
    }
    const refused = sumOf(first)
    steps.push({
      step: index + 1,
      amount,
      pictures: specimens.length,
      refused,
      first,
      live: { refused: sumOf(live), first: live },
    })
  }
  const { name, code, neverUpTo, alwaysFrom } = series
  return {
    name,
    code,
    never: series.steps[neverUpTo - 1].amount,
    always: series.steps[alwaysFrom - 1].amount,
    steps,
    violations: [...brokenWords(series, steps), ...strays],
  }
}

/** What a series promises and these steps do not keep. */
export function brokenWords(
  { code, neverUpTo, alwaysFrom }: Pick<Series, 'code' | 'neverUpTo' | 'alwaysFrom'>,
  steps: readonly Pick<StepResult, 'step' | 'pictures' | 'refused' | 'first'>[],
): readonly string[] {
  return steps.flatMap(({ step, pictures, refused, first }) => {
    if (step <= neverUpTo && refused > 0) return [`step ${step}: ${refused} refused, none may be`]
    const own = first[code] ?? 0
    if (step >= alwaysFrom && own < pictures)
      return [`step ${step}: ${own} of ${pictures} refused with ${code} first`]
    return []
  })
}

async function codesOfPicture(image: Uint8Array, { vision, limits }: Tools): Promise<readonly PictureCode[]> {
  return codesOf(findingsOf(measuresOf(await vision.measureDocument({ image })), limits))
}

async function codesOfFrame(image: Uint8Array, { vision, limits }: Tools): Promise<readonly PictureCode[]> {
  return codesOf(findingsOf(measuresOfFrame(await vision.assessFrame({ image })), limits))
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

interface RealResult {
  readonly images: number
  readonly readExactly: number
  readonly refusedThoughExact: number
  readonly codes: Readonly<Record<string, number>>
}

/** Null where the photographs are not there. */
async function measureReal(manifest: string, images: string, tools: Tools): Promise<RealResult | null> {
  if (!existsSync(manifest)) return null
  const codes: Record<string, number> = {}
  let [readExactly, refusedThoughExact, count] = [0, 0, 0]
  for (const { file, truth } of readManifest(readFileSync(manifest, 'utf8'))) {
    const path = join(images, file)
    if (truth.length === 0 || !existsSync(path)) continue
    count++
    const measured = await tools.vision
      .measureDocument({ image: readFileSync(path) })
      .catch((error: unknown) => {
        if (error instanceof ImageFaultError) return null
        throw error
      })
    if (measured?.mrz?.lines.join('|') !== truth.join('|')) continue
    readExactly++
    const found = codesOf(findingsOf(measuresOf(measured), tools.limits))
    if (found.length > 0) {
      refusedThoughExact++
      process.stderr.write(`read exactly and refused: ${file} ${found.join(' ')}\n`)
    }
    for (const code of found) codes[code] = (codes[code] ?? 0) + 1
  }
  return { images: count, readExactly, refusedThoughExact, codes }
}

function describeSeries({ name, code, never, always, steps, violations }: SeriesResult): string {
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

function describeReal(real: RealResult | null): string {
  if (real === null) return 'photographs: not there, not measured\n'
  const { images, readExactly, refusedThoughExact } = real
  return `photographs: ${images}, read exactly ${readExactly}, of these refused ${refusedThoughExact}\n`
}
