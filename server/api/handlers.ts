/** Collects one handler per operation; the types make a missing one a compile error. */
import type { Handler } from '../http/limits.ts'
import type { Operation } from './routes.ts'

export type Handlers<Of extends Operation = Operation> = Readonly<Record<Of, Handler>>
