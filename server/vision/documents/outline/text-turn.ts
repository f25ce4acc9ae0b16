/**
 * Which way up a page lies, told by its text: a few of its lines are read in both directions, and only in one of them do
 * they give words. What the words say is thrown away.
 */
import type { GreyRaster, Raster } from '../../raster.ts'
import type { ModelUse, Quad } from '../../protocol.ts'
import { allLines } from '../visual-zone/all-lines.ts'
import { readStrips, type StripWord } from '../visual-zone/engine.ts'
import { cutStrip } from '../visual-zone/strips.ts'
import { quadAspect, turnQuad, warpQuad } from './warp.ts'

/** Letters of 1.3 mm on a card have 16 pixels then; the smallest print need not be read. */
const PAGE_PX = 1100
/** Lines that are read in both directions: 1000 strip pixels cost about 40 ms of one core. */
const MOST_LINES = 3
/** A line of more is cut off: its beginning tells as much. */
const MOST_STRIP_PX = 900
/** Shorter words come out of noise in any direction. */
const LEAST_LETTERS = 3
const LEAST_PIECES = 5

/** What says clearly which way up: measured on backs of cards in rendered scenes (21 November 2026), see README. */
const SURE = { share: 0.7, worth: 10 }

/** How well the lines read in one order of the corners. */
export interface TextTurn {
  /** The first corner is the upper left one of the text. */
  readonly quad: Quad
  /** Of all that was read in both directions, the share of this one, 0.5 to 1. */
  readonly share: number
  /** Letters of whole words times how surely they were read. */
  readonly worth: number
  readonly model: ModelUse
}

/** The better direction along the page's longer side, and along the shorter one where that gives little. */
export async function uprightByText(picture: Raster, quad: Quad): Promise<TextTurn | null> {
  const lying = quadAspect(quad, picture) >= 1 ? quad : turnQuad(quad, 1)
  const along = await betterOfTwo(picture, lying)
  if (along !== null && isSure(along)) return along
  const standing = await betterOfTwo(picture, turnQuad(lying, 1))
  if (standing !== null && isSure(standing) && standing.worth > (along?.worth ?? 0)) return standing
  return along
}

export function isSure({ share, worth }: TextTurn): boolean {
  return share >= SURE.share && worth >= SURE.worth
}

async function betterOfTwo(picture: Raster, quad: Quad): Promise<TextTurn | null> {
  const page = straight(picture, quad)
  const strips = allLines(page)
    .filter(({ line }) => line.pieces >= LEAST_PIECES)
    .sort((a, b) => b.line.pieces - a.line.pieces)
    .slice(0, MOST_LINES)
    .map(({ line, ink }) => beginning(cutStrip(ink, line).image))
  if (strips.length === 0) return null
  const { words, model } = await readStrips([...strips, ...strips.map(upsideDown)])
  const worth = (read: readonly (readonly StripWord[])[]) =>
    read.flat().reduce((sum, word) => sum + worthOf(word), 0)
  const [asIs, turned] = [worth(words.slice(0, strips.length)), worth(words.slice(strips.length))]
  const best = Math.max(asIs, turned)
  return {
    quad: asIs >= turned ? quad : turnQuad(quad, 2),
    share: best / (asIs + turned + 1e-9),
    worth: best,
    model,
  }
}

function worthOf({ text, confidence }: StripWord): number {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return letters < LEAST_LETTERS ? 0 : letters * confidence ** 3
}

function straight(picture: Raster, quad: Quad): Raster {
  const aspect = quadAspect(quad, picture)
  const [width, height] = aspect >= 1 ? [PAGE_PX, PAGE_PX / aspect] : [PAGE_PX * aspect, PAGE_PX]
  return warpQuad(picture, quad, Math.max(1, Math.round(width)), Math.max(1, Math.round(height)))
}

function beginning({ data, width, height }: GreyRaster): GreyRaster {
  if (width <= MOST_STRIP_PX) return { data, width, height }
  const cut = new Uint8Array(MOST_STRIP_PX * height)
  for (let y = 0; y < height; y++)
    cut.set(data.subarray(y * width, y * width + MOST_STRIP_PX), y * MOST_STRIP_PX)
  return { data: cut, width: MOST_STRIP_PX, height }
}

function upsideDown({ data, width, height }: GreyRaster): GreyRaster {
  return { data: data.slice().reverse(), width, height }
}
