/** Pictures for the pretended cameras: rendered specimens of Utopia, well photographed and badly. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { photograph, type Spoiling } from '../../../server/tools/bench/quality-scenes.ts'
import { SIDES, drawSpecimen } from '../../../server/tools/bench/quality-specimens.ts'
import type { RenderedSide } from '../../../server/tools/specimen/documents/render.ts'
import { renderDocument } from '../../support/specimen-sides.ts'

const SPECIMENS = join(import.meta.dirname, '../../../resources/specimens')
const SIZE = { width: 1920, height: 1440 } as const
/** A hand is never quite still, and a camera never delivers the same picture twice. */
const SWAY = [0, 1, 2, 1]

export type Shown =
  | 'nothing'
  | 'passport'
  | 'blurred'
  | 'dark'
  | 'glare'
  | 'cut'
  | 'cardFront'
  | 'cardBack'
  | 'ended'
  | 'endedBack'
/** As base64, one for each phase of a hand's movement. */
export type Pictures = Readonly<Record<Shown | 'empty', readonly string[]>>

/** The light on the applicant's face. */
export interface Look {
  /** 1: as drawn. */
  readonly light?: number
}

/** A card of five years that was issued in 2020. */
const ENDED_SEED = 17

let made: Promise<Pictures> | null = null
/** Made once: they take seconds. */
export function specimenPictures(): Promise<Pictures> {
  made ??= make()
  return made
}

async function make(): Promise<Pictures> {
  const read = (name: string) => readFileSync(join(SPECIMENS, name))
  const passport = await framed(read('alba/passport-photo.jpg'))
  const [front, back] = await renderDocument('identity-card', 7)
  const [ended, endedBack] = await renderDocument('residence-card', ENDED_SEED)
  const page = await drawSpecimen(SIDES[0], 1)
  const spoilt = async (how: Spoiling) => swayed(Buffer.from((await photograph(page, how, 1, SIZE)).jpeg))
  return {
    nothing: await swayed(await framed(read('nothing.jpg'))),
    passport: await swayed(passport),
    blurred: await spoilt({ blurSigma: 6 }),
    dark: await spoilt({ exposure: 0.02 }),
    glare: await spoilt({ glareShare: 0.2 }),
    cut: await spoilt({ cutShare: 0.25 }),
    cardFront: await swayed(await onATable(front)),
    cardBack: await swayed(await onATable(back)),
    ended: await swayed(await onATable(ended)),
    endedBack: await swayed(await onATable(endedBack)),
    empty: await swayed(await wall()),
  }
}

const framed = (picture: Buffer) =>
  sharp(picture)
    .autoOrient()
    .resize({ ...SIZE, fit: 'cover' })
    .jpeg({ quality: 95 })
    .toBuffer()

/** The view of a camera above a dark table. */
async function onATable({ pixels, widthPx, heightPx }: RenderedSide): Promise<Buffer> {
  const card = sharp(pixels, { raw: { width: widthPx, height: heightPx, channels: 3 } })
  const table = { width: 1600, height: 1200, channels: 3, background: { r: 70, g: 62, b: 55 } } as const
  return sharp({ create: table })
    .composite([{ input: await card.png().toBuffer() }])
    .jpeg({ quality: 92 })
    .toBuffer()
}

const wall = () =>
  sharp({ create: { width: 1280, height: 960, channels: 3, background: '#b3b6b4' } })
    .jpeg()
    .toBuffer()

async function swayed(picture: Buffer): Promise<string[]> {
  const wider = await sharp(picture)
    .resize(SIZE.width + 4, SIZE.height + 4, { fit: 'cover' })
    .toBuffer()
  return Promise.all(
    SWAY.map(async (move) => {
      const moved = sharp(wider).extract({ left: move, top: 2 - move, ...SIZE })
      return (await moved.jpeg({ quality: 92 }).toBuffer()).toString('base64')
    }),
  )
}

export async function developed(base64: string, { light = 1 }: Look): Promise<string> {
  if (light === 1) return base64
  const picture = await sharp(Buffer.from(base64, 'base64')).linear(light).jpeg().toBuffer()
  return picture.toString('base64')
}
