/** Answers every failed request under /v1 and of the screens. Mounted last. */
import type { ErrorRequestHandler } from 'express'
import type { FieldProblem } from '../errors.ts'
import { sendProblem, toAppError } from '../http/problem-response.ts'
import { PROBLEMS } from '../http/problems.ts'
import { describeError } from '../log.ts'
import type { Log } from '../log.ts'
import { getRequestContext, safePath } from './request-context.ts'

/** The spec names only the header, so the scheme is our own. */
const CHALLENGE = 'ApiKey realm="counterproof", header="apikey"'

export function errorHandler(log: Log): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (error: unknown, req, res, _next) => {
    const { correlationId } = getRequestContext(res)
    const known = toAppError(error)
    const { status } = PROBLEMS[known.code]
    const path = safePath(req)
    const fields = { ...describeError(error), code: known.code, correlationId, path, status }
    if (status >= 500 && status !== 503) log.error(fields, 'a request failed')
    else log.warn({ ...fields, problems: known.problems.map(labelProblem) }, 'a request was refused')
    sendProblem(req, res, known, { correlationId, challenge: CHALLENGE, instance: path })
  }
}

/** Returns code and field of a problem for the log, without its text. */
function labelProblem({ code, field }: FieldProblem): string {
  return field ? `${field}: ${code}` : code
}
