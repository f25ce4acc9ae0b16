/**
 * Measures the photograph of a document: quality, MRZ, printed portrait. Returns numbers and readings; does not judge
 * quality, authenticity or ownership.
 */
import type { OpenPicture } from '../picture-shelf.ts'
import type { Box, CroppedPortrait, DocumentMeasurement, ModelUse, Point } from '../protocol.ts'
import type { Pyramid } from './grey.ts'
import { searchOutline, sideSlopesDeg, slopesDeg } from './outline/locate-outline.ts'
import { cutFromPage } from './outline/page-portrait.ts'
import { showsSecondFront } from './outline/second-front.ts'
import { isCardFront, settleOutline, deriveTurn, type SettledOutline } from './outline/settle-outline.ts'
import { fillsPicture } from './outline/warp.ts'
import { cutPortrait } from './portrait.ts'
import { measureDocumentQuality } from './quality.ts'
import { isInside } from './quality-region.ts'
import { loadQualityThresholds, type QualityThresholds } from './quality-thresholds.ts'
import { readMrz } from './read-mrz.ts'
import type { DocumentTools } from './tools.ts'
import type { PagePlace } from './visual-zone/read-page.ts'

let loaded: QualityThresholds | null = null

/** The raster is upright by EXIF. The document in it may be rotated by any quarter turn. */
export async function measureDocument(
  { raster, info, greys }: OpenPicture,
  tools: DocumentTools,
  /** Further pictures of the same side, decoded on demand; null for a damaged one. */
  frames: readonly (() => Promise<Pyramid | null>)[] = [],
  /** Called when the page's place is known, so that its text can be read in parallel. */
  onPlaced: (place: PagePlace) => void = () => undefined,
): Promise<DocumentMeasurement> {
  const startedAt = tools.now()
  loaded ??= loadQualityThresholds()
  const pyramid = greys()
  const search = searchOutline(raster, tools.locator ? await tools.locator.propose(raster) : null)
  let withoutMrz: SettledOutline | null = null
  const { band, reading } = await readMrz(pyramid, tools, loaded, {
    frames,
    slopesDeg: sideSlopesDeg(search),
    findFrontDeg: async () => {
      withoutMrz = await settleOutline(search, null, tools.detectFaces)
      const { outline } = withoutMrz
      return outline && isCardFront(outline, search) ? slopesDeg(outline.quad)[0] : null
    },
  })
  // An MRZ that was read on another frame has that frame's coordinates.
  const own = reading?.frame === 0 ? reading : null
  const settled = own === null ? withoutMrz : null
  const { outline, upright } = settled ?? (await settleOutline(search, own, tools.detectFaces))
  // The network alone gives only a hint: it was trained on synthetic cards, and their backs look alike.
  const isTold = upright !== null && outline?.uprightBy !== 'network'
  const rotationDeg = reading?.rotationDeg ?? (isTold ? deriveTurn(upright.quad) : null)
  onPlaced({ quad: outline?.quad ?? null, rotationDeg, mrz: own })
  // The detector sometimes takes large letters for a face.
  const besideMrz = (found: CroppedPortrait | null) =>
    found && own && isInside(computeCentre(found.box), own.band) ? null : found
  const onPage = besideMrz(upright && (await cutFromPage(upright, tools.detectFaces)))
  // The portrait is not on that page: it may be on the card's other side, shown in the same picture.
  const mayBeBeside = upright === null || !fillsPicture(upright.quad, upright.picture)
  const portrait =
    onPage ?? (mayBeBeside ? besideMrz(await cutPortrait(raster, rotationDeg, tools.detectFaces)) : null)
  const quality = measureDocumentQuality(pyramid, {
    outline,
    band,
    portrait: portrait?.box ?? null,
    proposed: search.byNetwork?.at(0) ?? null,
    readMrzQuad: own?.band ?? null,
  })
  return {
    image: info,
    quality,
    outline,
    rotationDeg,
    mrzBand: band,
    mrz: reading,
    portrait,
    hasSecondFront: await showsSecondFront(
      search,
      outline?.quad ?? null,
      portrait?.box ?? null,
      tools.detectFaces,
    ),
    models: modelsUsed(tools),
    elapsedMs: tools.now() - startedAt,
  }
}

const computeCentre = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 })

function modelsUsed({ recognisers, mrzTraineddata, locator }: DocumentTools): ModelUse[] {
  const engines = [...recognisers, mrzTraineddata, locator]
  return engines.flatMap((engine) => (engine ? [engine.model] : []))
}
