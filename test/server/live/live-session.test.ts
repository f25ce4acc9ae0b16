import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { LiveSession, MAX_KEPT_BYTES } from '../../../server/live/live-session.ts'
import { createLiveSessions } from '../../../server/live/live-sessions.ts'
import { beginChallenge } from '../../../server/proofing/liveness/session.ts'
import { loadLivenessLimits } from '../../../server/verification/liveness-limits.ts'

const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const settings = { mode: 'webSDK', livenessType: 'LIVENESS_PASSIVE', securityLevel: 'MEDIUM' } as const

function aSession(sessionId = 'session', identityId = 'identity'): LiveSession {
  const challenge = beginChallenge(settings, () => 0, loadLivenessLimits())
  return new LiveSession({ sessionId, identityId, key, challenge, nowMs: 1000 })
}

describe('a portrait session in memory', () => {
  test('gives another number and ticket once a picture has had its turn', () => {
    const session = aSession()
    const first = session.due
    expect(first.sequence).toBe(1)
    session.take('digest')
    expect(session.due.sequence).toBe(2)
    expect(session.due.ticket).not.toBe(first.ticket)
    expect(session.sinceBegin(1500)).toBe(500)
  })

  test('counts how long the appliance took for its answers, and not how long the client took', () => {
    const session = aSession()
    session.ask(1000)
    expect(session.ownMs).toBe(0)
    session.receive(1300)
    session.ask(1420)
    expect(session.ownMs).toBe(120)
    session.receive(1500)
    expect(session.ownMs).toBe(120)
    session.ask(1530)
    expect(session.ownMs).toBe(150)
  })

  test('forgets a picture that its challenge does not need, and has no room for more than its share', () => {
    const session = aSession()
    session.keep(1, { image: new Uint8Array(10), points: new Float32Array(3) })
    expect(() => session.frame(1)).toThrow(TypeError)
    expect(session.hasRoomFor(MAX_KEPT_BYTES)).toBe(true)
    expect(session.hasRoomFor(MAX_KEPT_BYTES + 1)).toBe(false)
  })

  test('names each model once', () => {
    const session = aSession()
    const model = { id: 'mesh', version: '1', sha256: 'aa' }
    session.noteModels([model, model])
    session.noteModels([model, { ...model, id: 'other' }])
    expect(session.models.map(({ id }) => id)).toEqual(['mesh', 'other'])
  })
})

describe('the sessions that run', () => {
  test('are found until they are forgotten, alone or with their identity; their points are wiped', () => {
    const sessions = createLiveSessions()
    const [one, two, other] = [aSession('1', 'a'), aSession('2', 'a'), aSession('3', 'b')]
    for (const session of [one, two, other]) sessions.add(session)
    one.lastPoints = new Float32Array([1, 2])
    const points = one.lastPoints
    sessions.forget('1')
    expect([sessions.find('1'), sessions.find('2')]).toEqual([null, two])
    expect([...points]).toEqual([0, 0])
    sessions.forgetIdentity('a')
    expect([sessions.find('2'), sessions.find('3')]).toEqual([null, other])
    sessions.clear()
    expect(sessions.find('3')).toBeNull()
  })

  test('are busy one by one, and four at a time', () => {
    const sessions = createLiveSessions()
    const all = Array.from({ length: 5 }, (_, id) => aSession(String(id)))
    for (const session of all) sessions.add(session)
    const [first, second, third, fourth, fifth] = all
    first.isBusy = true
    expect([first, second].map((session) => sessions.isBusy(session))).toEqual([true, false])
    for (const session of [second, third, fourth]) session.isBusy = true
    expect(sessions.isBusy(fifth)).toBe(true)
    first.isBusy = false
    expect(sessions.isBusy(fifth)).toBe(false)
  })

  test('are sixteen at most', () => {
    const sessions = createLiveSessions()
    for (let id = 0; id < 16; id++) sessions.add(aSession(String(id)))
    expect(sessions.hasRoom()).toBe(false)
    sessions.forget('0')
    expect(sessions.hasRoom()).toBe(true)
  })
})
