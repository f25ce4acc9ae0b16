/** The connection to an engine's HTTP service: its limits, and what a failure tells. On a real socket. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEngineService } from '../../../server/connectors/engines/engine-service.ts'
import type { ServiceSettings } from '../../../server/connectors/service/http-service.ts'
import { answerJson, startToyService, type ToyService } from '../../support/toy-engines.ts'

const SETTINGS = { token: 'top-secret', authorities: null, timeoutMs: 400 }

let service: ToyService
beforeAll(async () => void (service = await startToyService()))
afterAll(() => service.close())

async function ask(over: Partial<ServiceSettings> = {}, body?: unknown) {
  const client = openEngineService({ url: service.url, ...SETTINGS, ...over })
  try {
    return await client.ask('/v1/engine', body)
  } finally {
    await client.close()
  }
}

test('a call carries the token, and its answer is passed on', async () => {
  service.say(answerJson({ any: 1 }))
  expect(await ask()).toEqual({ kind: 'answered', json: { any: 1 } })
  expect(service.requests.at(-1)).toMatchObject({ path: '/v1/engine', authorization: 'Bearer top-secret' })
  await ask({ token: null }, { probe: 'x' })
  expect(service.requests.at(-1)).toMatchObject({ authorization: undefined, body: '{"probe":"x"}' })
})

test('a wrong answer is not asked for again', async () => {
  const triesAt = async (how: Parameters<ToyService['say']>[0]) => {
    const before = service.requests.length
    service.say(how)
    const answer = await ask()
    return [answer.kind === 'failed' && answer.trouble, service.requests.length - before]
  }
  expect(await triesAt(answerJson({}, 404))).toEqual(['unexpected-answer', 1])
  expect(await triesAt(answerJson({}, 307, { location: service.url }))).toEqual(['unexpected-answer', 1])
  expect(await triesAt((response) => void response.end('{'))).toEqual(['unexpected-answer', 1])
  expect(await triesAt((response) => void response.write('{"slow":'))).toEqual(['timeout', 1])
})
