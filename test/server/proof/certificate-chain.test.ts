/** The rules of a chain by themselves, on certificates that say what a case needs; real ones are in verify-long-term. */
import { describe, expect, test } from 'vitest'
import type { Certificate } from '../../../server/proof/verify/certificate.ts'
import { findChainFault, maySign, maySignProofs } from '../../../server/proof/verify/certificate-chain.ts'

const FROM = new Date('2026-01-01T00:00:00.000Z')
const TO = new Date('2026-12-31T23:59:59.000Z')
const MIDDLE = new Date('2026-06-15T12:00:00.000Z')
const SHA256_WITH_RSA = '1.2.840.113549.1.1.11'

type Changes = Partial<Omit<Certificate, 'x509'>> & { readonly bits?: number; readonly keyType?: string }

/** `issuer`: the name of the one that has signed it. */
function certificate(name: string, issuer: string, changes: Changes = {}): Certificate {
  const { bits = 2048, keyType = 'rsa', ...fields } = changes
  const x509 = {
    raw: Buffer.from(name),
    publicKey: { name, asymmetricKeyType: keyType, asymmetricKeyDetails: { modulusLength: bits } },
    checkIssued: (other: { raw: Buffer }) => other.raw.toString() === issuer,
    verify: (key: { name: string }) => key.name === issuer,
  } as unknown as Certificate['x509']
  return {
    x509,
    validFrom: FROM,
    validTo: TO,
    isAuthority: false,
    pathLength: null,
    keyUsage: null,
    purposes: null,
    unknownCritical: [],
    signedWith: SHA256_WITH_RSA,
    ...fields,
  }
}
const authority = (name: string, issuer: string, changes: Changes = {}) =>
  certificate(name, issuer, { isAuthority: true, ...changes })

const ROOT = authority('root', 'root')
const LEAF = certificate('leaf', 'root')
const faultOf = (chain: readonly Certificate[], anchors: readonly Certificate[] = [ROOT], at = MIDDLE) =>
  findChainFault(chain, anchors, at, 'the certificate of the key')

