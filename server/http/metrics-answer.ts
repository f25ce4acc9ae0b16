/** Answers GET /metrics of both servers, for callers that have the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, Response } from 'express'
import { AppError } from '../errors.ts'

/** The longest token that is compared. */
const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i

/** Text in Prometheus' format. */
export interface MetricsText {
  readonly contentType: string
  readonly text: string
}

/** @throws AppError `unauthorized` */
export async function answerMetrics(
  req: Request,
  res: Response,
  token: string,
  read: () => Promise<MetricsText>,
): Promise<void> {
  if (!isBearer(req.headers.authorization, token)) throw new AppError('unauthorized')
  sendMetrics(res, await read())
}

export function sendMetrics(res: Response, { contentType, text }: MetricsText): void {
  res.setHeader('Content-Type', contentType)
  res.setHeader('Cache-Control', 'no-store')
  res.end(text)
}

function isBearer(authorization: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(hash(BEARER.exec(authorization ?? '')?.[1] ?? ''), hash(token))
}
