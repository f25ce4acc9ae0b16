/**
 * Turns what a request ended with into a problem document (RFC 9457). It never shows a value of the request, nor the words
 * of an error that we did not write ourselves.
 */
import type { Request, Response } from 'express'
import { AppError } from '../errors.ts'
import type { ErrorCode, FieldProblem, SafeDetails } from '../errors.ts'
import { drainThenEnd } from './drain.ts'
import { IMAGE_FAULTS, PROBLEMS, type ProblemText } from './problems.ts'

/** The words and statuses of one service. */
export type ProblemTexts = Readonly<Record<ErrorCode, ProblemText>>

/** Builds the body of a failure, with the words that belong to the error's code. */
export function problemDocument(
  failure: {
    readonly code: ErrorCode
    readonly correlationId: string
    readonly details?: SafeDetails
    readonly problems?: readonly FieldProblem[]
    readonly instance?: string
  },
  texts: ProblemTexts = PROBLEMS,
): string {
  const { code, correlationId, details = {}, problems = [], instance } = failure
  const { title, status, detail, specCode } = texts[code]
  return JSON.stringify({
    type: `urn:counterproof:problem:${code}`,
    title,
    status,
    detail: typeof detail === 'function' ? detail(details) : detail,
    ...(instance ? { instance } : {}),
    // The spec's error objects: the listed problems, or else the error itself, with the spec's number if it has one.
    errors: problems.length > 0 ? [...problems] : [{ code: specCode ?? code, message: title }],
    correlationId,
  })
}

interface Answering {
  readonly correlationId: string
  /** `WWW-Authenticate` of a 401, which RFC 9110 asks for. */
  readonly challenge: string
  /** The path, without anything of the caller's making. */
  readonly instance?: string
  readonly texts?: ProblemTexts
}

/** Answers with the problem. Where an answer is under way already, cuts it off: the caller learns that it is not whole. */
export function sendProblem(req: Request, res: Response, error: AppError, answering: Answering): void {
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  const { correlationId, challenge, instance, texts = PROBLEMS } = answering
  const { code, details, problems } = error
  const { status, retryAfterSeconds } = texts[code]
  const failure = { code, details, problems, correlationId, ...(instance ? { instance } : {}) }
  const body = Buffer.from(problemDocument(failure, texts))
  if (retryAfterSeconds !== undefined && !res.hasHeader('Retry-After')) {
    res.setHeader('Retry-After', String(retryAfterSeconds))
  }
  if (status === 401) res.setHeader('WWW-Authenticate', challenge)
  res.removeHeader('ETag')
  res.status(status)
  res.setHeader('Content-Type', 'application/problem+json; charset=utf-8')
  res.setHeader('Content-Length', body.byteLength)
  res.setHeader('Cache-Control', 'no-store')
  drainThenEnd(req, res, body)
}

/** An `AppError` for anything that was thrown: ours, the vision part's, Express's own. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const fault = imageFault(error)
  if (fault) {
    const { code, message } = fault
    return new AppError(code, {}, { cause: error, problems: [{ code: fault.name, message }] })
  }
  // Express: a path that is not valid percent-encoding.
  if (error instanceof URIError) return new AppError('not_found')
  const status = clientFaultStatus(error)
  if (status !== null) {
    return new AppError([403, 404].includes(status) ? 'not_found' : 'malformed_request', {}, { cause: error })
  }
  return new AppError('internal', {}, { cause: error })
}

/**
 * Returns the status of an http-errors error (`send`, the router) that blames the request, and null for any other
 * error.
 */
function clientFaultStatus(error: unknown): number | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null
  return error.status >= 400 && error.status < 500 ? error.status : null
}

/** An `ImageFaultError`, known by its shape: this folder does not import the vision part. */
function imageFault(error: unknown): { name: string; code: AppError['code']; message: string } | null {
  if (!(error instanceof Error) || error.name !== 'ImageFaultError' || !('fault' in error)) return null
  const { fault } = error
  if (typeof fault !== 'string' || !Object.hasOwn(IMAGE_FAULTS, fault)) return null
  const text = IMAGE_FAULTS[fault]
  return text ? { name: fault, ...text } : null
}
