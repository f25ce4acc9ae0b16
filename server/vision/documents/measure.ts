/**
 * Owns everything that is measured on the photograph of a document: quality, machine-readable zone, printed portrait.
 * Never says whether the document is good, genuine or anybody's: numbers and readings only.
 */
import { toGrey, type Raster } from '../image.ts'
import type { DocumentMeasurement, ImageInfo, ModelUse } from '../protocol.ts'
import { buildPyramid } from './grey.ts'
import { locateOutline } from './outline/locate-outline.ts'
import { cutPortrait } from './portrait.ts'
import { measureDocumentQuality } from './quality.ts'
import { loadQualityThresholds, type QualityThresholds } from './quality-thresholds.ts'
import { readMrz } from './read-mrz.ts'
import type { DocumentTools } from './tools.ts'

let loaded: QualityThresholds | null = null

/** The raster is upright by EXIF; the document in it may lie in any quarter turn. */
export async function measureDocument(
  raster: Raster,
  info: ImageInfo,
  tools: DocumentTools,
): Promise<DocumentMeasurement> {
  const startedAt = tools.now()
  loaded ??= loadQualityThresholds()
  const pyramid = buildPyramid(toGrey(raster))
  const { band, reading } = await readMrz(pyramid, tools, loaded)
  const outline = locateOutline(raster, tools.locator ? await tools.locator.propose(raster) : null)
  const portrait = await cutPortrait(raster, reading?.rotationDeg ?? null, tools.detectFaces)
  const quality = measureDocumentQuality(pyramid, { outline, band, portrait: portrait?.box ?? null })
  return {
    image: info,
    quality,
    outline,
    rotationDeg: reading?.rotationDeg ?? null,
    mrzBand: band,
    mrz: reading,
    portrait,
    models: modelsUsed(tools),
    elapsedMs: tools.now() - startedAt,
  }
}

function modelsUsed({ recognisers, mrzTraineddata, locator }: DocumentTools): ModelUse[] {
  const engines = [...recognisers, mrzTraineddata, locator]
  return engines.flatMap((engine) => (engine ? [engine.model] : []))
}
