/** Photographs and scans of real specimen documents that are read exactly; none may be refused for its quality. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFaultCodes, judgePicture } from '../../proofing/document-quality.ts'
import { toPictureMeasures } from '../../verification/picture-measures.ts'
import { ImageFaultError } from '../../vision/protocol.ts'
import { readManifest } from './mrz.ts'
import type { Tools } from './quality-measure.ts'

export interface RealResult {
  readonly images: number
  readonly readExactly: number
  readonly refusedThoughExact: number
  readonly codes: Readonly<Record<string, number>>
}

export async function measureReal(manifest: string, images: string, tools: Tools): Promise<RealResult> {
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
    const found = listFaultCodes(judgePicture(toPictureMeasures(measured), tools.limits))
    if (found.length > 0) {
      refusedThoughExact++
      process.stderr.write(`read exactly and refused: ${file} ${found.join(' ')}\n`)
    }
    for (const code of found) codes[code] = (codes[code] ?? 0) + 1
  }
  return { images: count, readExactly, refusedThoughExact, codes }
}
