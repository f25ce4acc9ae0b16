/**
 * Turns whatever a request ended with into a problem document (RFC 9457). Mounted last.
 * It never shows a value of the request, nor the words of an error that we did not write ourselves.
 */
import type { ErrorRequestHandler, Request, Response } from 'express'
import { AppError } from '../errors.ts'
import type { ErrorCode, FieldProblem, SafeDetails } from '../errors.ts'
import { describeError } from '../log.ts'
import type { Log } from '../log.ts'
import type { ProblemDocument } from './contract/index.ts'
import { drainThenEnd } from './drain.ts'
import { IMAGE_FAULTS, PROBLEMS } from './problems.ts'
import { contextOf, safePath } from './request-context.ts'

export function errorHandler(log: Log): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, req, res, _next) => {
    const { correlationId } = contextOf(res)
    const known = toAppError(error)
    const { status } = PROBLEMS[known.code]
    const fields = { ...describeError(error), code: known.code, correlationId, path: safePath(req), status }
    if (status >= 500 && status !== 503) log.error(fields, 'request failed')
    else log.warn({ ...fields, problems: known.problems.map(problemLabel) }, 'request refused')

    if (res.headersSent) {
      // The answer was already under way: only cutting it off tells the caller that it is not whole.
      res.destroy()
      return
    }
    sendProblem(req, res, known)
  }
}

/** The body of a failure, with the words that belong to the error's code. */
export function problemDocument(failure: {
  readonly code: ErrorCode
  readonly correlationId: string
  readonly details?: SafeDetails
  readonly problems?: readonly FieldProblem[]
  readonly instance?: string
}): string {
  const { code, correlationId, details = {}, problems = [], instance } = failure
  const { title, status, detail, specCode } = PROBLEMS[code]
  const problem: ProblemDocument = {
    type: `urn:counterproof:problem:${code}`,
    title,
    status,
    detail: typeof detail === 'function' ? detail(details) : detail,
    ...(instance ? { instance } : {}),
    // The spec's error objects: the listed problems, or the error itself by the spec's number where it has one.
    errors: problems.length > 0 ? [...problems] : [{ code: specCode ?? code, message: title }],
    correlationId,
  }
  return JSON.stringify(problem)
}

function sendProblem(req: Request, res: Response, error: AppError): void {
  const text = PROBLEMS[error.code]
  const { correlationId } = contextOf(res)
  const { code, details, problems } = error
  const body = Buffer.from(
    problemDocument({ code, details, problems, correlationId, instance: safePath(req) }),
  )
  if (text.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(text.retryAfterSeconds))
  // RFC 9110 asks for a challenge with every 401; the scheme is ours, the spec names the header only.
  if (text.status === 401) res.setHeader('WWW-Authenticate', 'ApiKey realm="counterproof", header="apikey"')
  res.status(text.status)
  res.setHeader('Content-Type', 'application/problem+json; charset=utf-8')
  res.setHeader('Content-Length', body.byteLength)
  res.setHeader('Cache-Control', 'no-store')
  drainThenEnd(req, res, body)
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const fault = imageFault(error)
  if (fault) {
    const { code, message } = fault
    return new AppError(code, {}, { cause: error, problems: [{ code: fault.name, message }] })
  }
  // Express itself: a path that is not valid percent-encoding.
  if (error instanceof URIError) return new AppError('not_found')
  const status = clientFaultStatus(error)
  if (status !== null) {
    return new AppError([403, 404].includes(status) ? 'not_found' : 'malformed_request', {}, { cause: error })
  }
  return new AppError('internal', {}, { cause: error })
}

/** The status of an http-errors error (`send`, the router) that blames the request; null: any other error. */
function clientFaultStatus(error: unknown): number | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null
  return error.status >= 400 && error.status < 500 ? error.status : null
}

/** An `ImageFaultError`, known by its shape: the API does not import the vision part. */
function imageFault(error: unknown): { name: string; code: AppError['code']; message: string } | null {
  if (!(error instanceof Error) || error.name !== 'ImageFaultError' || !('fault' in error)) return null
  const { fault } = error
  if (typeof fault !== 'string' || !Object.hasOwn(IMAGE_FAULTS, fault)) return null
  const text = IMAGE_FAULTS[fault]
  return text ? { name: fault, ...text } : null
}

/** One problem in a log line: its code and where, without its words. */
function problemLabel({ code, field }: FieldProblem): string {
  return field ? `${field}: ${code}` : code
}
