/**
 * Templates of an HTTP engine, which only the engine reads: one for each picture. The score of several pictures is the mean
 * of their scores, so that an operating point that was measured with single pictures holds.
 *
 * version 2 (1 byte) | length of the engine's name (1) | name (ASCII) | number of templates (1) | per template: length (2,
 * little endian), bytes.
 */
import type { FaceTemplate } from './engine.ts'
import { MAX_TEMPLATE_BYTES } from './http-protocol.ts'
import { OPAQUE_VERSION } from '../template-bytes.ts'

const MAX_PICTURES = 16

export function writeOpaque(maker: string, templates: readonly Uint8Array[]): FaceTemplate {
  if (templates.length < 1 || templates.length > MAX_PICTURES) throw new TypeError('one to sixteen templates')
  const parts = templates.map((bytes) => {
    if (bytes.length < 1 || bytes.length > MAX_TEMPLATE_BYTES) throw new TypeError('an impossible template')
    const length = Buffer.alloc(2)
    length.writeUInt16LE(bytes.length)
    return Buffer.concat([length, bytes])
  })
  const head = [
    Buffer.from([OPAQUE_VERSION, maker.length]),
    Buffer.from(maker, 'ascii'),
    Buffer.from([templates.length]),
  ]
  return new Uint8Array(Buffer.concat([...head, ...parts]))
}

/** Null for bytes of another maker or without this layout. */
export function readOpaque(template: FaceTemplate, maker: string): readonly Uint8Array[] | null {
  const view = Buffer.from(template.buffer, template.byteOffset, template.byteLength)
  const head = Buffer.concat([Buffer.from([OPAQUE_VERSION, maker.length]), Buffer.from(maker, 'ascii')])
  if (!view.subarray(0, head.length).equals(head)) return null
  const count = view.at(head.length) ?? 0
  const templates: Uint8Array[] = []
  let at = head.length + 1
  while (at + 2 <= view.length && templates.length < count) {
    const end = at + 2 + view.readUInt16LE(at)
    templates.push(Uint8Array.from(view.subarray(at + 2, end)))
    at = end
  }
  const isWhole = at === view.length && templates.length === count && count > 0
  return isWhole && templates.every(({ length }) => length > 0) ? templates : null
}
