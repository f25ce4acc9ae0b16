import { describe, expect, test } from 'vitest'
import { ROUTES, ROUTE_LIST } from '../../../server/api/routes.ts'
import { BACK_END_KEY, IDENTITY_ID, USER_AGENT_KEY, startApi } from './support.ts'

const portrait = `/v1/identities/${IDENTITY_ID}/attributes/portrait`

describe('the old name of the portrait capture session', () => {
  test.each([BACK_END_KEY, USER_AGENT_KEY])(
    'works as the new one and says what to call instead (%s)',
    async (key) => {
      await using api = await startApi()
      const sent = { key, json: { type: 'LIVENESS_HIGH', nbChallenge: 3 } }
      const old = await api.send('POST', `${portrait}/live-capture-session?mode=nativeSDK`, sent)
      const present = await api.send('POST', `${portrait}/capture-session?mode=nativeSDK`, sent)
      expect([old.status, old.text]).toEqual([present.status, present.text])
      const [first, second] = api.calls.map(({ name, args }) => [name, args.slice(1)])
      expect(first).toEqual(second)
      // RFC 9745: the moment as a structured-field date; RFC 8288 and RFC 5829: the link.
      expect(old.headers.deprecation).toBe(`@${Date.parse('2026-01-01T00:00:00Z') / 1000}`)
      expect(old.headers.link).toBe(`<${portrait}/capture-session>; rel="successor-version"`)
    },
  )

  test('says so in its refusals too', async () => {
    await using api = await startApi()
    const refused = await api.send('POST', `${portrait}/live-capture-session`, { json: { nbChallenge: 9 } })
    expect([refused.status, refused.headers.deprecation]).toEqual([400, '@1767225600'])
  })

  test('cannot be made to link elsewhere', async () => {
    await using api = await startApi()
    const odd = encodeURIComponent('x>; rel="evil", <https://attacker.example')
    const refused = await api.send('POST', `/v1/identities/${odd}/attributes/portrait/live-capture-session`)
    expect(refused.status).toBe(404)
    expect(refused.headers.link).toBe(
      `</v1/identities/${odd}/attributes/portrait/capture-session>; rel="successor-version"`,
    )
  })

  test('is the only thing that is deprecated', async () => {
    const deprecated = ROUTE_LIST.filter((route) => route.deprecated)
    expect(deprecated.map(({ operation }) => operation)).toEqual(['openPortraitSessionByOldName'])
    expect(deprecated[0]?.deprecated?.successor).toBe(ROUTES.openPortraitSession.path)
    await using api = await startApi()
    const { headers } = await api.send('POST', `${portrait}/capture-session`)
    expect(headers).not.toHaveProperty('deprecation')
    expect(headers).not.toHaveProperty('link')
  })
})
