/** Replaces the holder's portrait by another person's: glued onto the page, or pasted into its photograph. */
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'
import { PORTRAIT } from '../passport/layout.ts'
import { onPicture, type Shot } from './camera.ts'
import { PX_PER_MM, drawPortrait, type Page } from './page.ts'

/** A print with a pale border of half a millimetre, slightly tilted, with its shadow on the page. */
export async function gluedPortrait(page: Page, seed: number): Promise<Page> {
  const random = createRandom(seed + 71)
  const [width, height] = [PORTRAIT.width, PORTRAIT.height].map((mm) => Math.round((mm + 1) * PX_PER_MM))
  const border = Math.round(0.5 * PX_PER_MM)
  const print = await sharp(await drawPortrait(seed, true))
    .resize(width - 2 * border, height - 2 * border, { fit: 'cover' })
    .extend({ top: border, bottom: border, left: border, right: border, background: '#f4f4f0' })
    .ensureAlpha()
    .rotate((random() - 0.5) * 2, { background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png()
    .toBuffer({ resolveWithObject: true })
  const shadow = await sharp(print.data).linear([0, 0, 0, 0.5], [0, 0, 0, 0]).blur(3).png().toBuffer()
  const left = Math.round((PORTRAIT.x - 0.5) * PX_PER_MM)
  const top = Math.round((PORTRAIT.y - 0.5) * PX_PER_MM)
  const png = await sharp(page.png)
    .composite([
      { input: shadow, left: left + 4, top: top + 5 },
      { input: print.data, left, top },
    ])
    .png()
    .toBuffer()
  return { ...page, png }
}

/** Processing of the portrait before it was pasted into the photograph. */
interface Paste {
  /** JPEG quality of an earlier save, with a separate block grid. */
  readonly savedAt?: number
  readonly noise?: number
  readonly blur?: number
  /** Enlarged from this width in pixels. */
  readonly enlargedFrom?: number
  /** Width of the soft edge in pixels. */
  readonly feather: number
}

export const PASTES = {
  compressed: { savedAt: 55, feather: 0.3 },
  clean: { feather: 2 },
  noisy: { noise: 7, feather: 1 },
  enlarged: { enlargedFrom: 110, feather: 1 },
} as const satisfies Readonly<Record<string, Paste>>

/** Pastes over the holder's portrait in the finished photograph, turned like the page. */
export async function pastedPortrait(shot: Shot, seed: number, paste: Paste): Promise<Shot> {
  const { picture, placement } = shot
  const size = { width: PORTRAIT.width * placement.pxPerMm, height: PORTRAIT.height * placement.pxPerMm }
  const [width, height] = [Math.round(size.width), Math.round(size.height)]
  const made = await prepare(await drawPortrait(seed, true), width, height, paste, seed)
  const inset = Math.ceil(2 * paste.feather)
  const mask = await sharp({
    create: { width: width - 2 * inset, height: height - 2 * inset, channels: 3, background: '#fff' },
  })
    .extend({ top: inset, bottom: inset, left: inset, right: inset, background: '#000' })
    .blur(Math.max(0.3, paste.feather))
    .extractChannel(0)
    .raw()
    .toBuffer()
  const turned = await sharp(made, { raw: { width, height, channels: 3 } })
    .joinChannel(mask, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer()
  const laid = await sharp(turned)
    .rotate(placement.turnDeg, { background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png()
    .toBuffer({ resolveWithObject: true })
  const centre = onPicture(placement, PORTRAIT.x + PORTRAIT.width / 2, PORTRAIT.y + PORTRAIT.height / 2)
  const data = await sharp(picture.data, {
    raw: { width: picture.width, height: picture.height, channels: 3 },
  })
    .composite([
      {
        input: laid.data,
        left: Math.round(centre.x - laid.info.width / 2),
        top: Math.round(centre.y - laid.info.height / 2),
      },
    ])
    .removeAlpha()
    .raw()
    .toBuffer()
  return { ...shot, picture: { ...picture, data } }
}

async function prepare(
  portrait: Buffer,
  width: number,
  height: number,
  { savedAt, noise, enlargedFrom }: Paste,
  seed: number,
): Promise<Buffer> {
  const source = enlargedFrom
    ? await sharp(portrait).resize(enlargedFrom).blur(0.6).png().toBuffer()
    : portrait
  const fitted = sharp(source)
    .resize(width, height, { fit: 'cover', kernel: 'cubic' })
    .removeAlpha()
    .toColourspace('srgb')
  const saved = savedAt ? sharp(await fitted.jpeg({ quality: savedAt }).toBuffer()) : fitted
  const data = await saved.raw().toBuffer()
  const random = createRandom(seed + 13)
  if (noise)
    for (let i = 0; i < data.length; i++)
      data[i] = Math.max(
        0,
        Math.min(255, Math.round(data[i] + (random() + random() + random() - 1.5) * 2 * noise)),
      )
  return data
}
