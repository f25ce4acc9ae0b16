/**
 * Scans of specimen documents as applicants upload them: one side cut along its edges, or a sheet with front above back.
 * There is no table, hand or perspective; the losses of sensor and JPEG are those of the plan.
 */
import sharp from 'sharp'
import type { Quad } from '../../../vision/protocol.ts'
import { DESIGNS, renderDocumentSide, type RenderedSide } from '../documents/render.ts'
import { buildStyle, findVariant } from '../documents/variants.ts'
import { createRandom } from '../head/noise.ts'
import { bounds } from './geometry.ts'
import type { ScenePlan } from './plan.ts'
import type { Scene } from './scene.ts'
import { develop } from './sensor.ts'

const MM_PER_INCH = 25.4
/** Width of the document in the picture; most real uploads are within this range. */
const NARROWEST_PX = 900
const WIDEST_PX = 1900
/** White around and between the two sides of a sheet, relative to the width of a side. */
const GAP = 0.06
const SHEET = '#f4f3ef'

export async function renderScan(plan: ScenePlan): Promise<Scene> {
  const { kind, seed, documentSeed, forgedSeed, variant } = plan
  const { sides, size } = DESIGNS[kind]
  const random = createRandom(seed * 17 + 401)
  const scale = (NARROWEST_PX + (WIDEST_PX - NARROWEST_PX) * random()) / size.width
  const isSheet = findVariant(variant).framing === 'both-sides'
  const indices = isSheet ? [...sides.keys()] : [plan.sideIndex]
  const rendered: RenderedSide[] = []
  for (const index of indices)
    rendered.push(
      await renderDocumentSide(
        kind,
        documentSeed,
        index,
        scale * MM_PER_INCH,
        forgedSeed,
        buildStyle(variant),
      ),
    )
  const [{ widthPx, heightPx }] = rendered
  const gap = isSheet ? Math.round(widthPx * GAP) : 0
  const placed = rendered.map((side, i) => ({ side, left: gap, top: gap + i * (heightPx + gap) }))
  const width = widthPx + 2 * gap
  const height = gap + rendered.length * (heightPx + gap)
  const exposed = await sharp({ create: { width, height, channels: 3, background: SHEET } })
    .composite(
      placed.map(({ side, left, top }) => ({
        input: Buffer.from(side.pixels),
        raw: { width: side.widthPx, height: side.heightPx, channels: 3 },
        left,
        top,
      })),
    )
    .removeAlpha()
    .raw()
    .toBuffer()
  const jpeg = await develop(exposed, width, height, { ...plan, motionPx: 0 }, seed)
  const quads = placed.map(({ left, top }): Quad => [
    { x: left, y: top },
    { x: left + widthPx, y: top },
    { x: left + widthPx, y: top + heightPx },
    { x: left, y: top + heightPx },
  ])
  const truths = rendered.map(({ truth }) => truth)
  // A value on both sides counts once.
  const fields = [...new Map(truths.flatMap((truth) => truth.fields).map((one) => [one.field, one])).values()]
  const zone = truths.find((truth) => truth.zone)?.zone ?? null
  const barcode = truths.find((truth) => truth.barcode)?.barcode ?? null
  const { width: wide, height: high } = bounds(quads.flat().map(({ x, y }) => [x, y]))
  return {
    jpeg,
    truth: {
      ...truths[0],
      fields,
      zone,
      barcode,
      plan,
      widthPx: width,
      heightPx: height,
      quad: quads[0],
      alsoRight: quads.slice(1),
      rotationDeg: 0,
      areaShare: (wide * high) / (width * height),
      sidesOutside: 0,
      scale,
      visible: fields,
      isMrzVisible: zone !== null,
      isBarcodeVisible: barcode !== null,
    },
  }
}
