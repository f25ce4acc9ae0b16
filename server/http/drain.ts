/**
 * Answers a request whose body was not read to its end, so that the caller gets the answer. A server that closes while the
 * caller still sends makes the caller's system drop the answer unread (TCP reset).
 */
import type { Request, Response } from 'express'

/** How long a refused caller may continue to send before the connection is cut. 200 MB over loopback take under 1 s. */
const DRAIN_MS = 20_000

/** Sends `body` at once (Content-Length is set). Ends the response when the request has been read completely. */
export function drainThenEnd(req: Request, res: Response, body: Buffer): void {
  if (req.complete || req.destroyed || req.readableEnded || !hasBody(req)) {
    res.end(body)
    return
  }
  const end = () => {
    clearTimeout(timer)
    res.end()
  }
  const timer = setTimeout(() => {
    res.end()
    req.socket.destroy()
  }, DRAIN_MS)
  timer.unref()
  req.once('end', end)
  req.once('close', end)
  req.once('error', end)
  if (req.method === 'HEAD') res.flushHeaders()
  else res.write(body)
  req.resume()
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}
