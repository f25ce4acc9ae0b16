import type { Request } from 'express'

/** The value of a cookie of this request; undefined when it has none of this name. */
export function readCookie(req: Request, wanted: string): string | undefined {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === wanted) return value
  }
  return undefined
}
