import { describe, expect, test } from 'vitest'
import {
  makeCode,
  moveOtp,
  computeOtpEnd,
  requireSubmittable,
  type Passcode,
} from '../../../server/proofing/otp.ts'
import { OTP_STATUSES, type OtpStatus } from '../../../server/proofing/types.ts'

const CREATED = new Date('2026-03-01T12:00:00Z')
const MINUTES_10 = 600_000
const PENDING: Passcode = {
  status: 'PENDING',
  codeHash: Buffer.from('hash'),
  attempts: 0,
  createdAt: CREATED,
  timeoutMs: MINUTES_10,
}
const after = (ms: number) => new Date(CREATED.getTime() + ms)

describe('a passcode', () => {
  test('keeps its leading zeros', () => {
    const digits = [0, 0, 7, 0, 4, 2]
    expect(makeCode(6, () => digits.shift() ?? 9)).toBe('007042')
  })

  test.each([4, 6, 10, 12])('has the %i digits that are configured', (digits) => {
    expect(makeCode(digits, () => 5)).toBe('5'.repeat(digits))
  })

  // @clause NIST-63A-4/3.8-codes
  test('ends its time after its creation, not after its delivery', () => {
    expect(computeOtpEnd(PENDING)).toEqual(after(MINUTES_10))
  })
})

describe('the states of a passcode', () => {
  const ALLOWED: Readonly<Partial<Record<OtpStatus, readonly OtpStatus[]>>> = {
    PROCESSING: ['PENDING', 'DONE', 'TIMEOUT', 'ERROR'],
    PENDING: ['DONE', 'TIMEOUT', 'ERROR'],
    ERROR: ['DONE'],
  }
  const every = OTP_STATUSES.flatMap((from) => OTP_STATUSES.map((to) => [from, to] as const))

  test.each(every)('%s → %s', (from, to) => {
    const move = () => moveOtp({ ...PENDING, status: from }, to)
    if (ALLOWED[from]?.includes(to)) expect(move()).toEqual({ ...PENDING, status: to })
    else expect(move).toThrow('transition_refused')
  })
})

describe('a code may be submitted', () => {
  const submit = (otp: Partial<Passcode>, at = after(1)) => {
    requireSubmittable({ ...PENDING, ...otp }, 5, at)
  }

  test.each<[string, Partial<Passcode>]>([
    ['while the passcode is pending', {}],
    ['before the carrier has answered', { status: 'PROCESSING' }],
    ['before any code was made: it is a wrong one then', { status: 'PROCESSING', codeHash: null }],
    ['after an error of ours, when a message may have arrived', { status: 'ERROR' }],
    ['after an error with no code: it is a wrong one then', { status: 'ERROR', codeHash: null }],
    ['at the last attempt', { attempts: 4 }],
  ])('%s', (_name, otp) => {
    expect(() => submit(otp)).not.toThrow()
  })

  test.each<[string, string, Partial<Passcode>, number]>([
    ['once it was used', 'otp_no_longer_valid', { status: 'DONE' }, 1],
    ['once its time is over', 'otp_no_longer_valid', { status: 'TIMEOUT' }, 1],
    ['at the end of its time, recorded or not', 'otp_no_longer_valid', {}, MINUTES_10],
    ['after the time of a failed one', 'otp_no_longer_valid', { status: 'ERROR' }, MINUTES_10],
    ['after too many wrong codes', 'otp_attempts_reached', { attempts: 5 }, 1],
    ['over its time and tried too often', 'otp_no_longer_valid', { attempts: 5 }, MINUTES_10],
  ])('not %s: %s', (_name, code, otp, at) => {
    expect(() => submit(otp, after(at))).toThrow(code)
  })

  test('up to the last millisecond', () => {
    expect(() => submit({}, after(MINUTES_10 - 1))).not.toThrow()
  })
})
