/** The worker's call table: call name → implementation with the loaded networks. Knows nothing of processes. */
import { ONE_PAGE_FORMATS } from '../proofing/mrz/format.ts'
import { ModelRefusedError, listRefusedModels, withEngines } from './capabilities.ts'
import { assessFrame, FRAME_SIDE_PX } from './documents/assess-frame.ts'
import { measureAuthenticity } from './documents/authenticity/measure-authenticity.ts'
import { readBarcode } from './documents/barcode.ts'
import { cutLine } from './documents/cut-line.ts'
import { measureDocument } from './documents/measure.ts'
import { createNetworkProposer } from './documents/outline/network.ts'
import { cutPortrait } from './documents/portrait.ts'
import type { DocumentTools, LineRecogniser } from './documents/tools.ts'
import type { TextNetwork, TextNetworks } from './documents/text/networks.ts'
import { readCell } from './documents/visual-zone/read-cell.ts'
import { readLinesAgain } from './documents/visual-zone/read-again.ts'
import { beginPage, readPage, type BegunPage, type PagePlace } from './documents/visual-zone/read-page.ts'
import type { Engines } from './engines/engine.ts'
import { openOwnEngines } from './engines/own-engines.ts'
import { createFaceTools } from './faces/tools.ts'
import { decodeSmall, inspectImage } from './image.ts'
import { createLivenessMeter } from './liveness/measure-liveness.ts'
import { createFaceTracker, TRACKED_SIDE_PX } from './liveness/track-face.ts'
import { decodeChipPortrait } from './chip-portrait.ts'
import { decodeHeif } from './heif.ts'
import { rasterisePdf } from './pdf.ts'
import { rasteriseTiff } from './tiff.ts'
import { pictureEnd } from './picture-end.ts'
import { createPictureShelf, mirrorPicture, type OpenPicture, type PictureShelf } from './picture-shelf.ts'
import { ImageFaultError, type ImageInfo, type VisionCall, type VisionCalls } from './protocol.ts'
import type { ModelSession, Sessions } from './sessions.ts'
import { listSessions } from './sessions.ts'

const NO_BARCODE = Promise.resolve({ symbols: [] })

export type CallTable = {
  readonly [K in VisionCall]: (input: VisionCalls[K]['input']) => Promise<VisionCalls[K]['output']>
}

/** Height of a text line in the recognisers' input. */
const LINE_PX = 32

function toRecogniser(session: ModelSession): LineRecogniser {
  return {
    model: session.model,
    async run(line, widthPx) {
      const outputs = await session.run(line, [1, 1, LINE_PX, widthPx])
      const { data, dims } = outputs[session.outputNames[0]]
      const [, steps, classes] = dims
      return { logProbabilities: data, steps, classes }
    },
  }
}

function toTextNetwork(session: ModelSession): TextNetwork {
  return {
    model: session.model,
    run: async (input, dims) => (await session.run(input, dims))[session.outputNames[0]],
  }
}

/** Returns null unless both networks are present: detector and recogniser are useless without each other. */
export function findTextNetworks(sessions: Sessions): TextNetworks | null {
  const [detector] = listSessions(sessions, 'text-detector')
  const [recogniser] = listSessions(sessions, 'text-recogniser')
  const { alphabet } = sessions
  if (!detector || !recogniser || !alphabet) return null
  return { detector: toTextNetwork(detector), recogniser: toTextNetwork(recogniser), alphabet }
}

/** Frames are optional help, so a damaged one is skipped. */
async function openFrame(shelf: PictureShelf, frame: Uint8Array): Promise<OpenPicture | null> {
  try {
    return await shelf.open(frame)
  } catch (error) {
    if (error instanceof ImageFaultError) return null
    throw error
  }
}

/** Throws `damaged` for a container that ends too early. */
function withoutTrailer(image: Uint8Array, { format }: ImageInfo): Uint8Array {
  const end = pictureEnd(image, format)
  if (end === null) throw new ImageFaultError('damaged')
  return image.subarray(0, end)
}

/** @param answered the calls whose models were opened, beside `health`; default: all */
export function createCalls(
  sessions: Sessions,
  engines: Engines = openOwnEngines(sessions),
  answered?: readonly VisionCall[],
): CallTable {
  return refuseUnfounded(buildTable(sessions, engines), sessions, answered)
}

/**
 * Rejects a call before any picture is opened if it needs a refused model, or if its models were not opened: it would find nothing
 * on the picture, which looks like a finding.
 */
function refuseUnfounded(
  table: CallTable,
  { refused }: Sessions,
  answered: readonly VisionCall[] | undefined,
): CallTable {
  const calls = (Object.keys(table) as VisionCall[]).map((call) => {
    const models = listRefusedModels(call, refused)
    const isOpen = !answered || call === 'health' || answered.includes(call)
    const refuse = async (): Promise<never> => {
      if (!isOpen) throw new TypeError(`this worker does not answer ${call}`)
      throw new ModelRefusedError(models)
    }
    return [call, isOpen && models.length === 0 ? table[call] : refuse]
  })
  return Object.fromEntries(calls) as CallTable
}

/** Pages whose text recognition started before it was requested. */
function createBegunPages(networks: TextNetworks | null) {
  const begun = new WeakMap<OpenPicture, { readonly place: string; readonly page: Promise<BegunPage> }>()
  const buildKey = ({ quad, rotationDeg, mrz }: PagePlace) =>
    JSON.stringify([quad, rotationDeg, mrz?.format ?? null])
  return {
    begin(picture: OpenPicture, place: PagePlace): void {
      const page = beginPage(picture.raster, place, networks)
      page.catch(() => undefined)
      begun.set(picture, { place: buildKey(place), page })
    },
    /** Returns undefined if no reading was started for this place. */
    take(picture: OpenPicture, place: PagePlace): Promise<BegunPage> | undefined {
      const found = begun.get(picture)
      begun.delete(picture)
      return found?.place === buildKey(place) ? found.page : undefined
    },
  }
}

