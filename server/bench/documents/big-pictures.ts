/** What everything costs that the default pipeline does with one picture of twelve megapixels. */
import { join } from 'node:path'
import { writeFileWhole } from '../../files/write-file.ts'
import type { SpecimenKind } from '../../specimen/documents/layout.ts'
import { DESIGNS } from '../../specimen/documents/render.ts'
import { renderScene } from '../../specimen/scenes/scene.ts'
import type { Vision } from '../../vision/protocol.ts'
import { cpuMsOf } from '../worker-process.ts'
import { readPicture, type PictureReading } from './read-scene.ts'

const BIG = [4000, 3000] as const
const BIG_KINDS: readonly SpecimenKind[] = ['passport', 'identity-card', 'licence-north-america']

export interface BigPicture {
  readonly seed: number
  readonly kind: SpecimenKind
  readonly wallMs: number
  readonly processorMs: number | null
  readonly perCallMs: PictureReading['wallMs']
}

/** One picture after the other, nothing rendered meanwhile: both cores belong to the worker. */
export async function measureBig(
  vision: Vision,
  { big, seed, keep }: { readonly big: number; readonly seed: number; readonly keep: string | null },
  workerPid: () => number,
): Promise<BigPicture[]> {
  const pictures: BigPicture[] = []
  for (let i = 0; i < big; i++) {
    const kind = BIG_KINDS[i % BIG_KINDS.length]
    const sideIndex = DESIGNS[kind].sides.length - 1
    const { jpeg } = await renderScene({ seed: seed + i, kind, sideIndex, size: BIG })
    if (keep !== null) writeFileWhole(join(keep, `${seed + i}-big-${kind}.jpg`), jpeg)
    const before = cpuMsOf(workerPid())
    const { wallMs } = await readPicture(vision, jpeg)
    const after = cpuMsOf(workerPid())
    pictures.push({
      seed: seed + i,
      kind,
      wallMs: Math.round(Object.values(wallMs).reduce((sum, ms) => sum + ms, 0)),
      processorMs: before === null || after === null ? null : after - before,
      perCallMs: { document: Math.round(wallMs.document), rest: Math.round(wallMs.rest) },
    })
  }
  return pictures
}
