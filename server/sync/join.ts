/** Joins a central service over the network, for the command line and for the counter. */
import { X509Certificate } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { caFingerprint } from '../protocol/enrolment-code.ts'
import type { Author } from '../store/events.ts'
import { requestEnrolment } from './central-client.ts'
import { beginEnrolment, completeEnrolment, type Joined } from './enrol.ts'
import type { JoinRefusal } from '../workflows/health/sync-state.ts'
import { createTokenBucket } from './token-bucket.ts'
import { CentralTroubleError, checkCentralUrl, openTransport, readTlsAuthorities } from './transport.ts'

interface JoinInput {
  readonly url: string
  /** As typed. */
  readonly code: string
  readonly name: string
  readonly allowsInsecureHttp?: boolean
}

interface JoinedCentralService extends Joined {
  /** Fingerprint of the central service's certificate authority, as in the code. */
  readonly fingerprint: string
}

/** EnrolmentRequestSchema. */
const MAX_NAME_CHARS = 100

type JoinContext = Pick<Context, 'store' | 'clock' | 'config'>

/**
 * Throws the errors of `beginEnrolment` and `completeEnrolment`, and CentralTroubleError. A repeated run
 * continues with the same key.
 */
export async function joinCentralService(
  ctx: JoinContext,
  { url, code, name, allowsInsecureHttp = false }: JoinInput,
  author?: Author,
): Promise<JoinedCentralService> {
  const { dataDir, sync } = ctx.config
  const centralUrl = checkCentralUrl(url, allowsInsecureHttp)
  const request = await beginEnrolment(ctx, { code, centralUrl, name })
  const transport = openTransport({
    origin: centralUrl,
    authorities: readTlsAuthorities(dataDir, sync.caFile),
    timeoutMs: sync.timeoutMs,
    bucket: createTokenBucket(0),
  })
  try {
    const answer = await requestEnrolment(transport, request)
    const joined = await completeEnrolment(ctx, answer, author)
    return { ...joined, fingerprint: caFingerprint(new X509Certificate(answer.trust.caCertificate).raw) }
  } finally {
    await transport.close()
  }
}

const REFUSALS: Readonly<Record<string, JoinRefusal>> = {
  connection_refused: 'NO_ANSWER',
  name_not_found: 'NO_ANSWER',
  no_answer_in_time: 'NO_ANSWER',
  not_reachable: 'NO_ANSWER',
  tls_refused: 'TLS_REFUSED',
  not_the_centre: 'NOT_THE_CENTRE',
  not_found: 'NOT_THE_CENTRE',
  enrolment_refused: 'CODE_REFUSED',
  validation_failed: 'OTHER_VERSION',
}

type JoinOutcome =
  | ({ readonly state: 'JOINED' } & JoinedCentralService)
  | { readonly state: 'REFUSED'; readonly reason: JoinRefusal }

/** For the counter: returns a refusal as an answer. */
export async function tryToJoin(
  ctx: JoinContext & Pick<Context, 'log'>,
  input: Pick<JoinInput, 'url' | 'code'>,
  author: Author,
): Promise<JoinOutcome> {
  if (ctx.store.enrolments.find()?.membership) return { state: 'REFUSED', reason: 'ALREADY_JOINED' }
  try {
    const name = ctx.config.tenant.name.slice(0, MAX_NAME_CHARS)
    return { state: 'JOINED', ...(await joinCentralService(ctx, { ...input, name }, author)) }
  } catch (error) {
    const reason = classifyJoinRefusal(error)
    if (reason === null) throw error
    ctx.log.info({ reason }, 'the central service was not joined')
    return { state: 'REFUSED', reason }
  }
}

/** Returns the reason of a failed enrolment as one code. Null: a fault of this machine. */
function classifyJoinRefusal(error: unknown): JoinRefusal | null {
  if (error instanceof CentralTroubleError) return REFUSALS[error.code] ?? 'CENTRE_TROUBLE'
  if (!(error instanceof AppError)) return null
  const [problem] = error.problems
  if (problem?.field === 'code') return 'CODE_MALFORMED'
  if (problem?.field === 'url') return problem.code === 'tls_required' ? 'TLS_REQUIRED' : 'ADDRESS'
  // The central service accepted the code, but its answer did not match it.
  return ['enrolment_refused', 'statement_refused'].includes(error.code) ? 'OTHER_CENTRE' : null
}
