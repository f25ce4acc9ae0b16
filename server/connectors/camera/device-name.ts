/**
 * The allow-list in front of the shell: which words may name a camera, a file or a program. Owns: what is let through.
 * Never: whether it exists. Whatever is not on the list is a configuration that is refused, not a text that is escaped.
 */
import { AppError } from '../../errors.ts'

export type DeviceName =
  | { readonly kind: 'video'; readonly text: string; readonly number: number }
  /** A picture on the disk in place of a camera: for tests and trials, never in production. */
  | { readonly kind: 'file'; readonly text: string; readonly path: string }
  /** A picture that fswebcam draws by itself. */
  | { readonly kind: 'drawn'; readonly text: string }

/** Video nodes are numbered from 0; Linux gives them 256 minor numbers (Documentation/admin-guide/devices.txt, 81 char). */
const VIDEO = /^\/dev\/video(\d{1,3})$/
/** Letters, digits and four signs that mean nothing to a shell; absolute, and no way up. */
const SAFE_PATH = /^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/
const FILE = 'FILE:'

/** Null for anything that is not on the list. */
export function readDeviceName(text: string): DeviceName | null {
  if (text === 'TEST') return { kind: 'drawn', text }
  const number = VIDEO.exec(text)?.[1]
  // "/dev/video01" is no name that Linux gives.
  if (number !== undefined && String(Number(number)) === number)
    return { kind: 'video', text, number: Number(number) }
  if (!text.startsWith(FILE)) return null
  const path = text.slice(FILE.length)
  return isSafePath(path) ? { kind: 'file', text, path } : null
}

/** Throws `configuration_invalid`, without the word itself: it may be meant for a shell. */
export function requireDeviceName(text: string, field = 'cameras.document.device'): DeviceName {
  const name = readDeviceName(text)
  if (name) return name
  const message = 'must be /dev/video and a number, TEST, or FILE: and an absolute path without blanks'
  throw new AppError('configuration_invalid', { field }, { problems: [{ code: 'unusable', field, message }] })
}

/** True for a path that a shell takes as one word, whatever stands in it. */
export function isSafePath(path: string): boolean {
  return SAFE_PATH.test(path) && path.length <= 200
}
