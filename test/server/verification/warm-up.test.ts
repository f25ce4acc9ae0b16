/** The reading after the start, whose result is dropped. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { warmUpWhenIdle } from '../../../server/verification/warm-up.ts'
import type { DocumentMeasurement, SideReading, Vision } from '../../../server/vision/protocol.ts'

const side = { outline: null, rotationDeg: 90, portrait: null, mrz: null } as unknown as DocumentMeasurement
const IMAGE = Uint8Array.of(0xff, 0xd8, 0xff)
const LONG_MS = 60_000

let calls: string[]
const vision = {
  measureDocument: async ({ image }: { readonly image: Uint8Array }) => {
    calls.push(`measured ${Buffer.from(image).subarray(0, 3).toString('hex')}`)
    return side
  },
  readSide: async ({ rotationDeg }: { readonly rotationDeg: number | null }) => {
    calls.push(`read, turned by ${rotationDeg}`)
    return {} as SideReading
  },
  close: async () => void calls.push('closed'),
} as unknown as Vision

beforeEach(() => {
  calls = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

test('an appliance without a visitor measures and reads the drawn document once, as that of a visitor', async () => {
  warmUpWhenIdle(vision, () => IMAGE)
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(calls).toEqual(['measured ffd8ff', 'read, turned by 90'])
})

test('the document of a visitor who comes first takes the place of the drawn one', async () => {
  const warmed = warmUpWhenIdle(vision, () => IMAGE)
  await warmed.measureDocument({ image: Uint8Array.of(0x89, 0x50, 0x4e) })
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(calls).toEqual(['measured 89504e'])
})

test('an appliance that is stopped meanwhile reads nothing, and a worker that is gone is no fault', async () => {
  await warmUpWhenIdle(vision, () => IMAGE).close()
  const stopped = () => Promise.reject(new AppError('shutting_down'))
  warmUpWhenIdle({ ...vision, measureDocument: stopped }, () => IMAGE)
  await vi.advanceTimersByTimeAsync(LONG_MS)
  expect(calls).toEqual(['closed'])
})
