/**
 * Derives photographs from photographs: effects of a camera on a document, one at a time and three at once. Reproducible
 * from a seed. Only for measuring, never for training or in the product.
 */
import sharp from 'sharp'
import { seeded, type Random } from '../crash/random.ts'
import {
  blurred,
  faded,
  glaring,
  noisy,
  onPrintedGround,
  photocopied,
  shadowed,
  unevenlyLit,
} from './lighting.ts'
import type { Picture } from './picture.ts'
import { cropped, inScene, rescaled, tilted, rotatePicture, removeMrz } from './placing.ts'

type Change = (picture: Picture, random: Random) => Picture | Promise<Picture>

const PLACINGS = {
  turned: rotatePicture,
  tilted,
  rescaled,
  'in a scene': inScene,
  'cropped close': cropped,
} as const
const LIGHTINGS = {
  blurred,
  faded,
  'unevenly lit': unevenlyLit,
  glare: glaring,
  shadow: shadowed,
  photocopy: photocopied,
  'printed ground': onPrintedGround,
  noise: noisy,
} as const

/** Applied in this order, one per photograph. `compressed` changes only the file. */
export const KINDS = [
  ...(Object.keys(PLACINGS) as (keyof typeof PLACINGS)[]),
  ...(Object.keys(LIGHTINGS) as (keyof typeof LIGHTINGS)[]),
  'compressed',
  'three at once',
  'zone removed',
] as const
export type Kind = (typeof KINDS)[number]

/** JPEG quality of phones, and of messengers and low-quality scanners. */
const USUAL_QUALITY = 90
const POOR_QUALITY = { least: 30, most: 60 }

interface Augmented {
  readonly kind: Kind
  readonly jpeg: Buffer
  readonly band: Picture['band']
}

/** The `index`-th variant of a picture; the same seed, file and index give the same variant. */
export async function augment(
  picture: Picture,
  file: string,
  index: number,
  seed: number,
): Promise<Augmented> {
  const kind = KINDS[index % KINDS.length]
  const random = seeded(
    [...`${seed} ${index} ${file}`].reduce((h, c) => Math.imul(h, 31) + c.charCodeAt(0), 7),
  )
  const changes = drawChanges(kind, random)
  let changed = picture
  for (const change of changes) changed = await change(changed, random)
  const isPoor = kind === 'compressed' || (kind === 'three at once' && random.next() < 0.5)
  const quality = isPoor
    ? Math.round(POOR_QUALITY.least + random.next() * (POOR_QUALITY.most - POOR_QUALITY.least))
    : USUAL_QUALITY
  const { data, width, height } = changed.raster
  const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
  return { kind, jpeg, band: changed.band }
}

function drawChanges(kind: Kind, random: Random): readonly Change[] {
  if (kind === 'compressed') return []
  if (kind === 'zone removed') return [removeMrz]
  if (kind !== 'three at once') return [{ ...PLACINGS, ...LIGHTINGS }[kind]]
  const placing = random.pick([tilted, rescaled, inScene] as const)
  const lightings = Object.values(LIGHTINGS)
  return [placing, random.pick(lightings), random.pick(lightings)]
}
