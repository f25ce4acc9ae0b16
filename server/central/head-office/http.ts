/**
 * Serves the head-office API over HTTP, mounted from the route table. Each call passes the same steps: key, scope,
 * limit, parse, handler, answer. Each failure is a problem document. A log line holds the operation's name and ids,
 * but never the address that the caller sent.
 */
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { describeError, type Log } from '../../log.ts'
import { createBodyReader } from '../../http/arrivals.ts'
import { CSV_START, setCsvHeaders, toCsvLine, type Cell } from '../../http/csv.ts'
import { clientNetwork } from '../../http/client-address.ts'
import { refuseOver } from '../../http/limits.ts'
import { parse, UUID } from '../../http/parse.ts'
import { toAppError } from '../../http/problem-response.ts'
import { expressPath, methodsByPath } from '../../http/routes.ts'
import type { CallCounter, CountName } from '../call-counts.ts'
import { decodeJson } from '../json.ts'
import { refuse, getHttpStatus } from '../problems.ts'
import { isPageCall, sendTooManyCallsPage, sendUnavailablePage } from '../plain-pages.ts'
import { CONTRACT, type ContractName } from './contract.ts'
import {
  identifyHolder,
  readBearerKey,
  requireScope,
  type Holder,
  type PersonHolder,
  type SystemHolder,
} from './guard.ts'
import type { HeadOfficeOptions } from './options.ts'
import type { ROUTES } from './routes.ts'
import { BASE_PATH, ROUTE_LIST, type Operation, type Route } from './routes.ts'

type Spec<O extends Operation> = (typeof ROUTES)[O]

export interface Call<O extends Operation> {
  readonly holder: Spec<O> extends { people: true } ? Holder : SystemHolder
  readonly params: Readonly<Record<string, string>>
  readonly query: Spec<O> extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined
  readonly body: Spec<O> extends { body: infer B extends ContractName }
    ? z.output<(typeof CONTRACT)[B]>
    : undefined
  readonly correlationId: string
  /** Aborted when the caller has closed the connection. */
  readonly signal: AbortSignal
  readonly isHead: boolean
}
interface ArchiveReply {
  readonly sha256: string
  readonly bytes: number | null
  /** Not called if the caller already has the archive or sent HEAD. */
  open(): Promise<Readable>
}
/** A table that is sent while it is read. */
export interface CsvReply {
  /** Name of the file; fixed words. */
  readonly name: string
  readonly columns: readonly string[]
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>
}
type Answer<A> = A extends ContractName
  ? z.input<(typeof CONTRACT)[A]>
  : A extends 'archive'
    ? ArchiveReply
    : A extends 'csv'
      ? CsvReply
      : void
export type Handlers = {
  readonly [O in Operation]: (call: Call<O>) => Promise<Answer<Spec<O>['answer']>>
}

interface HttpDeps {
  readonly options: HeadOfficeOptions
  readonly log: Log
  readonly countCalls: (name: CountName) => CallCounter
  /** Null: the key is unknown, expired or revoked. */
  authenticate(key: string): Promise<SystemHolder | null>
  /** Null: no person is signed in. Throws `host_refused` for a request of another page, and `forbidden` for an unknown tenant. */
  authenticatePerson(req: Request): Promise<PersonHolder | null>
  readonly accessLog: {
    noteReading(
      holder: PersonHolder,
      operation: Operation,
      subject: string | undefined,
      isExport: boolean,
    ): Promise<void>
    noteRefusal(
      holder: PersonHolder,
      operation: Operation,
      code: string,
      subject: string | undefined,
    ): Promise<void>
  }
  readonly handlers: Handlers
}

const MAX_BODY_BYTES = 64 * 1024
/** A bundle is configuration, policies and watchlists together. */
const MAX_BUNDLE_BYTES = 10 * 1024 * 1024
/** A caller may send a few bundles at the same time. */
const BODIES = {
  totalBytes: 128 * 1024 * 1024,
  callerBytes: 32 * 1024 * 1024,
  callerBodies: 32,
  windowMs: 30_000,
  windowBytes: 256,
}
/** Paths outside the route table that always exist, for `Allow`. */
export const PAGE_METHODS: ReadonlyMap<string, string> = new Map(
  [
    '/healthcheck',
    '/healthcheck/live',
    '/openapi.json',
    '/docs/',
    '/fleet/',
    '/verify/',
    '/staff/session',
  ].map((path) => [path, 'GET, HEAD']),
)
const VERSION = /^[1-9][0-9]{0,8}$/

