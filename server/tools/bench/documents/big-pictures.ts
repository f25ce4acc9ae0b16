/** Measures the whole cost of one twelve-megapixel picture in the default pipeline. */
import { join } from 'node:path'
import { writeFileWhole } from '../../../files/write-file.ts'
import type { SpecimenKind } from '../../specimen/documents/layout.ts'
import { DESIGNS } from '../../specimen/documents/render.ts'
import { renderScene } from '../../specimen/scenes/scene.ts'
import { median } from '../../../vision/documents/percentiles.ts'
import type { Vision } from '../../../vision/protocol.ts'
import { readCpuMs } from '../worker-process.ts'
import { readPicture, type PictureReading } from './read-scene.ts'

const BIG = [4000, 3000] as const

interface BigSide {
  readonly kind: SpecimenKind
  readonly sideIndex: number
  /** Goal for two otherwise idle cores, the product's target machine; null if none is set. */
  readonly goal: { readonly processorMs: number; readonly wallMs: number | null } | null
}

const lastSide = (kind: SpecimenKind): number => DESIGNS[kind].sides.length - 1

/** A page with an MRZ, the front of a card without one, and a back with a barcode. */
const BIG_SIDES: readonly BigSide[] = [
  { kind: 'passport', sideIndex: lastSide('passport'), goal: { processorMs: 1200, wallMs: 900 } },
  { kind: 'identity-card', sideIndex: 0, goal: { processorMs: 1500, wallMs: null } },
  { kind: 'licence-north-america', sideIndex: lastSide('licence-north-america'), goal: null },
]

/** The runtime compiles frequent code: a worker that has read some pictures needs half as long as for the first one. */
const WARMING_READINGS = 6
const COUNTED_READINGS = 5

export interface BigPicture extends BigSide {
  readonly seed: number
  /** Measured on a warm worker: the median of five readings. */
  readonly wallMs: number
  readonly processorMs: number | null
  readonly perCallMs: PictureReading['wallMs']
}

/** Measures one picture after the other and renders nothing meanwhile, so that both cores belong to the worker. */
export async function measureBig(
  vision: Vision,
  { big, seed, keep }: { readonly big: number; readonly seed: number; readonly keep: string | null },
  workerPid: () => number,
): Promise<BigPicture[]> {
  const pictures: BigPicture[] = []
  for (let i = 0; i < big; i++) {
    const side = BIG_SIDES[i % BIG_SIDES.length]
    const { jpeg } = await renderScene({ seed: seed + i, ...side, size: BIG })
    if (keep !== null) writeFileWhole(join(keep, `${seed + i}-big-${side.kind}.jpg`), jpeg)
    for (let n = 0; n < WARMING_READINGS; n++) await readPicture(vision, asOtherFile(jpeg, n))
    const readings: Pick<BigPicture, 'wallMs' | 'processorMs' | 'perCallMs'>[] = []
    for (let n = 0; n < COUNTED_READINGS; n++)
      readings.push(await timeReading(vision, asOtherFile(jpeg, WARMING_READINGS + n), workerPid()))
    const middle = (values: readonly number[]) => Math.round(median(values))
    const processor = readings.flatMap(({ processorMs }) => (processorMs === null ? [] : [processorMs]))
    pictures.push({
      seed: seed + i,
      ...side,
      wallMs: middle(readings.map(({ wallMs }) => wallMs)),
      processorMs: processor.length < COUNTED_READINGS ? null : middle(processor),
      perCallMs: {
        document: middle(readings.map(({ perCallMs }) => perCallMs.document)),
        rest: middle(readings.map(({ perCallMs }) => perCallMs.rest)),
      },
    })
  }
  return pictures
}

/** Size of a JPEG's first marker. */
const START_BYTES = 2

/**
 * The same picture as another file, by a comment of two bytes (JPEG, marker COM): the worker keeps the pixels of a file
 * for some seconds, and a document of the product is decoded once.
 */
function asOtherFile(jpeg: Uint8Array, n: number): Uint8Array {
  return Buffer.concat([
    jpeg.subarray(0, START_BYTES),
    Uint8Array.of(0xff, 0xfe, 0, 4, n >> 8, n & 0xff),
    jpeg.subarray(START_BYTES),
  ])
}

async function timeReading(
  vision: Vision,
  jpeg: Uint8Array,
  workerPid: number,
): Promise<Pick<BigPicture, 'wallMs' | 'processorMs' | 'perCallMs'>> {
  const before = readCpuMs(workerPid)
  const { wallMs } = await readPicture(vision, jpeg)
  const after = readCpuMs(workerPid)
  return {
    wallMs: wallMs.document + wallMs.rest,
    processorMs: before === null || after === null ? null : after - before,
    perCallMs: wallMs,
  }
}
