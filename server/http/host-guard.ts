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

/** True if a Host header names this server. A configured host without port allows every port. */
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
 * True if the Origin header is absent, our own or configured. `null` (sandboxed frames, files) is refused. Our own origin is
 * the host and port of the request, whose Host has been checked before.
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

/** Protects every part of the server on the loopback address, not only the API. */
export function hostGuard(config: {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}): RequestHandler {
  return (req, _res, next) => {
    const { host, origin } = req.headers
    // Several Host headers are refused: Node uses the first one, and a proxy may use another one or the host of the address.
    const isOne = req.headersDistinct.host?.length === 1 && req.originalUrl.startsWith('/')
    if (!isOne || !isOurHost(host, config.allowedHosts))
      throw new AppError('host_refused', { header: 'Host' })
    if (!isOurOrigin(origin, host, config.allowedOrigins))
      throw new AppError('host_refused', { header: 'Origin' })
    next()
  }
}
