import { createHash } from 'node:crypto'

/** SHA-256 in hexadecimal. A text is hashed as UTF-8. */
export function computeSha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
