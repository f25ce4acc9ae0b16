import { expect, test } from 'vitest'
import { endWithin, NeverEnded } from '../../../../server/tools/mutation/end-within.ts'

const never = () => new Promise<void>(() => undefined)

test('what waits for ever is given up', async () => {
  await expect(endWithin(never(), 5)).rejects.toThrow(NeverEnded)
})

test('what ends in time passes or fails by itself', async () => {
  await endWithin(Promise.resolve(), 5)
  await endWithin(Promise.resolve(), Infinity)
  await expect(endWithin(Promise.reject(new TypeError('its own')), 5)).rejects.toThrow('its own')
})
