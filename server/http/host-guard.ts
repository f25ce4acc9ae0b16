/**
 * Refuses requests that a web page of another site makes the browser send: by its Host (DNS rebinding) or its Origin.
 * A server on 127.0.0.1 is reachable from every page open in a browser on the same computer.
 */
import type { RequestHandler } from 'express'
import { AppError } from '../errors.ts'

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/** `name` or `name:port`, lower case; null when the text is neither. */
function parseHost(text: string): { name: string; port: string | null } | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(text.toLowerCase())
  return match?.[1] ? { name: match[1], port: match[2] ?? null } : null
}

/** Whether a Host header names us. A configured host without port stands for every port. */
export function isOurHost(header: string | undefined, allowedHosts: readonly string[]): boolean {
  const host = header === undefined ? null : parseHost(header)
  if (!host) return false
  if (LOOPBACK_NAMES.includes(host.name)) return true
  return allowedHosts.some((text) => {
    const allowed = parseHost(text)
    return allowed?.name === host.name && (allowed.port === null || allowed.port === host.port)
  })
}

/**
 * Whether an Origin header is absent, our own or configured. `null` (sandboxed frames, files) is nobody's.
 * Our own is the very host and port that the request was sent to, whose Host has been checked before.
 */
export function isOurOrigin(
  origin: string | undefined,
  host: string | undefined,
  allowedOrigins: readonly string[],
): boolean {
  if (origin === undefined) return true
  if (allowedOrigins.includes(origin)) return true
  if (host === undefined) return false
  return origin === `http://${host}` || origin === `https://${host}`
}

/** For every part of the server that listens on the loopback address, not for the API alone. */
export function hostGuard(config: {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}): RequestHandler {
  return (req, _res, next) => {
    const { host, origin } = req.headers
    // Node keeps the first of several, and a proxy in front may go by another one, or by the address's own host.
    const isOne = req.headersDistinct.host?.length === 1 && req.originalUrl.startsWith('/')
    if (!isOne || !isOurHost(host, config.allowedHosts))
      throw new AppError('host_refused', { header: 'Host' })
    if (!isOurOrigin(origin, host, config.allowedOrigins))
      throw new AppError('host_refused', { header: 'Origin' })
    next()
  }
}
