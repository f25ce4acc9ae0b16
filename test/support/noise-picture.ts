import sharp from 'sharp'

/** Returns a grey JPEG as base64. No two are the same, like pictures of a camera. */
export async function noise(): Promise<string> {
  const grey = Buffer.alloc(640 * 480 * 3, 140)
  for (let i = 0; i < 64; i++) grey[i * 30] = Math.floor(Math.random() * 256)
  const picture = sharp(grey, { raw: { width: 640, height: 480, channels: 3 } })
  return (await picture.jpeg().toBuffer()).toString('base64')
}
