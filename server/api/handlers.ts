/** One handler per operation: a missing one does not compile. */
import type { Handler } from '../http/limits.ts'
import type { Operation } from './routes.ts'

export type Handlers<Of extends Operation = Operation> = Readonly<Record<Of, Handler>>
