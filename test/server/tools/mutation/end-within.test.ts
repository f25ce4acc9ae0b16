import { expect, test } from 'vitest'
import { endWithin, NeverEnded } from '../../../../server/tools/mutation/end-within.ts'

const never = () => new Promise<void>(() => undefined)

test('a promise that never settles is given up', async () => {
  await expect(endWithin(never(), 5)).rejects.toThrow(NeverEnded)
})

test('a promise that settles in time keeps its result', async () => {
  await endWithin(Promise.resolve(), 5)
  await endWithin(Promise.resolve(), Infinity)
  await expect(endWithin(Promise.reject(new TypeError('its own')), 5)).rejects.toThrow('its own')
})
