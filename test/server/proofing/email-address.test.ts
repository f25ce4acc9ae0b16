import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_EMAIL_BYTES, parseEmailAddress } from '../../../server/proofing/email-address.ts'

describe('an e-mail address', () => {
  test.each([
    ['anna@mail.example', 'anna@mail.example'],
    ['Anna.Maria+visa@MAIL.Example', 'Anna.Maria+visa@mail.example'],
    ["o'neil_{x}@mail.example", "o'neil_{x}@mail.example"],
    ['anna@a-b.c1.example', 'anna@a-b.c1.example'],
    // An internationalized domain goes out in its ASCII form.
    ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
    ['anna@例え.example', 'anna@xn--r8jz45g.example'],
    [`${'a'.repeat(64)}@mail.example`, `${'a'.repeat(64)}@mail.example`],
  ])('%s is taken as %s', (typed, address) => {
    expect(parseEmailAddress(typed)).toBe(address)
  })

  test.each([
    ['nothing', ''],
    ['no @', 'anna'],
    ['no local part', '@mail.example'],
    ['no domain', 'anna@'],
    ['two @', 'anna@evil.example@mail.example'],
    ['a line break that would begin a header', 'anna@mail.example\r\nBcc: eve@evil.example'],
    ['a line break before the @', 'anna\nRCPT TO:<eve@evil.example>@mail.example'],
    ['a NUL', 'anna\0@mail.example'],
    ['a display name', 'Anna <anna@mail.example>'],
    ['angle brackets', '<anna@mail.example>'],
    ['a list', 'anna@mail.example,eve@evil.example'],
    ['a group', 'all:anna@mail.example;'],
    ['a comment', 'anna(eve@evil.example)@mail.example'],
    ['a quoted local part', '"anna eve"@mail.example'],
    ['a source route', '@evil.example:anna@mail.example'],
    ['a space', 'anna @mail.example'],
    ['a dot at the end of the local part', 'anna.@mail.example'],
    ['two dots', 'an..na@mail.example'],
    ['letters of another script in the local part', 'аnna@mail.example'],
    ['a character that turns the direction', 'anna\u202e@mail.example'],
    ['a domain of one label', 'anna@localhost'],
    ['an address of the network', 'anna@127.0.0.1'],
    ['an address of the network in brackets', 'anna@[127.0.0.1]'],
    ['a number that is an address of the network', 'anna@0x7f.1'],
    ['a dot at the end of the domain', 'anna@mail.example.'],
    ['an empty label', 'anna@mail..example'],
    ['a hyphen at the end of a label', 'anna@mail-.example'],
    ['a percent sign in the domain', 'anna@mail%2eexample.org'],
    ['an underscore in the domain', 'anna@ma_il.example'],
    ['a port', 'anna@mail.example:25'],
    ['a broken A-label', 'anna@xn--\u00e9.example'],
    ['a local part of 65 octets', `${'a'.repeat(65)}@mail.example`],
    ['a label of 64 octets', `anna@${'a'.repeat(64)}.example`],
    ['255 octets', `a@${`${'a'.repeat(60)}.`.repeat(4)}${'b'.repeat(9)}`],
    ['letters that grow beyond 254 octets as A-labels', `a@${`${'ü'.repeat(55)}.`.repeat(4)}example`],
  ])('with %s is refused', (_name, typed) => {
    expect(parseEmailAddress(typed)).toBeNull()
  })

  test('that is taken has at most 254 octets of printable ASCII, no bracket or quote, and is taken again as it is', () => {
    const parts = fc.string({ unit: fc.constantFrom(...'ab.@-"<> \r\n,;:()[]\\%ü\u202e0') })
    fc.assert(
      fc.property(
        fc.oneof(
          parts,
          parts.map((text) => `a${text}@mail.example`),
          fc.emailAddress(),
        ),
        (typed) => {
          const address = parseEmailAddress(typed)
          if (address === null) return
          expect(address).toMatch(/^[!-~]+$/)
          expect(address).not.toMatch(/["<>(),:;[\\\]]/)
          expect(address.length).toBeLessThanOrEqual(MAX_EMAIL_BYTES)
          expect(parseEmailAddress(address)).toBe(address)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('of a megabyte is refused at once', () => {
    const startedAt = performance.now()
    for (const text of ['a.'.repeat(500_000), `a@${'a-'.repeat(500_000)}`, '@'.repeat(1_000_000)])
      expect(parseEmailAddress(text)).toBeNull()
    expect(performance.now() - startedAt).toBeLessThan(100)
  })
})