function buildTable(sessions: Sessions, engines: Engines): CallTable {
  const now = (): number => performance.now()
  const faces = createFaceTools(sessions, now, engines)
  const trackFace = createFaceTracker(sessions, faces, now)
  const measureLiveness = createLivenessMeter(sessions, now)
  const shelf = createPictureShelf()
  const [locator] = listSessions(sessions, 'document-locator')
  const textNetworks = findTextNetworks(sessions)
  const pages = createBegunPages(textNetworks)
  const detectsFaces = listRefusedModels('trackFace', sessions.refused).length === 0
  const documents: DocumentTools = {
    recognisers: listSessions(sessions, 'mrz-recogniser').map(toRecogniser),
    detectFaces: faces.detectFaces,
    locator: locator ? createNetworkProposer(locator) : null,
    mrzTraineddata: sessions.mrzTraineddata,
    now,
  }
  return {
    async inspectImage({ image, declaredType, undecoded = false }) {
      const info = await inspectImage(image, { declaredType })
      const picture = withoutTrailer(image, info)
      // Only a picture that can be decoded is accepted.
      if (!undecoded) await shelf.open(picture)
      return { ...info, byteLength: picture.byteLength }
    },
    rasterisePdf: ({ pdf, declaredType }) => rasterisePdf(pdf, { declaredType }),
    decodeChipPortrait: ({ image }) => decodeChipPortrait(image),
    decodeHeif: ({ heif, declaredType }) => decodeHeif(heif, { declaredType }),
    rasteriseTiff: ({ tiff, declaredType }) => rasteriseTiff(tiff, { declaredType }),
    async measureDocument({ image, frames = [], readsNext = false, mirrored = false }) {
      const openers = frames.map((frame) => async () => (await openFrame(shelf, frame))?.greys() ?? null)
      const picture = await shelf.open(image)
      if (mirrored) return measureDocument(mirrorPicture(picture), documents, openers)
      return measureDocument(picture, documents, openers, (place) => {
        // The text must determine an unknown rotation, so the reading cannot start early.
        if (readsNext && place.rotationDeg !== null) pages.begin(picture, place)
      })
    },
    async assessFrame({ image }) {
      const { raster, info, factor } = await decodeSmall(image, FRAME_SIDE_PX)
      return assessFrame(
        { raster, info, factor },
        documents.locator ?? null,
        detectsFaces ? faces.detectFaces : null,
        now,
      )
    },
    readBarcode: async ({ image }) => readBarcode((await shelf.open(image)).greys()),
    readVisualZone: async ({ image, quad, rotationDeg }) =>
      readPage((await shelf.open(image)).raster, { quad, rotationDeg, mrz: null }, textNetworks, now),
    readLinesAgain: async ({ image, language, ...page }) =>
      readLinesAgain((await shelf.open(image)).raster, page, language),
    readCell: async ({ image, ...place }) =>
      textNetworks && readCell((await shelf.open(image)).raster, place, textNetworks),
    async measureAuthenticity({ image, ...hints }) {
      const { raster, greys } = await shelf.open(image)
      return measureAuthenticity(raster, greys(), hints, now)
    },
    async readSide({ image, ...hints }) {
      const picture = await shelf.open(image)
      const { raster, greys } = picture
      // The text networks run on their own thread while this one measures the rest.
      const reading = readPage(raster, hints, textNetworks, now, pages.take(picture, hints))
      const hasNoBarcode = hints.mrz !== null && ONE_PAGE_FORMATS.has(hints.mrz.format)
      const measuring = (hasNoBarcode ? NO_BARCODE : readBarcode(greys())).then(async (barcode) => ({
        barcode,
        authenticity: await measureAuthenticity(raster, greys(), hints, now),
      }))
      const [page, rest] = await Promise.all([reading, measuring])
      return { page, ...rest }
    },
    measurePortrait: async ({ image }) => faces.measurePortrait(await shelf.open(image)),
    compareFaces: async ({ probe, frames = [], reference }) => {
      const opened = await Promise.all(frames.map((frame) => openFrame(shelf, frame)))
      const further = opened.filter((frame) => frame !== null)
      return faces.compareFaces(await shelf.open(probe), await shelf.open(reference), further)
    },
    cropPortrait: async ({ image }) => cutPortrait((await shelf.open(image)).raster, 0, faces.detectFaces),
    cutLine: async ({ image, frame, box }) => cutLine((await shelf.open(image)).raster, frame, box),
    async trackFace({ image, last }) {
      const { raster, sent } = await decodeSmall(image, TRACKED_SIDE_PX)
      const { byteLength } = withoutTrailer(image, sent)
      return { ...(await trackFace({ raster, info: sent }, last)), byteLength }
    },
    measureLiveness,
    makeTemplate: ({ images }) => faces.makeTemplate(images),
    compareTemplates: async ({ probe, candidates }) => faces.compareStored(probe, candidates),
    health: async () => ({
      packs: [...new Set(sessions.models.map(({ pack }) => pack))],
      models: sessions.models.map(({ id, version, sha256, role }) => ({ id, version, sha256, role })),
      capabilities: await withEngines(sessions.capabilities, engines),
      engines: {
        faceMatching: engines.faceMatching.about,
        attackDetection: engines.attackDetection?.about ?? null,
      },
      residentBytes: process.memoryUsage.rss(),
    }),
  }
}
