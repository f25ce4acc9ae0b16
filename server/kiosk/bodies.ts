/** Reads request bodies of the types that a route takes. Nothing is decoded here. */
import type { Request, RequestHandler } from 'express'
import { readBody, readJson } from '../http/body.ts'
import { AppError } from '../errors.ts'
import type { Upload } from '../proofing/types.ts'

// The limit of the API's largest file.
const MAX_UPLOAD_BYTES = 20 * 1024 * 1024
/** Room for the longest messages of the page: fifty notes, or ten corrected lines of 200 characters in any script. */
const MAX_JSON_BYTES = 16 * 1024
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp']

/** Reads a body of JSON; any other body stays unread, and its schema refuses it. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  if (req.is('application/json')) req.body = await readJson(req, MAX_JSON_BYTES)
  next()
}
export const imageBody = readBytes(IMAGE_TYPES)
/** A document may also be a scan or a phone's photo. */
export const fileBody = readBytes([
  ...IMAGE_TYPES,
  'image/heic',
  'image/heif',
  'image/tiff',
  'application/pdf',
])

/** Reads the bytes of a body of these types; any other body stays unread, and `readImage` refuses it. */
function readBytes(types: string[]): RequestHandler {
  return async (req, _res, next) => {
    if (req.is(types)) req.body = await readBody(req, MAX_UPLOAD_BYTES)
    next()
  }
}

/**
 * Returns the image of the request; its bytes are not checked yet. Throws `unsupported_image` for another
 * type or an empty body.
 */
export function readImage(req: Request): Upload {
  const body: unknown = req.body
  if (!Buffer.isBuffer(body) || body.length === 0) throw new AppError('unsupported_image')
  const declaredType = req.headers['content-type']?.split(';')[0]?.trim()
  return { bytes: body, ...(declaredType ? { declaredType } : {}) }
}

/** Returns the file of the request, an image or a scan; its bytes are not checked yet. */
export const readDocumentFile = readImage
