/** Which passwords are taken, and the codes that people type. Pure but for the slow hash. */
import { scryptSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  normaliseCode,
  toDigits,
  createCode,
  createTotpSecret,
  totpStep,
} from '../../../server/counter/staff/codes.ts'
import { addFailure } from '../../../server/counter/staff/lock-out.ts'
import {
  hashPassword,
  isOutdated,
  passwordFault,
  passwordFits,
} from '../../../server/counter/staff/passwords.ts'

/** Repetitions of the same work, so that one of them is undisturbed. */
const ROUNDS = 4

describe('a password', () => {
  test.each([
    ['elf chars!', 'TOO_SHORT'],
    ['x1'.repeat(65), 'TOO_LONG'],
    ['ada-and-her-engine', 'HOLDS_LOGIN'],
    ['Password2026!!', 'COMMON'],
    ['p4$$w0rd19640705', 'COMMON'],
    ['qwertyuiopasd', 'COMMON'],
    ['123456789012', 'COMMON'],
    ['098765432109', 'COMMON'],
    ['aaaaaaaabbbbbbbb', 'COMMON'],
    ['welcome-summer-2026', 'COMMON'],
  ])('%s is refused as %s', (password, fault) => {
    expect(passwordFault(password, 'ada')).toBe(fault)
  })

  test.each([
    'nine quiet herons at dusk',
    '493027561938',
    'пароль из четырёх слов',
    'كلمة سر طويلة جدا',
    '🦉🦉 two owls 🦉🦉',
    'tr7#Kq9!zPw2',
  ])('%s is taken: no kind of character is asked for', (password) => {
    expect(passwordFault(password, 'ada')).toBeNull()
  })

  test('is the same from another keyboard, and another with one letter changed', async () => {
    const kept = await hashPassword('caf\u00e9 au bord du canal')
    expect(await passwordFits('cafe\u0301 au bord du canal', kept)).toBe(true)
    expect(await passwordFits('cafe au bord du canal', kept)).toBe(false)
    expect(isOutdated(kept)).toBe(false)
    expect(isOutdated(kept.replace('$16$', '$15$'))).toBe(true)
    expect(kept).not.toContain('canal')
  })

  test('is not waited for without end: many at once are told to come again', async () => {
    // Parameters of a cheaper time: the queue is what is looked at.
    const salt = Buffer.alloc(16, 7)
    const hash = scryptSync('nine quiet herons at dusk', salt, 32, { N: 1024, r: 8, p: 1 })
    const kept = ['scrypt', 10, 8, 1, salt.toString('base64url'), hash.toString('base64url')].join('$')
    const answers = await Promise.allSettled(Array.from({ length: 34 }, () => passwordFits('x', kept)))
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    expect(await passwordFits('nine quiet herons at dusk', kept)).toBe(true)
  })

  test('fits no account that is not there, though the same work is done', async () => {
    const kept = await hashPassword('nine quiet herons at dusk')
    const workOf = async (encoded: string | null): Promise<number> => {
      const before = process.cpuUsage()
      expect(await passwordFits('seven brass lanterns', encoded)).toBe(false)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    // The processor's time, the least of several: what else the machine does only ever adds to it.
    const least = { none: Infinity, kept: Infinity }
    for (let round = 0; round < ROUNDS; round++) {
      least.none = Math.min(least.none, await workOf(null))
      least.kept = Math.min(least.kept, await workOf(kept))
    }
    const ratio = least.none / least.kept
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })
})

describe('a typed code', () => {
  test('is read however it is typed', () => {
    fc.assert(
      fc.property(fc.constantFrom(' ', '-', '', '\t'), fc.boolean(), (gap, isSmall) => {
        const code = createCode()
        const typed = [...code.replaceAll('-', '')].join(gap)
        expect(normaliseCode(isSmall ? typed.toLowerCase() : typed)).toBe(code)
        expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
      }),
    )
  })

  test('of an app is six digits of any one script', () => {
    expect(toDigits('123 456')).toBe('123456')
    expect(toDigits('٠١٢٣٤٥')).toBe('012345')
    expect(toDigits('۶۷۸-۹۰۱')).toBe('678901')
    expect(toDigits('१२३४५६')).toBe('123456')
    for (const other of ['12345', '1234567', 'ABCDEF', '', '½½½½½½']) expect(toDigits(other)).toBeNull()
  })

  test('of an app is none that was guessed, but for one in a million', () => {
    const secret = createTotpSecret()
    const at = new Date('2026-11-21T10:00:00Z')
    const right = Array.from({ length: 1_000_0 }, (_, n) => String(n).padStart(6, '0')).filter(
      (code) => totpStep(secret, code, at) !== null,
    )
    expect(right.length).toBeLessThanOrEqual(3)
    expect(totpStep(secret, 'abc', at)).toBeNull()
  })
})

test('no order of wrong answers makes a lock shorter than the one before', () => {
  const limits = {
    attempts: 5,
    firstPauseMs: 1000,
    lockMs: 900_000,
    maxLockMs: 14_400_000,
    forgottenAfterMs: 30 * 86_400_000,
  }
  let now = new Date('2026-11-21T10:00:00Z')
  let attempts = {
    failures: 0,
    rounds: 0,
    total: 0,
    blockedUntil: new Date(0),
    lastAt: now,
  }
  const locks: number[] = []
  for (let tries = 0; tries < 60; tries += 1) {
    attempts = addFailure(attempts, now, limits)
    if (attempts.failures === 0) locks.push(attempts.blockedUntil.getTime() - now.getTime())
    now = new Date(Math.max(attempts.blockedUntil.getTime(), now.getTime() + 1))
  }
  expect(locks.slice(0, 3)).toEqual([900_000, 1_800_000, 3_600_000])
  expect(locks).toEqual([...locks].sort((a, b) => a - b))
  expect(Math.max(...locks)).toBe(14_400_000)
})
