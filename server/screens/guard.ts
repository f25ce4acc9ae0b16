/**
 * Common parts of kiosk and counter before a session is looked up: headers of their pages, and the check that a
 * request comes from the page this server served. Never: who the person at the screen is.
 */
import express from 'express'
import type { RequestHandler } from 'express'
import { AppError } from '../errors.ts'

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

// Allows no inline script or style, and nothing from other origins. blob: shows the photo just taken.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Sets the security headers of the screens. They allow the camera, but no other part of the device. */
export function screenHeaders(): RequestHandler {
  return (_req, res, next) => {
    res.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Permissions-Policy':
        'camera=(self), microphone=(), geolocation=(), display-capture=(), usb=(), payment=()',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    next()
  }
}

/**
 * Refuses a Host that is not ours (DNS rebinding) and a request that another page made. A request that changes
 * something must name its Origin; a read request may omit it.
 */
export function sameOrigin(allowedHosts: readonly string[] = LOOPBACK_NAMES): RequestHandler {
  return (req, _res, next) => {
    const host = req.headers.host ?? ''
    const origin = req.headers.origin
    const site = req.headers['sec-fetch-site']
    const hostAllowed = allowedHosts.includes(host.replace(/:\d+$/, '').toLowerCase())
    const originAllowed =
      origin === undefined
        ? SAFE_METHODS.has(req.method)
        : origin === `http://${host}` || origin === `https://${host}`
    const siteAllowed = site === undefined || site === 'same-origin' || site === 'none'
    next(hostAllowed && originAllowed && siteAllowed ? undefined : new AppError('host_refused'))
  }
}

/** The files that the pages load: named after their content, so that a browser need not ask twice. */
export function screenAssets(folder: string): RequestHandler {
  return express.static(folder, { index: false, immutable: true, maxAge: '1y' })
}
