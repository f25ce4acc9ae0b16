import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWatchdog } from '../../../server/launch/watchdog.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function underSystemd(env: NodeJS.ProcessEnv) {
  const told: string[] = []
  const state = { alive: true }
  const watchdog = startWatchdog('http://127.0.0.1:8717/kiosk/', {
    env,
    notify: (word) => told.push(word),
    isAlive: async () => state.alive,
  })
  return { watchdog, told, state }
}

test('systemd is told that the server is ready, and thrice in its time that it answers', async () => {
  const { watchdog, told, state } = underSystemd({ NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000000' })
  expect(told).toEqual(['READY=1'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1'])
  state.alive = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toHaveLength(4)
  watchdog.stop()
  state.alive = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told.at(-1)).toBe('STOPPING=1')
})

test('without systemd nothing is told', async () => {
  const { watchdog, told } = underSystemd({ WATCHDOG_USEC: '60000000' })
  await vi.advanceTimersByTimeAsync(60_000)
  watchdog.stop()
  expect(told).toEqual([])
})
