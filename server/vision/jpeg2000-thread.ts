/**
 * The thread in which OpenJPEG (WebAssembly from node_modules) decodes one JPEG 2000 picture. vision/chip-portrait.ts owns limits and
 * error names. The library reports no fault: it answers a damaged file with a picture of 0×0, or with too few bytes.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'

export interface Jpeg2000Request {
  readonly bytes: Uint8Array
}

/** Pixels of 8 bits, one or three channels. */
interface Jpeg2000Picture {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
}

export type Jpeg2000Reply = Jpeg2000Picture | { readonly fault: 'damaged' | 'trapped' }

/** The used part of the package, which has no declarations. */
interface OpenJpeg {
  readonly J2KDecoder: new () => {
    getEncodedBuffer(length: number): Uint8Array
    decode(): void
    getFrameInfo(): {
      readonly width: number
      readonly height: number
      readonly bitsPerSample: number
      readonly componentCount: number
    }
    getDecodedBuffer(): Uint8Array
    delete(): void
  }
}

const load = createRequire(import.meta.url)
const PACKAGE = '@cornerstonejs/codec-openjpeg'
const open = load(`${PACKAGE}/decodewasmjs`) as (options: object) => Promise<OpenJpeg>
const opened = open({
  wasmBinary: readFileSync(load.resolve(`${PACKAGE}/decodewasm`)),
  // The library's messages may contain data of the file.
  print: () => undefined,
  printErr: () => undefined,
})

async function decode({ bytes }: Jpeg2000Request): Promise<Jpeg2000Reply> {
  const decoder = new (await opened).J2KDecoder()
  try {
    decoder.getEncodedBuffer(bytes.byteLength).set(bytes)
    decoder.decode()
    const { width, height, bitsPerSample, componentCount: channels } = decoder.getFrameInfo()
    const data = decoder.getDecodedBuffer()
    const isPicture = width > 0 && height > 0 && bitsPerSample === 8 && (channels === 1 || channels === 3)
    if (!isPicture || data.byteLength !== width * height * channels) return { fault: 'damaged' }
    // The buffer belongs to the library.
    return { data: Uint8Array.from(data), width, height, channels }
  } finally {
    decoder.delete()
  }
}

parentPort?.on('message', (request: Jpeg2000Request) => {
  decode(request)
    // After a trap the library's state is corrupt, so it must not decode again.
    .catch((): Jpeg2000Reply => ({ fault: 'trapped' }))
    .then(
      (reply) => parentPort?.postMessage(reply, 'data' in reply ? [reply.data.buffer as ArrayBuffer] : []),
      () => undefined,
    )
})
