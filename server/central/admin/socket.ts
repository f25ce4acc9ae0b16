/**
 * Only one process may open the folder of an embedded database: an operator's command that runs meanwhile
 * asks that process over a socket in the data folder (mode 0600; every user who may read the folder may use
 * it).
 */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, ERROR_CODES, type ErrorCode, type FieldProblem, type SafeDetails } from '../../errors.ts'
import { explainSystemError } from '../../files/system-errors.ts'
import { describeError } from '../../log.ts'
import type { CentralContext } from '../context.ts'
import { runAction, type ActionInput, type ActionName } from './actions.ts'

const SOCKET_FILE = 'centre.sock'
/** Limit of sun_path: a longer path cannot be bound. */
const MAX_PATH_LENGTH = 107
const LARGEST_BODY = 1024 * 1024

/** An action and the person who asks for it; the action checks both. */
const OrderSchema = z.strictObject({ by: z.string(), input: z.unknown() })
interface Order<A extends ActionName> {
  readonly by: string
  readonly input: ActionInput<A>
}

interface Failure {
  readonly code: ErrorCode
  readonly details: SafeDetails
  readonly problems: readonly FieldProblem[]
  readonly sentence: string | null
}

interface AdminSocket {
  close(): Promise<void>
}

/** Null if the folder's path is too long for a socket. This process holds the lock of the folder. */
export async function openAdminSocket(ctx: CentralContext): Promise<AdminSocket | null> {
  const path = join(ctx.config.dataDir, SOCKET_FILE)
  if (path.length > MAX_PATH_LENGTH) {
    ctx.log.warn(
      { chars: path.length },
      'the data folder has too long a path for commands while the central service runs',
    )
    return null
  }
  // A killed process left it behind: the lock proves that the process is gone.
  rmSync(path, { force: true })
  const server = createServer((req, res) => void answer(ctx, req, res))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(ctx: CentralContext, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const name = (req.url ?? '').slice(1)
  try {
    const { by, input } = OrderSchema.parse(JSON.parse(await read(req)))
    const result = await runAction(ctx, name, input, by)
    ctx.log.info({ action: name }, 'an operator ran a command')
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
  } catch (error) {
    const sentence = explainSystemError(error)
    const options = { cause: error, ...(sentence === null ? {} : { sentence }) }
    const known = error instanceof AppError ? error : new AppError('internal', {}, options)
    ctx.log.warn({ ...describeError(error), code: known.code }, 'a command of an operator was refused')
    const { code, details, problems } = known
    const failure: Failure = { code, details, problems, sentence: known.sentence }
    res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(failure))
  }
}

/** `undefined` if no process answers. Throws the errors of the action. */
export async function callRunningCentralService<A extends ActionName>(
  dataDir: string,
  name: A,
  order: Order<A>,
): Promise<unknown> {
  const socketPath = join(dataDir, SOCKET_FILE)
  if (socketPath.length > MAX_PATH_LENGTH) return undefined
  const response = await new Promise<IncomingMessage | null>((resolve, reject) => {
    const req = request({ socketPath, path: `/${name}`, method: 'POST' }, resolve)
    req.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null)
      else reject(error)
    })
    req.end(JSON.stringify(order))
  })
  if (response === null) return undefined
  const body: unknown = JSON.parse(await read(response, Number.POSITIVE_INFINITY))
  if (response.statusCode === 200) return body
  const { code, details, problems, sentence } = body as Failure
  throw new AppError(ERROR_CODES.includes(code) ? code : 'internal', details, {
    problems,
    ...(sentence === null ? {} : { sentence }),
  })
}

async function read(stream: IncomingMessage, limit = LARGEST_BODY): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > limit) throw new AppError('upload_too_large', { limitBytes: limit })
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
