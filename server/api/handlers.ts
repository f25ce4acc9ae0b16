/** The shape of a route's handler. It parses, calls one workflow and answers; rejections go to the error handler. */
import type { Request, Response } from 'express'
import type { Operation } from './routes.ts'

export type Handler = (req: Request, res: Response) => Promise<void>

/** One handler per operation: a missing one does not compile. */
export type Handlers<Of extends Operation = Operation> = Readonly<Record<Of, Handler>>