export interface HeadOfficeHttp {
  /** Router of all paths below BASE_PATH. */
  readonly router: Router
  /** Answers paths that no route of the service has. */
  readonly unknown: RequestHandler
  /**
   * Answers requests that Express itself refuses, such as a badly encoded path. The answer does not repeat the
   * message of Express.
   */
  readonly failures: ErrorRequestHandler
  /** Who holds the key of a request. Throws `unauthorized`, `rate_limited`. */
  authenticateSystem(req: Request, res: Response): Promise<SystemHolder>
  /** Apart from wrong keys, so that a program with an old key locks out no person. Throws `rate_limited`. */
  countSignIn(req: Request, res: Response): Promise<void>
  /** Runs a handler outside the table with the same failures and log line. */
  run(
    name: string,
    handle: (req: Request, res: Response) => Promise<void>,
  ): (req: Request, res: Response) => void
}

export function createHeadOfficeHttp(deps: HttpDeps): HeadOfficeHttp {
  const { callsPerMinute, openCallsPerMinute } = deps.options
  const perKey = deps.countCalls('head-office-key')
  const failed = deps.countCalls('failed-head-office-keys')
  const readBody = createBodyReader(BODIES)

  const signIns = deps.countCalls('staff-sign-ins')
  const countByAddress = (counter: CallCounter) => async (req: Request, res: Response) => {
    const policy = { name: 'address', limit: openCallsPerMinute }
    refuseOver(res, policy, await counter.hit(clientNetwork(req), policy.limit), counter.windowMs)
  }
  const countStranger = countByAddress(failed)
  const admit = async <H extends Holder>(holder: H | null, req: Request, res: Response): Promise<H> => {
    if (!holder) {
      await countStranger(req, res)
      throw new AppError('unauthorized')
    }
    const caller = identifyHolder(holder)
    res.locals[holder.kind === 'person' ? 'sessionId' : 'keyId'] = caller
    const policy = { name: 'key', limit: callsPerMinute }
    refuseOver(res, policy, await perKey.hit(caller, policy.limit), perKey.windowMs)
    return holder
  }
  const authenticateSystem: HeadOfficeHttp['authenticateSystem'] = async (req, res) => {
    const key = readBearerKey(req.headers.authorization)
    return admit(key === null ? null : await deps.authenticate(key), req, res)
  }
  /** A key counts before a session, so that a system never acts as a person. */
  const authenticateHolder = async (req: Request, res: Response): Promise<Holder> =>
    req.headers.authorization === undefined
      ? admit(await deps.authenticatePerson(req), req, res)
      : authenticateSystem(req, res)
  const run: HeadOfficeHttp['run'] = (name, handle) => (req, res) => {
    const correlationId = uuidv7()
    const startedAt = performance.now()
    res.locals.correlationId = correlationId
    res.setHeader('X-Correlation-Id', correlationId)
    res.once('close', () => {
      deps.log.info(
        {
          correlationId,
          operation: name,
          status: res.statusCode,
          complete: res.writableFinished,
          elapsedMs: Math.round(performance.now() - startedAt),
          keyId: readId(res.locals.keyId),
          sessionId: readId(res.locals.sessionId),
        },
        'a head-office call ended',
      )
    })
    handle(req, res).catch((error: unknown) => fail(deps.log, req, res, error))
  }

  const router = Router({ strict: true, caseSensitive: true })
  router.use((_req, res, next) => {
    setApiHeaders(res)
    next()
  })
  for (const [operation, route] of ROUTE_LIST) {
    const path = BASE_PATH + expressPath(route.path)
    router[route.method](
      path,
      run(operation, async (req, res) => {
        const holder = await authenticateHolder(req, res)
        if (holder.kind === 'system') {
          requireScope(holder, route.scope)
          await answer(operation, route, holder, req, res)
        } else await answerPerson(operation, route, holder, req, res)
      }),
    )
  }
  for (const [path, methods] of methodsByPath(ROUTE_LIST.map(([, route]) => route))) {
    router.all(
      BASE_PATH + expressPath(path),
      run('refused', async (req, res) => {
        await authenticateHolder(req, res)
        res.setHeader('Allow', methods.join(', '))
        throw new AppError('method_not_allowed')
      }),
    )
  }
  // A caller without a key must not learn which paths exist.
  router.use(
    BASE_PATH,
    run('unknown', async (req, res) => {
      await authenticateHolder(req, res)
      throw new AppError('not_found')
    }),
  )

  /** Every call of a person is in the access log, also a refused one; an act logs itself in its transaction. */
  const answerPerson = async (
    operation: Operation,
    route: Route,
    holder: PersonHolder,
    req: Request,
    res: Response,
  ) => {
    const { accessLog } = deps
    const subject = Object.values(req.params)
      .map(String)
      .find((value) => UUID.test(value))
    try {
      if (!route.people || holder.scopes.length === 0) throw new AppError('forbidden')
      requireScope(holder, route.scope)
      if (route.method === 'get') {
        await accessLog.noteReading(holder, operation, subject, route.answer === 'csv')
      }
      await answer(operation, route, holder, req, res)
    } catch (error) {
      await accessLog.noteRefusal(holder, operation, toAppError(error).code, subject)
      throw error
    }
  }
  const answer = async (operation: Operation, route: Route, holder: Holder, req: Request, res: Response) => {
    const params = checkedParams(req)
    const limit = operation === 'publishBundle' ? MAX_BUNDLE_BYTES : MAX_BODY_BYTES
    const query = route.query ? parse(route.query, req.query) : undefined
    const readJson = async () => {
      const given = decodeJson(await readBody(req, res, identifyHolder(holder), limit))
      // A client that lost its body must not empty what kiosks run by.
      return operation === 'publishBundle' ? given : (given ?? {})
    }
    const body = route.body ? parse(CONTRACT[route.body], await readJson()) : undefined
    const left = new AbortController()
    res.once('close', () => left.abort())
    const handler = deps.handlers[operation] as (call: unknown) => Promise<unknown>
    const isHead = req.method === 'HEAD'
    const call = {
      holder,
      params,
      query,
      body,
      correlationId: readCorrelationId(res),
      signal: left.signal,
      isHead,
    }
    const reply = await handler(call)
    if (route.answer === 'none') res.status(204).end()
    else if (route.answer === 'archive') await sendArchive(reply as ArchiveReply, req, res)
    else if (route.answer === 'csv') await sendTable(reply as CsvReply, req, res)
    else res.status(route.status ?? 200).json(reply)
  }
  const unknown = run('unknown', async (req, res) => {
    const methods = PAGE_METHODS.get(req.path)
    if (methods === undefined) throw new AppError('not_found')
    res.setHeader('Allow', methods)
    throw new AppError('method_not_allowed')
  })
  // Express knows an error handler by its four parameters.
  const failures: ErrorRequestHandler = (error, req, res, _next) => {
    run('unreadable', () => Promise.reject(error as Error))(req, res)
  }
  return { router, unknown, failures, authenticateSystem, countSignIn: countByAddress(signIns), run }
}

