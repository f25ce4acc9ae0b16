/** HTTP client of a document register; README.md in this folder specifies the protocol. Answers are untrusted. */
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { REGISTER_REASONS } from '../../proofing/antifraud/document-status.ts'
import { specDateTime } from '../../proofing/time.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { parseJson, readUpTo } from '../limited-body.ts'
import { HASH_DIGITS, RANGE_DIGITS } from './range.ts'
import type {
  DocumentStatusRegister,
  RangeOutcome,
  RegisterSettings,
  RegisterTrouble,
} from './document-register.ts'

/**
 * A register of a hundred million documents has about a hundred per range, of ninety bytes each: this is a hundred times
 * that.
 */
const MAX_ANSWER_BYTES = 1_048_576
const SUFFIX = new RegExp(`^[0-9A-Fa-f]{${HASH_DIGITS - RANGE_DIGITS}}$`)
const RANGE = new RegExp(`^[0-9A-F]{${RANGE_DIGITS}}$`)

const Answer = z.object({
  register: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^[\p{L}\p{N} .,()/_-]+$/u),
  date: z.iso.date(),
  range: z.string(),
  coversDeaths: z.boolean().default(false),
  entries: z.array(z.object({ suffix: z.string().regex(SUFFIX), reason: z.enum(REGISTER_REASONS) })),
})

const CERTIFICATE_FAULT = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/

type Unavailable = Exclude<RangeOutcome, { readonly kind: 'answered' }>

export function createHttpRegister(settings: RegisterSettings, clock: Clock): DocumentStatusRegister {
  const closing = new AbortController()
  const { authorities, timeoutMs } = settings
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(authorities === null ? {} : { ca: authorities }) },
    connections: 2,
  })
  let trouble: { readonly since: Date; readonly last: Unavailable } | null = null
  return {
    authoritative: settings.authoritative,
    ask: async (range) => {
      if (!RANGE.test(range)) throw new TypeError('no range of hashes')
      const outcome = await fetchRange(range, settings, agent, closing.signal)
      trouble = outcome.kind === 'answered' ? null : { since: trouble?.since ?? clock.now(), last: outcome }
      return outcome
    },
    health: () =>
      trouble
        ? { status: 'DEGRADED', since: specDateTime(trouble.since), detail: describe(trouble.last) }
        : { status: 'UP', detail: 'configured' },
    close: () => {
      closing.abort()
      void agent.destroy()
    },
  }
}

async function fetchRange(
  range: string,
  { url, token, timeoutMs, coversDeaths }: RegisterSettings,
  agent: Agent,
  closing: AbortSignal,
): Promise<RangeOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    // Redirects are not followed: they would send the token to an address that is not configured.
    const response = await request(`${url.replace(/\/$/, '')}/${range}`, {
      dispatcher: agent,
      headers: {
        accept: 'application/json',
        'user-agent': `counterproof/${PRODUCT_VERSION}`,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      signal: AbortSignal.any([timeout, closing]),
    })
    const { statusCode: httpStatus, body } = response
    if (httpStatus !== 200) {
      // The body is not read, and the connection is closed.
      body.on('error', () => undefined).destroy()
      const refused = httpStatus === 401 || httpStatus === 403
      return unavailable(refused ? 'credentials-refused' : 'unexpected-answer', httpStatus)
    }
    const text = await readUpTo(body, MAX_ANSWER_BYTES)
    return text === null ? unavailable('too-large') : parseAnswer(text, range, coversDeaths)
  } catch (error) {
    // The error may quote the address, so only its kind is passed on.
    return unavailable(timeout.aborted ? 'timeout' : classifyTrouble(error))
  }
}

function parseAnswer(text: string, range: string, deathsExpected: boolean): RangeOutcome {
  const parsed = Answer.safeParse(parseJson(text))
  // An answer for another range is malformed.
  if (!parsed.success || parsed.data.range.toUpperCase() !== range) return unavailable('malformed')
  const { register, date, coversDeaths, entries } = parsed.data
  return {
    kind: 'answered',
    name: register,
    date,
    coversDeaths: coversDeaths && deathsExpected,
    entries: entries.map(({ suffix, reason }) => ({ suffix: suffix.toUpperCase(), reason })),
  }
}

function unavailable(reason: RegisterTrouble, httpStatus?: number): Unavailable {
  return { kind: 'unavailable', reason, ...(httpStatus === undefined ? {} : { httpStatus }) }
}

function classifyTrouble(error: unknown): RegisterTrouble {
  const codes = [error, (error as { cause?: unknown } | null)?.cause].map(
    (item) => (item as { code?: unknown } | null | undefined)?.code,
  )
  const isCertificate = codes.some((code) => typeof code === 'string' && CERTIFICATE_FAULT.test(code))
  return isCertificate ? 'certificate-refused' : 'unreachable'
}

function describe({ reason, httpStatus }: Unavailable): string {
  const status = httpStatus === undefined ? '' : ` (HTTP ${httpStatus})`
  return `the last question was not answered: ${reason}${status}`
}
