/**
 * Allow-list before the shell: which strings may name a camera, a file or a program. Does not check existence. A string
 * outside the list is rejected as invalid configuration, never escaped.
 */
import { AppError } from '../../errors.ts'

export type DeviceName =
  | { readonly kind: 'video'; readonly text: string; readonly number: number }
  /** A picture file in place of a camera: for tests and trials, never in production. */
  | { readonly kind: 'file'; readonly text: string; readonly path: string }
  /** A synthetic picture from fswebcam. */
  | { readonly kind: 'drawn'; readonly text: string }

/** Video nodes are numbered from 0; Linux assigns 256 minor numbers (Documentation/admin-guide/devices.txt, 81 char). */
const VIDEO = /^\/dev\/video(\d{1,3})$/
/** Letters, digits and four characters without meaning to a shell; absolute, without parent folders. */
const SAFE_PATH = /^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/
const FILE = 'FILE:'

/** Returns null for anything outside the list. */
export function readDeviceName(text: string): DeviceName | null {
  if (text === 'TEST') return { kind: 'drawn', text }
  const number = VIDEO.exec(text)?.[1]
  // Linux never uses leading zeros, as in "/dev/video01".
  if (number !== undefined && String(Number(number)) === number)
    return { kind: 'video', text, number: Number(number) }
  if (!text.startsWith(FILE)) return null
  const path = text.slice(FILE.length)
  return isSafePath(path) ? { kind: 'file', text, path } : null
}

/** Throws `configuration_invalid` without quoting the string, which may be an attack on a shell. */
export function requireDeviceName(text: string, field = 'cameras.document.device'): DeviceName {
  const name = readDeviceName(text)
  if (name) return name
  const message = 'must be /dev/video and a number, TEST, or FILE: and an absolute path without blanks'
  throw new AppError('configuration_invalid', { field }, { problems: [{ code: 'unusable', field, message }] })
}

/** True for a path that a shell parses as one word. */
export function isSafePath(path: string): boolean {
  return SAFE_PATH.test(path) && path.length <= 200
}
