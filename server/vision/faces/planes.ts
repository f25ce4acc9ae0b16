/** Converts interleaved pixels to a network's planes. */

/** HWC samples, 3 per pixel, to CHW. `scale` receives the value and its channel, 0–2. */
export function toPlanes(
  pixels: Float32Array,
  scale: (value: number, channel: number) => number,
): Float32Array {
  const size = pixels.length / 3
  const planes = new Float32Array(pixels.length)
  for (let i = 0; i < size; i++)
    for (let channel = 0; channel < 3; channel++)
      planes[channel * size + i] = scale(pixels[i * 3 + channel], channel)
  return planes
}
