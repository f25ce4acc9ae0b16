/** HTTP client of a document register; README.md in this folder specifies the protocol. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { REGISTER_REASONS } from '../../proofing/antifraud/document-status.ts'
import { openHttpService, type ServiceOutcome } from '../service/http-service.ts'
import { MALFORMED, readJsonAnswer } from '../service/json-answer.ts'
import { createServiceHealth, withStatus } from '../service/service-health.ts'
import { HASH_DIGITS, RANGE_DIGITS } from './range.ts'
import type { DocumentStatusRegister, RangeOutcome, RegisterSettings } from './document-register.ts'

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

export function createHttpRegister(settings: RegisterSettings, clock: Clock): DocumentStatusRegister {
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last question was not answered')
  return {
    authoritative: settings.authoritative,
    ask: async (range) => {
      if (!RANGE.test(range)) throw new TypeError('no range of hashes')
      const answer = await service.call({
        method: 'GET',
        path: `/${range}`,
        accept: 'application/json',
        maxAnswerBytes: MAX_ANSWER_BYTES,
        // The check itself is repeated later.
        mayRepeat: false,
      })
      const outcome = toOutcome(answer, range, settings.coversDeaths)
      health.note(outcome.kind === 'answered' ? null : withStatus(outcome.reason, outcome.httpStatus))
      return { ...outcome, effort: answer.effort }
    },
    health: health.read,
    close: () => void service.close(),
  }
}

function toOutcome(outcome: ServiceOutcome, range: string, deathsExpected: boolean): RangeOutcome {
  const answer = readJsonAnswer(outcome)
  if (answer.kind === 'unavailable') return answer
  const parsed = Answer.safeParse(answer.json)
  // An answer for another range is malformed.
  if (!parsed.success || parsed.data.range.toUpperCase() !== range) return MALFORMED
  const { register, date, coversDeaths, entries } = parsed.data
  return {
    kind: 'answered',
    name: register,
    date,
    coversDeaths: coversDeaths && deathsExpected,
    entries: entries.map(({ suffix, reason }) => ({ suffix: suffix.toUpperCase(), reason })),
  }
}
