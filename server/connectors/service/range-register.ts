/**
 * HTTP client of a register that is asked by ranges of hashes; ../document-status/README.md specifies the protocol. The
 * register receives five digits of a hash and never learns who or what is meant. Answers are untrusted.
 */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { openHttpService, type Called, type ServiceOutcome, type ServiceSettings } from './http-service.ts'
import { MALFORMED, readJsonAnswer, type Unavailable } from './json-answer.ts'
import { HASH_DIGITS, RANGE_DIGITS } from './range.ts'
import { createServiceHealth, withStatus, type ServiceHealth } from './service-health.ts'

/**
 * A register of a hundred million documents has about a hundred per range, of ninety bytes each: this is a hundred times
 * that.
 */
const MAX_ANSWER_BYTES = 1_048_576
const SUFFIX = new RegExp(`^[0-9A-Fa-f]{${HASH_DIGITS - RANGE_DIGITS}}$`)
const HASH = new RegExp(`^[0-9A-Fa-f]{${HASH_DIGITS}}$`)
const RANGE = new RegExp(`^[0-9A-F]{${RANGE_DIGITS}}$`)

export interface RegisterRange<Reason extends string> {
  readonly kind: 'answered'
  /** Name that the register reports for itself. */
  readonly name: string
  /** Date of its data: yyyy-MM-dd. */
  readonly date: string
  /** The register reports that it covers the deceased, and the configuration agrees. */
  readonly coversDeaths: boolean
  readonly entries: readonly RegisterEntry<Reason>[]
}

export interface RegisterEntry<Reason extends string> {
  /** The other 59 digits of the hash. */
  readonly suffix: string
  readonly reason: Reason
  /** Hash of a person's name with all given names; null: the register knows the first alone, or it is no person. */
  readonly wholeName: string | null
}

export type RangeOutcome<Reason extends string> = RegisterRange<Reason> | Unavailable

export interface RangeRegister<Reason extends string> {
  /**
   * @param range five upper-case hexadecimal digits, the only data that is sent. Never rejects: a failure is an outcome.
   */
  ask(range: string): Promise<Called<RangeOutcome<Reason>>>
  health(): ServiceHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export interface RangeSettings extends ServiceSettings {
  readonly coversDeaths: boolean
}

/** @param reasons all that this kind of register may report; an answer with another one is malformed */
export function openRangeRegister<Reason extends string>(
  settings: RangeSettings,
  reasons: readonly [Reason, ...Reason[]],
  clock: Clock,
): RangeRegister<Reason> {
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last question was not answered')
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
    entries: z.array(
      z.object({
        suffix: z.string().regex(SUFFIX),
        reason: z.enum(reasons),
        wholeName: z.string().regex(HASH).nullish(),
      }),
    ),
  })

  const readOutcome = (outcome: ServiceOutcome, range: string): RangeOutcome<Reason> => {
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
      coversDeaths: coversDeaths && settings.coversDeaths,
      entries: entries.map(({ suffix, reason, wholeName }) => ({
        suffix: suffix.toUpperCase(),
        reason,
        wholeName: wholeName?.toUpperCase() ?? null,
      })),
    }
  }

  return {
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
      const outcome = readOutcome(answer, range)
      health.note(outcome.kind === 'answered' ? null : withStatus(outcome.reason, outcome.httpStatus))
      return { ...outcome, effort: answer.effort }
    },
    health: health.read,
    close: () => void service.close(),
  }
}
