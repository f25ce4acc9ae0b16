/**
 * Whether a request comes from this machine. The socket shows its origin; headers are written by the caller, so they
 * can only be a reason to say no: a proxy on this machine forwards for other machines.
 */
import type { Request } from 'express'
import { plainAddress } from './client-address.ts'

export function isFromThisMachine(req: Pick<Request, 'socket' | 'headers'>): boolean {
  return isLoopback(req.socket.remoteAddress) && !Object.keys(req.headers).some(isOfProxy)
}

function isLoopback(peer: string | undefined): boolean {
  const address = plainAddress(peer ?? '')
  return address === '::1' || address.startsWith('127.')
}

function isOfProxy(header: string): boolean {
  return (
    header === 'forwarded' || header === 'via' || header === 'x-real-ip' || header.startsWith('x-forwarded-')
  )
}
