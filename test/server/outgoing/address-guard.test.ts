/** Which addresses are on the internet, and that a name is judged by all it points to. */
import type { LookupAddress } from 'node:dns'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardedLookup, isPublicAddress } from '../../../server/outgoing/address-guard.ts'
import { pauseMs, scheduledPauseMs, STANDARD_SCHEDULE_MS } from '../../../server/outgoing/back-off.ts'

test.each([
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255',
  '172.32.0.1',
  '2606:4700::1111',
  '2a00:1450:4001::1',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

test.each([
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a00:1',
    '::127.0.0.1',
    '::7f00:1',
    'fe80::1%eth0',
  ],
  ...[
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '::ffff:0:7f00:1',
    '2002:7f00:1::',
    '2001:0:1::1',
    'fec0::1',
  ],
  ...['', 'localhost', '1.2.3', '1.2.3.4.5', '999.1.1.1'],
])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))

test('an IPv4 address hidden in IPv6 counts as itself', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address))
    }),
  )
})

test.each([
  [['1.1.1.1'], true],
  [['10.0.0.1'], false],
  [['1.1.1.1', '10.0.0.1'], false],
  [['2606:4700::1111', '::1'], false],
  [[], false],
])('a name that points to %j is let through: %s', async (addresses, isAllowed) => {
  const resolve = ((_: string, __: unknown, done: (error: null, found: LookupAddress[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as never
  const look = guardedLookup({ allowHttp: false, allowPrivateAddresses: false }, resolve)
  for (const all of [true, false]) {
    const [error, found] = await new Promise<[NodeJS.ErrnoException | null, string | LookupAddress[]]>(
      (done) => look('hooks.bank.example', { all }, (...answer) => done([answer[0], answer[1]])),
    )
    expect(error?.code ?? null).toBe(isAllowed ? null : 'ADDRESS_REFUSED')
    if (!isAllowed) expect(found).toEqual([])
  }
})

test('pauses double, with chance on both sides, up to three hours', () => {
  const at = (attempts: number) =>
    [0, 0.5, 1].map((random) => pauseMs(attempts, { firstPauseMs: 5_000 }, random))
  expect([at(1), at(2), at(5), at(40)]).toEqual([
    [2_500, 5_000, 7_500],
    [5_000, 10_000, 15_000],
    [40_000, 80_000, 120_000],
    [5_400_000, 10_800_000, 16_200_000],
  ])
})

test('the schedule takes a day, by chance a fifth more or less, and ends after ten tries', () => {
  const totalBy = (random: number) =>
    STANDARD_SCHEDULE_MS.reduce(
      (sum, _, at) => sum + (scheduledPauseMs(STANDARD_SCHEDULE_MS, at + 1, random) ?? 0),
      0,
    )
  const day = 24 * 3_600_000
  expect([totalBy(0), totalBy(0.5), totalBy(1)]).toEqual([day * 0.8, day, day * 1.2])
  const pauses = Array.from({ length: 10 }, (_, at) => scheduledPauseMs(STANDARD_SCHEDULE_MS, at + 1, 0.5))
  expect(pauses.slice(0, 3)).toEqual([5_000, 295_000, 1_500_000])
  expect(pauses[9]).toBeNull()
})
