/** The checks of a workflow before it accepts input: a component's session, a service's callback. */
import { describe, expect, test } from 'vitest'
import {
  toComponentAuthor,
  requireUsableSession,
} from '../../../server/workflows/capture/capture-sessions.ts'
import { takeAdjudicationAnswer } from '../../../server/workflows/adjudication/take-adjudication.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

describe('a capture session', () => {
  const session = {
    state: 'OPEN',
    identityId: 'identity',
    evidenceId: 'evidence',
    expiresAt: new Date(NOW.getTime() + 1),
  }
  const evidence = { status: 'PROCESSING', deletedAt: null }
  const identity = { id: 'identity' }
  const use = (over: { session?: object | null; identity?: null; evidence?: object | null } = {}) => {
    const found = <T>(all: object, name: string, one: T) => (Object.hasOwn(all, name) ? null : one)
    const store = {
      captureSessions: { find: () => (over.session === null ? null : { ...session, ...over.session }) },
      identities: { find: () => found(over, 'identity', identity) },
      evidences: { find: () => (over.evidence === null ? null : { ...evidence, ...over.evidence }) },
    }
    return () => requireUsableSession({ store, clock: { now: () => NOW } } as never, 'session')
  }

  test('is used while it is open, in time, and its evidence waits for it', () => {
    expect(use()()).toEqual({ session, identity, evidence })
  })

  test.each<[string, Parameters<typeof use>[0]]>([
    ['never was', { session: null }],
    ['has ended', { session: { state: 'USED' } }],
    ['is out of time', { session: { expiresAt: NOW } }],
    ['is of an identity that was erased', { identity: null }],
    ['is of no evidence', { evidence: null }],
    ['is of evidence that was withdrawn', { evidence: { deletedAt: NOW } }],
    ['is of evidence that is decided', { evidence: { status: 'VERIFIED' } }],
  ])('that %s is not found', (_, over) => {
    expect(use(over)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  test('acts for the application that opened the identity', () => {
    expect(toComponentAuthor({ applicationId: 'shop' } as never)).toEqual({ actor: 'USER_AGENT:shop' })
  })
})

describe('a callback of the adjudication service', () => {
  const take = (
    isSignedAnswer: ((...given: unknown[]) => boolean) | null,
    id: string | undefined,
    body: string,
  ) => {
    let wakes = 0
    const ctx = { adjudication: { isSignedAnswer }, wakeJobs: () => void wakes++ }
    const headers = { id, timestamp: '1', signature: 'v1,a' }
    return takeAdjudicationAnswer(ctx as never, headers, Buffer.from(body)).then(() => wakes)
  }
  const UNKNOWN = '{"type":"adjudication.renamed"}'

  test('is refused where there is no service, without a signature of it, and without an id', async () => {
    await expect(take(null, 'msg', UNKNOWN)).rejects.toMatchObject({ code: 'callback_refused' })
    await expect(take(() => false, 'msg', UNKNOWN)).rejects.toMatchObject({ code: 'callback_refused' })
    await expect(take(() => true, undefined, UNKNOWN)).rejects.toMatchObject({ code: 'callback_refused' })
  })

  test('of a kind that this version does not know changes nothing', async () => {
    expect(await take(() => true, 'msg', UNKNOWN)).toBe(0)
  })

  test.each(['', '[]', '{"type":1}', '{"type":"adjudication.answered"}'])(
    'with the body %j is refused',
    async (body) => {
      await expect(take(() => true, 'msg', body)).rejects.toMatchObject({ code: 'malformed_body' })
    },
  )
})
