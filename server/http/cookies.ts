/** Reads one cookie of a request. */
import type { IncomingMessage } from 'node:http'

/** Undefined: the browser did not send it. Of two with this name the first counts. */
export function readCookie(
  { headers }: Pick<IncomingMessage, 'headers'>,
  wanted: string,
): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === wanted) return value
  }
  return undefined
}
