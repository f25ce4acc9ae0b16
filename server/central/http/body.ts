/** Reads request bodies within a limit. No header is trusted about size or form. */
import type { Request, Response } from 'express'
import { AppError } from '../../errors.ts'
import { ArrivalBudget, type Arrival, type ArrivalLimits } from './arrivals.ts'
import { ByteBlocks } from './byte-blocks.ts'

/** How long a refused caller may continue to send before the connection is cut. */
const DRAIN_MS = 10_000

/** Reads whole bodies of small size; held until the response is over. */
export type BodyReader = (req: Request, res: Response, caller: string, limitBytes: number) => Promise<Buffer>

/** Throws what `receive` throws. */
export function createBodyReader(limits: ArrivalLimits): BodyReader {
  const budget = new ArrivalBudget(limits)
  return async (req, res, caller, limitBytes) => {
    const arrival = budget.open(caller, limitBytes)
    res.once('close', () => arrival.release())
    const body = await receive(req, arrival, limitBytes, () => collect(req))
    return Buffer.concat(body.blocks())
  }
}

/**
 * Runs `read`, which consumes the request, within the limits of the arrival. Throws what ended the arrival
 * (`rate_limited`, `request_timeout`), `upload_too_large`, `malformed_body` for a compressed one, and what `read` throws.
 */
export async function receive<T>(
  req: Request,
  arrival: Arrival,
  limitBytes: number,
  read: () => Promise<T>,
): Promise<T> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
    throw new AppError('upload_too_large', { limitBytes })
  }
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new AppError('malformed_body')
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(arrival.signal.reason as Error)
  arrival.signal.addEventListener('abort', end, { once: true })
  req.on('data', (piece: Buffer) => arrival.add(piece.length))
  try {
    return await Promise.race([read(), ended])
  } finally {
    arrival.signal.removeEventListener('abort', end)
    arrival.complete()
  }
}

/** The bytes of the body as they are. Throws `malformed_body` when the caller hangs up. */
export function collect(req: Request): Promise<ByteBlocks> {
  return new Promise((resolve, reject) => {
    const body = new ByteBlocks()
    const cut = (cause?: Error): void => reject(new AppError('malformed_body', {}, { cause }))
    req.on('data', (piece: Buffer) => body.append(piece))
    req.once('end', () => resolve(body)).once('error', cut)
    req.once('close', () => cut())
  })
}

/**
 * Ends a refusal once the caller has sent its body, or after 10 s. A server that closes a connection while the caller
 * still sends makes the caller's system drop the answer unread (TCP reset).
 */
export function endWhenRead(req: Request, res: Response, body?: string | Uint8Array): void {
  if (req.complete || req.destroyed || req.readableEnded) {
    res.end(body)
    return
  }
  res.setHeader('Connection', 'close')
  if (body === undefined) res.flushHeaders()
  else res.write(body)
  const end = (): void => {
    clearTimeout(timer)
    res.end()
  }
  const timer = setTimeout(() => {
    end()
    req.socket.destroy()
  }, DRAIN_MS)
  timer.unref()
  req.once('end', end).once('close', end).once('error', end)
  req.resume()
}
