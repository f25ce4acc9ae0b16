/** Runs the networks against presentation attacks on labelled pictures. Its result names no file and no person. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDetector } from '../../../vision/faces/detect.ts'
import { createPadNetworks, hasSurrounding, averageScore } from '../../../vision/faces/pad.ts'
import { decodeImage } from '../../../vision/image.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'

interface LabelledPicture {
  readonly file: string
  /** Null: bona fide. */
  readonly species: string | null
  /** Groups the frames of one recording, or the photographs of one person. */
  readonly source: string
}

export interface PictureScore {
  /** Row in the list, from 1. */
  readonly row: number
  readonly species: string | null
  readonly source: string
  /** Scores by network, and their mean; null without a face. */
  readonly scores: Readonly<Record<string, number>> | null
  /** Width of the detector's box relative to the picture's. */
  readonly faceShare: number | null
  /** The product asks the networks only if this is true. */
  readonly hasSurrounding: boolean
}

export const MEAN = 'mean'
/** Species of attacks that the list does not specify. */
const UNNAMED_SPECIES = 'attack'

/**
 * Rows of a tab-separated file with a header: `file`; `label` (bona-fide, otherwise an attack; without this column all
 * are bona fide); optionally `species`; and `source` or `person`. Throws TypeError without `file`.
 */
export function parsePictureList(text: string): LabelledPicture[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const columns = (header ?? '').split('\t')
  if (!columns.includes('file')) throw new TypeError('the manifest needs the column file')
  return lines.map((line) => {
    const cells = line.split('\t')
    const of = (name: string): string | undefined => cells[columns.indexOf(name)]
    const isBonaFide = !columns.includes('label') || of('label') === 'bona-fide'
    return {
      file: of('file') ?? '',
      species: isBonaFide ? null : of('species') || UNNAMED_SPECIES,
      source: of('source') || of('person') || of('file') || '',
    }
  })
}

export async function scorePictures(
  sessions: Sessions,
  pictures: readonly LabelledPicture[],
  imagesDir: string,
): Promise<PictureScore[]> {
  const detect = createDetector(
    listSessions(sessions, 'face-detector')[0],
    listSessions(sessions, 'face-mesh')[0],
  )
  const askNetworks = createPadNetworks(sessions)
  const scored: PictureScore[] = []
  for (const [i, { file, species, source }] of pictures.entries()) {
    const { raster } = await decodeImage(await readFile(join(imagesDir, file)))
    const [face] = await detect(raster)
    const said = face && askNetworks ? await askNetworks(raster, face.box) : null
    scored.push({
      row: i + 1,
      species,
      source,
      scores: said && {
        ...Object.fromEntries(said.map(({ model, score }) => [model.id, score])),
        [MEAN]: averageScore(said),
      },
      faceShare: face ? face.box.width / raster.width : null,
      hasSurrounding: face !== undefined && hasSurrounding(raster, face.box),
    })
  }
  return scored
}
