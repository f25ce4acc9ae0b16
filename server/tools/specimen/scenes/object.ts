/** The object on the table: the document alone, or the open booklet that contains it. */
import sharp from 'sharp'
import type { RenderedSide } from '../documents/render.ts'
import { textPath } from '../passport/text.ts'
import type { RectMm } from './geometry.ts'
import type { Rgb } from './raster.ts'

export interface SceneObject extends Rgb {
  /** Millimetres from the document's upper left corner. */
  readonly rect: RectMm
  readonly scale: number
  readonly cornerRadius: number
  /** Thickness for its shadow. */
  readonly lift: number
  /** Strength of its reflection of lamps. */
  readonly gloss: number
  /** The document itself, in the same millimetres. */
  readonly document: RectMm
  /** Further correct outlines, such as the page with a glued visa. */
  readonly alsoRight: readonly RectMm[]
}

/** A passport's page (Doc 9303 part 4), and how far its cover extends. */
const PAGE = { width: 125, height: 88 }
const COVER = 1.3
const CARD_LIFT = 1
const BOOKLET_LIFT = 3
/** A room's many lamps cast most of the shadow straight down. */
const THROWN = 0.25

/** `heldMm`: height above the table. */
export async function makeObject(side: RenderedSide, pxPerMm: number, heldMm: number): Promise<SceneObject> {
  const { truth } = side
  const document: RectMm = { x: 0, y: 0, width: truth.size.width, height: truth.size.height }
  const isPage = truth.layout === 'TD3'
  const isVisa = truth.layout === 'VISA'
  if (!isPage && !isVisa) {
    const card = await resize(side, document.width * pxPerMm, document.height * pxPerMm)
    const { cornerRadius, material } = truth
    const gloss = material === 'plastic' ? 1 : 0.7
    return {
      ...card,
      rect: document,
      scale: pxPerMm,
      cornerRadius,
      lift: CARD_LIFT + heldMm * THROWN,
      gloss,
      document,
      alsoRight: [],
    }
  }
  // A visa is on the lower page, slightly inside its edges.
  const page: RectMm = isPage
    ? document
    : { x: (truth.size.width - PAGE.width) / 2, y: truth.size.height - PAGE.height + 3, ...PAGE }
  const rect: RectMm = {
    x: page.x - COVER,
    y: page.y - PAGE.height - COVER,
    width: page.width + 2 * COVER,
    height: 2 * PAGE.height + 2 * COVER,
  }
  const width = Math.round(rect.width * pxPerMm)
  const height = Math.round(rect.height * pxPerMm)
  const print = await resize(side, document.width * pxPerMm, document.height * pxPerMm)
  const composed = await sharp(Buffer.from(bookletSvg(rect, page, truth.seed, width, height)))
    .flatten({ background: '#ffffff' })
    .composite([
      {
        input: Buffer.from(print.data),
        raw: { width: print.width, height: print.height, channels: 3 },
        left: Math.round((document.x - rect.x) * pxPerMm),
        top: Math.round((document.y - rect.y) * pxPerMm),
      },
      { input: Buffer.from(foldSvg(rect, page, width, height)) },
    ])
    .removeAlpha()
    .raw()
    .toBuffer()
  return {
    data: composed,
    width,
    height,
    rect,
    scale: width / rect.width,
    cornerRadius: 3,
    lift: BOOKLET_LIFT + heldMm * THROWN,
    gloss: isPage ? 0.9 : 0.5,
    document,
    alsoRight: isVisa ? [page] : [],
  }
}

async function resize(side: RenderedSide, width: number, height: number): Promise<Rgb> {
  const { data, info } = await sharp(side.pixels, {
    raw: { width: side.widthPx, height: side.heightPx, channels: 3 },
  })
    .resize(Math.round(width), Math.round(height), { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const open = (rect: RectMm, width: number, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${rect.x} ${rect.y} ${rect.width} ${rect.height}" preserveAspectRatio="none">`

/** The cover and both pages; the upper one has rules or stamps. */
function bookletSvg(rect: RectMm, page: RectMm, seed: number, width: number, height: number): string {
  const cover = ['#2b3454', '#5a1f28', '#1f4030', '#1b1b22'][seed % 4]
  const upper = { x: page.x, y: page.y - PAGE.height }
  const rules = Array.from(
    { length: 8 },
    (_, i) => `M${upper.x + 10} ${upper.y + 14 + i * 9}h${PAGE.width - 20}`,
  ).join('')
  const stamp = `<g transform="translate(${upper.x + 30 + (seed % 50)} ${upper.y + 40}) rotate(${(seed % 40) - 20})"><rect x="-20" y="-11" width="40" height="22" rx="3" fill="none" stroke="#3a4d9a" stroke-width="1" stroke-opacity="0.7"/><path d="${textPath('ENTRY UTOPIA', 'bold', -16, 2, 4.4)}" fill="#3a4d9a" fill-opacity="0.7"/></g>`
  return [
    open(rect, width, height),
    `<rect x="${rect.x}" y="${rect.y}" width="${rect.width}" height="${rect.height}" fill="${cover}"/>`,
    `<rect x="${page.x}" y="${upper.y}" width="${page.width}" height="${2 * PAGE.height}" fill="#e9e5d6"/>`,
    `<path d="${rules}" stroke="#8fa3a8" stroke-width="0.2"/>`,
    `<path d="${textPath('UTOPIA · SPECIMEN', 'regular', upper.x + 10, upper.y + 9, 3)}" fill="#7a8a90"/>`,
    seed % 3 === 0 ? stamp : '',
    '</svg>',
  ].join('')
}

/** The pages bend down into the fold, where it is darker. */
function foldSvg(rect: RectMm, page: RectMm, width: number, height: number): string {
  const reach = 9
  const stops = [0, 0.12, 0.3, 0.42, 0.5, 0.58, 0.7, 0.88, 1]
    .map((at) => {
      const distance = Math.abs(at - 0.5) * 2 * reach
      return `<stop offset="${at}" stop-color="#1a1712" stop-opacity="${(0.42 * Math.exp(-distance / 2.2)).toFixed(3)}"/>`
    })
    .join('')
  return [
    open(rect, width, height),
    `<defs><linearGradient id="fold" x1="0" y1="0" x2="0" y2="1">${stops}</linearGradient></defs>`,
    `<rect x="${page.x}" y="${page.y - reach}" width="${page.width}" height="${2 * reach}" fill="url(#fold)"/></svg>`,
  ].join('')
}