/** A malformed id gets the same answer as an unknown one. */
function checkedParams(req: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.params).map(([name, value]) => {
      const text = String(value)
      if (!(name === 'version' ? VERSION : UUID).test(text)) throw new AppError('not_found')
      return [name, text.toLowerCase()]
    }),
  )
}

async function sendArchive(reply: ArchiveReply, req: Request, res: Response): Promise<void> {
  const etag = `"${reply.sha256}"`
  res.setHeader('ETag', etag)
  if (req.get('if-none-match') === etag) {
    res.status(304).end()
    return
  }
  res.setHeader('Content-Type', 'application/zip')
  if (reply.bytes !== null) res.setHeader('Content-Length', reply.bytes)
  if (req.method === 'HEAD') {
    res.end()
    return
  }
  const archive = await reply.open()
  await pipeline(archive, res)
}

async function sendTable({ name, columns, pages }: CsvReply, req: Request, res: Response): Promise<void> {
  setCsvHeaders(res, name)
  if (req.method === 'HEAD') {
    res.end()
    return
  }
  const lines = async function* () {
    yield CSV_START + toCsvLine(columns)
    for await (const rows of pages) yield rows.map(toCsvLine).join('')
  }
  await pipeline(lines, res)
}

export function setApiHeaders(res: Response): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  res.setHeader('Referrer-Policy', 'no-referrer')
}

function readId(id: unknown): string | null {
  return typeof id === 'string' ? id : null
}

function readCorrelationId(res: Response): string {
  return String(res.locals.correlationId)
}

function fail(log: Log, req: Request, res: Response, error: unknown): void {
  const known = toAppError(error)
  const status = getHttpStatus(known.code)
  const fields = { ...describeError(error), code: known.code, correlationId: readCorrelationId(res), status }
  if (status >= 500) log.error(fields, 'a head-office call failed')
  if (isPageCall(req) && !res.headersSent) {
    if (known.code === 'centre_unavailable') return sendUnavailablePage(res)
    if (known.code === 'rate_limited') return sendTooManyCallsPage(res, Number(res.getHeader('Retry-After')))
  }
  refuse(req, res, known, { correlationId: readCorrelationId(res), challenge: 'Bearer realm="counterproof"' })
}
