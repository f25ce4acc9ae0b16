/**
 * Measures one series of bench:quality: every step of every specimen through the vision worker and the product's rules,
 * as a sent picture and as a live one. Compares the counts with the promises of the series.
 */
import {
  listFaultCodes,
  judgePicture,
  type PictureCode,
  type PictureLimits,
} from '../../proofing/document-quality.ts'
import { toPictureMeasures, measuresOfFrame } from '../../verification/picture-measures.ts'
import type { Vision } from '../../vision/protocol.ts'
import { photograph } from './quality-scenes.ts'
import type { Series } from './quality-series.ts'
import type { Specimen } from './quality-specimens.ts'

interface StepResult {
  readonly step: number
  readonly amount: string
  readonly pictures: number
  readonly refused: number
  /** First code → number of pictures. */
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

export interface Tools {
  readonly vision: Vision
  readonly limits: PictureLimits
}

export async function measureSeries(
  series: Series,
  specimens: readonly Specimen[],
  seed: number,
  tools: Tools,
  told: (step: string) => void,
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
    told(`${series.name} ${index + 1}/${series.steps.length}`)
    const refused = sumCounts(first)
    steps.push({
      step: index + 1,
      amount,
      pictures: specimens.length,
      refused,
      first,
      live: { refused: sumCounts(live), first: live },
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

/** The promises of a series that these steps break. */
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
  return listFaultCodes(judgePicture(toPictureMeasures(await vision.measureDocument({ image })), limits))
}

async function codesOfFrame(image: Uint8Array, { vision, limits }: Tools): Promise<readonly PictureCode[]> {
  return listFaultCodes(judgePicture(measuresOfFrame(await vision.assessFrame({ image })), limits))
}

function sumCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
