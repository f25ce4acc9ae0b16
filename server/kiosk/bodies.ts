/** Reads request bodies within limits and converts the parsers' errors to ours. It decodes nothing. */
import express from 'express'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import type { z } from 'zod'
import { readBody } from '../api/body.ts'
import { AppError } from '../errors.ts'
import type { Upload } from '../proofing/types.ts'

// The limit of the API's largest file.
const MAX_UPLOAD_BYTES = 20 * 1024 * 1024
/** The longest messages of the page: fifty notes, or ten corrected lines of 200 characters in any script. */
const MAX_JSON = '16kb'
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp']

export const jsonBody = express.json({ limit: MAX_JSON, type: 'application/json' })
export const imageBody = bytesOf(IMAGE_TYPES)
/** A document may also be a scan or a phone's photo. */
export const fileBody = bytesOf([...IMAGE_TYPES, 'image/heic', 'image/heif', 'image/tiff', 'application/pdf'])

/** Reads the bytes of a body of these types; any other body stays unread, and `imageOf` refuses it. */
function bytesOf(types: string[]): RequestHandler {
  return async (req, _res, next) => {
    if (req.is(types)) req.body = await readBody(req, MAX_UPLOAD_BYTES)
    next()
  }
}

/** Throws `validation_failed` with the names of the fields, never with their values. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return parsed.data
  throw new AppError(
    'validation_failed',
    {},
    {
      problems: parsed.error.issues.map(({ code, path }) => ({
        code,
        message: 'is missing or not of the expected form',
        ...(path.length > 0 ? { field: path.map(String).join('.') } : {}),
      })),
    },
  )
}

/**
 * Returns the image of the request; its bytes are not checked yet. Throws `unsupported_image` for another
 * type or an empty body.
 */
export function imageOf(req: Request): Upload {
  const body: unknown = req.body
  if (!Buffer.isBuffer(body) || body.length === 0) throw new AppError('unsupported_image')
  const declaredType = req.headers['content-type']?.split(';')[0]?.trim()
  return { bytes: body, ...(declaredType ? { declaredType } : {}) }
}

/** Returns the file of the request, an image or a scan; its bytes are not checked yet. */
export const fileOf = imageOf

/** Converts the http-errors of the body parsers: too large, aborted, malformed. */
export const parserErrors: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const type = typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : ''
  if (type === 'entity.too.large') return next(new AppError('upload_too_large', {}, { cause: error }))
  if (
    type.startsWith('entity.') ||
    type.startsWith('encoding.') ||
    type.startsWith('charset.') ||
    type.startsWith('request.')
  )
    return next(new AppError('malformed_body', {}, { cause: error }))
  next(error)
}
