import type { Request } from 'express'

/** Returns the value of a cookie of this request, or undefined. */
export function readCookie(req: Request, wanted: string): string | undefined {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === wanted) return value
  }
  return undefined
}
