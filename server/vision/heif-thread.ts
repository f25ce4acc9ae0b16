/**
 * The thread in which libheif decodes. vision/heif.ts owns limits, pictures and error names. Decodes only a file's
 * primary picture, rotated as the file states.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'

export interface HeifRequest {
  readonly bytes: Uint8Array
  readonly mostPixels: number
}

/** RGBA pixels. */
interface HeifPicture {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

export type HeifReply = HeifPicture | { readonly fault: 'damaged' | 'too_many_pixels' | 'trapped' }

/** The used part of the package; its own declarations target another module system. */
interface LibHeif {
  readonly heif_error_code: { readonly heif_error_Ok: unknown }
  readonly heif_colorspace: { readonly heif_colorspace_RGB: unknown }
  readonly heif_chroma: { readonly heif_chroma_interleaved_RGBA: unknown }
  readonly heif_channel: { readonly heif_channel_interleaved: unknown }
  heif_context_alloc(): Handle
  heif_context_free(context: Handle): void
  heif_context_read_from_memory(context: Handle, bytes: Uint8Array): HeifError
  heif_js_context_get_primary_image_handle(context: Handle): Handle | HeifError
  heif_image_handle_get_width(handle: Handle): number
  heif_image_handle_get_height(handle: Handle): number
  heif_image_handle_release(handle: Handle): void
  heif_js_decode_image2(handle: Handle, space: unknown, chroma: unknown): HeifDecoded | HeifError
  heif_image_release(image: unknown): void
}
type Handle = object & { readonly code?: undefined }
interface HeifError {
  readonly code: unknown
}
interface HeifDecoded {
  readonly code?: undefined
  readonly image: unknown
  readonly channels: readonly {
    readonly id: unknown
    readonly width: number
    readonly height: number
    readonly stride: number
    readonly data: Uint8Array
  }[]
}

const load = createRequire(import.meta.url)
const FOLDER = 'libheif-js/libheif-wasm'
const open = load(`${FOLDER}/libheif.js`) as (options: object) => LibHeif
const heif = open({
  wasmBinary: readFileSync(load.resolve(`${FOLDER}/libheif.wasm`)),
  // The library's messages may contain data of the file.
  print: () => undefined,
  printErr: () => undefined,
})

const CHANNELS = 4

function decode({ bytes, mostPixels }: HeifRequest): HeifReply {
  const context = heif.heif_context_alloc()
  try {
    const read = heif.heif_context_read_from_memory(context, bytes)
    if (read.code !== heif.heif_error_code.heif_error_Ok) return { fault: 'damaged' }
    const handle = heif.heif_js_context_get_primary_image_handle(context)
    if (isError(handle)) return { fault: 'damaged' }
    try {
      return decodePicture(handle, mostPixels)
    } finally {
      heif.heif_image_handle_release(handle)
    }
  } finally {
    heif.heif_context_free(context)
  }
}

function decodePicture(handle: Handle, mostPixels: number): HeifReply {
  const [width, height] = [
    heif.heif_image_handle_get_width(handle),
    heif.heif_image_handle_get_height(handle),
  ]
  if (!(width > 0 && height > 0)) return { fault: 'damaged' }
  if (width * height > mostPixels) return { fault: 'too_many_pixels' }
  const { heif_colorspace_RGB } = heif.heif_colorspace
  const { heif_chroma_interleaved_RGBA } = heif.heif_chroma
  const decoded = heif.heif_js_decode_image2(handle, heif_colorspace_RGB, heif_chroma_interleaved_RGBA)
  if (isError(decoded)) return { fault: 'damaged' }
  const plane = decoded.channels.find(({ id }) => id === heif.heif_channel.heif_channel_interleaved)
  // The decoded picture may differ in size from the header.
  const isPromised = plane?.width === width && plane.height === height
  const picture = isPromised ? { width, height, data: withoutPadding(plane) } : null
  heif.heif_image_release(decoded.image)
  return picture ?? { fault: 'damaged' }
}

function withoutPadding({ width, height, stride, data }: HeifDecoded['channels'][number]): Uint8Array {
  const row = width * CHANNELS
  const packed = new Uint8Array(row * height)
  for (let y = 0; y < height; y++) packed.set(data.subarray(y * stride, y * stride + row), y * row)
  return packed
}

function isError(result: object): result is HeifError {
  return (result as { code?: unknown }).code !== undefined
}

function answer(request: HeifRequest): HeifReply {
  try {
    return decode(request)
  } catch {
    // After a trap the library's state is corrupt, so it must not decode again.
    return { fault: 'trapped' }
  }
}

parentPort?.on('message', (request: HeifRequest) => {
  const reply = answer(request)
  parentPort?.postMessage(reply, 'data' in reply ? [reply.data.buffer as ArrayBuffer] : [])
})
