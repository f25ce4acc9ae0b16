/** Searches files for texts and bytes, in every encoding in which they are likely to be stored. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the encodings of a text. Base64: all three positions within a longer text. */
export function formsOf(text: string): readonly Buffer[] {
  const utf8 = Buffer.from(text, 'utf8')
  const utf16le = Buffer.from(text, 'utf16le')
  const utf16be = Buffer.from(utf16le).swap16()
  return [utf8, utf16le, utf16be].flatMap((bytes) => formsOfBytes(bytes))
}

/** The bytes themselves, in hexadecimal digits and in base64. */
export function formsOfBytes(bytes: Buffer): readonly Buffer[] {
  const hex = bytes.toString('hex')
  const texts = [hex, hex.toUpperCase(), ...base64FormsOf(bytes)]
  return [bytes, ...texts.map((form) => Buffer.from(form, 'latin1'))]
}

function base64FormsOf(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // Drop the characters at both ends that depend on neighbouring bytes.
    const start = offset === 0 ? 0 : offset + 1
    const whole = Math.floor(((offset + bytes.byteLength) * 8) / 6)
    const core = encoded.slice(start, whole)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Name → the encodings to search for. */
export type Wanted = Readonly<Record<string, readonly Buffer[]>>

/** Returns the places of all findings: `file: name`. It also checks file names. */
export function findIn(sources: Iterable<readonly [string, Buffer]>, wanted: Wanted): string[] {
  return [...sources].flatMap(([source, content]) =>
    Object.entries(wanted)
      .filter(([, shapes]) =>
        shapes.some((shape) => content.includes(shape) || Buffer.from(source).includes(shape)),
      )
      .map(([name]) => `${source}: ${name}`),
  )
}

/** Every file below a folder: name and content. */
export function* filesIn(folder: string): Generator<readonly [string, Buffer]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) yield [entry.name, readFileSync(join(entry.parentPath, entry.name))]
  }
}