describe('a chain of certificates', () => {
  test('holds below the anchor, and with the anchor at its end', () => {
    expect(faultOf([LEAF])).toBeNull()
    expect(faultOf([LEAF, ROOT])).toBeNull()
  })

  test('is none without a certificate', () => {
    expect(faultOf([])).toEqual({
      kind: 'invalid',
      message: 'There is no certificate that could be the certificate of the key.',
    })
  })

  test('has ten certificates at most', () => {
    const chainOf = (length: number) =>
      Array.from({ length }, (_, index) =>
        index === 0 ? certificate('c0', 'c1') : authority(`c${index}`, `c${index + 1}`),
      )
    expect(faultOf(chainOf(10), [authority('c10', 'c10')])).toBeNull()
    expect(faultOf(chainOf(11), [authority('c11', 'c11')])).toEqual({
      kind: 'invalid',
      message: 'The chain has 11 certificates.',
    })
  })

  test('is valid from the first moment of each certificate to its last', () => {
    const at = (date: Date, ms: number) => faultOf([LEAF], [ROOT], new Date(date.getTime() + ms))
    expect([at(FROM, 0), at(TO, 0)]).toEqual([null, null])
    expect(at(FROM, -1)?.message).toBe(
      'The certificate of the key was not valid at 2025-12-31T23:59:59.999Z, ' +
        'but from 2026-01-01T00:00:00.000Z to 2026-12-31T23:59:59.000Z.',
    )
    expect(at(TO, 1)?.kind).toBe('invalid')
  })

  test('is untrusted unless it ends at an anchor', () => {
    expect(faultOf([LEAF], [authority('other', 'other')])).toEqual({
      kind: 'untrusted',
      message: 'The chain above the certificate of the key ends at no CA certificate that was given.',
    })
    expect(faultOf([LEAF], [])?.kind).toBe('untrusted')
  })

  test('holds by one good anchor beside one that has expired', () => {
    const expired = authority('root', 'root', { validTo: new Date('2026-02-01T00:00:00Z') })
    expect(faultOf([LEAF], [expired, ROOT])).toBeNull()
    expect(faultOf([LEAF], [expired])?.message).toContain('The CA certificate given for the certificate')
  })

  test('is broken where a certificate was issued by another than the next', () => {
    const stranger = authority('stranger', 'root')
    expect(faultOf([LEAF, stranger])?.message).toBe(
      'The chain is broken: the certificate of the key was not issued by the next certificate.',
    )
  })

  test('is no longer than an authority allows: none below, one below', () => {
    const middle = authority('middle', 'root')
    const leaf = certificate('leaf', 'middle')
    const allowing = (pathLength: number) => authority('root', 'root', { pathLength })
    expect(faultOf([LEAF], [allowing(0)])).toBeNull()
    expect(faultOf([LEAF, allowing(0)], [allowing(0)])).toBeNull()
    for (const chain of [
      [leaf, middle],
      [leaf, middle, allowing(0)],
    ]) {
      expect(faultOf(chain, [allowing(0)])?.message).toContain('allows no chain of this length.')
    }
    expect(faultOf([leaf, middle], [allowing(1)])).toBeNull()
    expect(faultOf([leaf, middle, allowing(1)], [allowing(1)])).toBeNull()
  })

  test('goes through authorities alone, whose keys may sign certificates', () => {
    const noAuthority = certificate('root', 'root')
    const onlySigns = authority('root', 'root', { keyUsage: 0x80 })
    for (const anchor of [noAuthority, onlySigns]) {
      expect(faultOf([LEAF], [anchor])?.message).toContain('must not issue certificates.')
      expect(faultOf([LEAF, anchor], [anchor])?.message).toBe(
        'CA certificate 1 above the certificate of the key must not issue certificates.',
      )
    }
    expect(faultOf([LEAF], [authority('root', 'root', { keyUsage: 0x06 })])).toBeNull()
  })

  test.each([
    [
      'a weak algorithm',
      { signedWith: '1.2.840.113549.1.1.5' },
      'is signed with an algorithm that is too weak',
    ],
    ['a short key', { bits: 2047 }, 'has too short a key.'],
    ['a critical extension', { unknownCritical: ['2.5.29.30'] }, 'that is not understood (2.5.29.30).'],
  ])('is refused for %s', (_, changes, sentence) => {
    expect(faultOf([certificate('leaf', 'root', changes)])?.message).toContain(sentence)
  })

  test('is refused where a key makes no signatures', () => {
    const throwing = certificate('leaf', 'root')
    Object.assign(throwing.x509, {
      verify: () => {
        throw new Error('operation not supported for this keytype')
      },
    })
    expect(faultOf([throwing, ROOT])?.message).toContain('was not issued by the next certificate')
  })
})

describe('a certificate', () => {
  test.each([
    [null, true],
    [0x80, true],
    [0x40, true],
    [0x04, false],
    [0, false],
  ])('with the key usage %j may sign: %s', (keyUsage, may) => {
    expect(maySign(certificate('leaf', 'root', { keyUsage }))).toBe(may)
    expect(maySign(authority('leaf', 'root', { keyUsage }))).toBe(false)
  })

  test.each([
    ['for anything', null, true],
    ['for documents', ['1.3.6.1.5.5.7.3.36'], true],
    ['for e-mail beside the web', ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.4'], true],
    ['for the web alone', ['1.3.6.1.5.5.7.3.1'], false],
    ['for time stamps alone', ['1.3.6.1.5.5.7.3.8'], false],
  ])('%s may sign proofs where its key is RSA: %j %s', (_, oids, may) => {
    const purposes = oids && { oids, critical: true }
    expect(maySignProofs(certificate('leaf', 'root', { purposes }))).toBe(may)
    expect(maySignProofs(certificate('leaf', 'root', { purposes, keyType: 'ec' }))).toBe(false)
    expect(maySignProofs(certificate('leaf', 'root', { purposes, keyUsage: 0x04 }))).toBe(false)
  })
})
