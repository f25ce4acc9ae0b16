/** The worker's table: call name → how it is done with the networks at hand. Knows nothing of processes. */
import { ModelRefusedError, refusedFor } from './capabilities.ts'
import { assessFrame, FRAME_SIDE_PX } from './documents/assess-frame.ts'
import { measureAuthenticity } from './documents/authenticity/measure-authenticity.ts'
import { readBarcode } from './documents/barcode.ts'
import { buildPyramid, type Pyramid } from './documents/grey.ts'
import { cutLine } from './documents/cut-line.ts'
import { measureDocument } from './documents/measure.ts'
import { createNetworkProposer } from './documents/outline/network.ts'
import { cutPortrait } from './documents/portrait.ts'
import type { DocumentTools, LineRecogniser } from './documents/tools.ts'
import type { TextNetwork, TextNetworks } from './documents/text/networks.ts'
import { readPage } from './documents/visual-zone/read-page.ts'
import { createFaceTools } from './faces/tools.ts'
import { decodeImage, decodeSmall, inspectImage } from './image.ts'
import { toGrey, type Raster } from './raster.ts'
import { createLivenessMeter } from './liveness/measure-liveness.ts'
import { createFaceTracker, TRACKED_SIDE_PX } from './liveness/track-face.ts'
import { decodeHeif } from './heif.ts'
import { rasterisePdf } from './pdf.ts'
import { rasteriseTiff } from './tiff.ts'
import { pictureEnd } from './picture-end.ts'
import { ImageFaultError, type ImageInfo, type VisionCall, type VisionCalls } from './protocol.ts'
import type { ModelSession, Sessions } from './sessions.ts'
import { sessionsOf } from './sessions.ts'

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

/** Null unless all of them are there: what one finds only the other can read. */
export function textNetworksOf(sessions: Sessions): TextNetworks | null {
  const [detector] = sessionsOf(sessions, 'text-detector')
  const [recogniser] = sessionsOf(sessions, 'text-recogniser')
  const { alphabet } = sessions
  if (!detector || !recogniser || !alphabet) return null
  return { detector: toTextNetwork(detector), recogniser: toTextNetwork(recogniser), alphabet }
}

/** A frame is help, no evidence: a damaged one is left out. */
async function openPicture(frame: Uint8Array): Promise<Awaited<ReturnType<typeof decodeImage>> | null> {
  try {
    return await decodeImage(frame)
  } catch (error) {
    if (error instanceof ImageFaultError) return null
    throw error
  }
}

async function openFrame(frame: Uint8Array): Promise<Raster | null> {
  return (await openPicture(frame))?.raster ?? null
}

/** Throws `damaged` for a container that breaks off. */
function withoutTrailer(image: Uint8Array, { format }: ImageInfo): Uint8Array {
  const end = pictureEnd(image, format)
  if (end === null) throw new ImageFaultError('damaged')
  return image.subarray(0, end)
}

function greysOf(raster: Raster): Pyramid {
  return buildPyramid(toGrey(raster))
}

export function createCalls(sessions: Sessions): CallTable {
  return withoutRefused(tableOf(sessions), sessions)
}

/** A call for which a model is missing that was refused says so, before anything is opened. */
function withoutRefused(table: CallTable, { refused }: Sessions): CallTable {
  const calls = Object.entries(table).map(([call, run]) => {
    const models = refusedFor(call as VisionCall, refused)
    const refuse = async (): Promise<never> => {
      throw new ModelRefusedError(models)
    }
    return [call, models.length > 0 ? refuse : run]
  })
  return Object.fromEntries(calls) as CallTable
}

function tableOf(sessions: Sessions): CallTable {
  const now = (): number => performance.now()
  const faces = createFaceTools(sessions, now)
  const trackFace = createFaceTracker(sessions, faces, now)
  const measureLiveness = createLivenessMeter(sessions, faces, now)
  const [locator] = sessionsOf(sessions, 'document-locator')
  const textNetworks = textNetworksOf(sessions)
  const documents: DocumentTools = {
    recognisers: sessionsOf(sessions, 'mrz-recogniser').map(toRecogniser),
    detectFaces: faces.detectFaces,
    locator: locator ? createNetworkProposer(locator) : null,
    mrzTraineddata: sessions.mrzTraineddata,
    now,
  }
  return {
    async inspectImage({ image, declaredType, undecoded = false }) {
      const info = await inspectImage(image, { declaredType })
      const picture = withoutTrailer(image, info)
      // What is kept is what was decoded.
      if (!undecoded) await decodeImage(picture)
      return { ...info, byteLength: picture.byteLength }
    },
    rasterisePdf: ({ pdf, declaredType }) => rasterisePdf(pdf, { declaredType }),
    decodeHeif: ({ heif, declaredType }) => decodeHeif(heif, { declaredType }),
    rasteriseTiff: ({ tiff, declaredType }) => rasteriseTiff(tiff, { declaredType }),
    async measureDocument({ image, frames = [] }) {
      const { raster, info } = await decodeImage(image)
      const openers = frames.map((frame) => () => openFrame(frame))
      return measureDocument(raster, info, documents, openers)
    },
    async assessFrame({ image }) {
      const { raster, info, factor } = await decodeSmall(image, FRAME_SIDE_PX)
      return assessFrame({ raster, info, factor }, documents.locator ?? null, now)
    },
    readBarcode: async ({ image }) => readBarcode(greysOf((await decodeImage(image)).raster)),
    readVisualZone: async ({ image, quad, rotationDeg }) =>
      readPage((await decodeImage(image)).raster, quad, rotationDeg, textNetworks, now),
    async measureAuthenticity({ image, ...hints }) {
      const { raster } = await decodeImage(image)
      return measureAuthenticity(raster, greysOf(raster), hints, now)
    },
    async readSide({ image, ...hints }) {
      const { raster } = await decodeImage(image)
      // Letters are read on threads of their own, while the rest is measured on this one.
      const zone = hints.zone?.band ?? null
      const reading = readPage(raster, hints.quad, hints.rotationDeg, textNetworks, now, zone)
      const greys = greysOf(raster)
      const measuring = readBarcode(greys).then(async (barcode) => ({
        barcode,
        authenticity: await measureAuthenticity(raster, greys, hints, now),
      }))
      const [page, rest] = await Promise.all([reading, measuring])
      return { page, ...rest }
    },
    measurePortrait: async ({ image }) => faces.measurePortrait(await decodeImage(image)),
    compareFaces: async ({ probe, frames = [], reference }) => {
      const further = (await Promise.all(frames.map(openPicture))).filter((frame) => frame !== null)
      return faces.compareFaces(await decodeImage(probe), await decodeImage(reference), further)
    },
    cropPortrait: async ({ image }) => cutPortrait((await decodeImage(image)).raster, 0, faces.detectFaces),
    cutLine: async ({ image, frame, box }) => cutLine((await decodeImage(image)).raster, frame, box),
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
      capabilities: sessions.capabilities,
      residentBytes: process.memoryUsage.rss(),
    }),
  }
}
