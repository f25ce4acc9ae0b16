/** The `detailed` query parameter, common to all reads of evidence. */
import type { Request } from 'express'
import type { Caller } from '../proofing/types.ts'
import { DetailedQuery } from './contract/index.ts'
import { parse } from '../http/parse.ts'
import type { Detail } from './workflows-port.ts'

/** A user agent never gets details, because an attacker must not learn which check failed. */
export function detailFor(caller: Caller, req: Request): Detail {
  const { detailed } = parse(DetailedQuery, req.query)
  return { detailed: detailed === true && caller.role === 'RELYING_SERVICE' }
}
