/** Bytes from hexadecimal digits; spaces only separate. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex')
}
