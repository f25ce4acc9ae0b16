/** The reading after the start, whose result is dropped. */
import { expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { warmUp } from '../../../server/verification/warm-up.ts'
import type { DocumentMeasurement, SideReading } from '../../../server/vision/protocol.ts'

const side = { outline: null, rotationDeg: 90, portrait: null, mrz: null } as unknown as DocumentMeasurement

test('the drawn document is measured and read as a document of a visitor is', async () => {
  const calls: string[] = []
  const vision = {
    measureDocument: async ({ image }: { readonly image: Uint8Array }) => {
      calls.push(`measured ${Buffer.from(image).subarray(0, 3).toString('hex')}`)
      return side
    },
    readSide: async ({ rotationDeg }: { readonly rotationDeg: number | null }) => {
      calls.push(`read, turned by ${rotationDeg}`)
      return {} as SideReading
    },
  }
  await warmUp(vision, Uint8Array.of(0xff, 0xd8, 0xff))
  expect(calls).toEqual(['measured ffd8ff', 'read, turned by 90'])
})

test('a worker that is stopped meanwhile is no fault of the start', async () => {
  const stopped = () => Promise.reject(new AppError('shutting_down'))
  await expect(
    warmUp({ measureDocument: stopped, readSide: stopped }, new Uint8Array()),
  ).resolves.toBeUndefined()
})
