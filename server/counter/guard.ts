/**
 * The checks of a request before it reaches a route of the counter: it was sent by the page, and an officer
 * is signed in.
 */
import type { Request, RequestHandler } from 'express'
import { readJson } from '../http/body.ts'
import { parse } from '../http/parse.ts'
import { AppError } from '../errors.ts'
import type { z } from 'zod'
import { PAGE_HEADER } from './contract/staff.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])
/** The longest message without a file: the answer of a passkey. */
const JSON_LIMIT_BYTES = 32 * 1024

/**
 * A page of another site can make a browser send a request, but not with this header, which would need a CORS
 * permission that we never give. It is the third protection against cross-site requests, besides SameSite
 * cookies and the Origin check.
 */
export function requirePageHeader(): RequestHandler {
  return (req, _res, next) => {
    const isNamed = SAFE_METHODS.has(req.method) || pageHeader(req) !== null
    next(isNamed ? undefined : new AppError('host_refused', { header: PAGE_HEADER }))
  }
}

/** Whether a touch or key of the officer caused it, which postpones the lock. */
export function isOfPerson(req: Request): boolean {
  return pageHeader(req) === 'counter'
}

function pageHeader(req: Request): 'counter' | 'background' | null {
  const value = req.get(PAGE_HEADER)
  return value === 'counter' || value === 'background' ? value : null
}

/** No browser or proxy may cache an answer of the counter. */
export function forbidCaching(): RequestHandler {
  return (_req, res, next) => {
    res.set('Cache-Control', 'no-store')
    next()
  }
}

/** Parses the JSON body by its schema. Throws `validation_failed`, which names fields and no values. */
export async function parseJsonBody<S extends z.ZodType>(req: Request, schema: S): Promise<z.output<S>> {
  return parse(schema, (await readJson(req, JSON_LIMIT_BYTES)) ?? {})
}

/** Parses the query by its schema; a repeated name is refused. */
export function readQuery<S extends z.ZodType>(req: Request, schema: S): z.output<S> {
  return parse(schema, { ...req.query }, '')
}
