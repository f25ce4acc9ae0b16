import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readManifest } from '../../../server/vision/manifest.ts'
import { openNetworkApart } from '../../../server/vision/network-apart.ts'
import { openNetwork } from '../../../server/vision/network.ts'
import { defaultModelsDir, locateModel } from '../../../server/vision/packs.ts'

const MEMORY = { enableCpuMemArena: false }
const SIZE = [1, 1, 32, 64]

/** Our own network for lines of a machine-readable zone. */
function lineNetwork(): Buffer {
  const entry = readManifest().models.find(({ role }) => role === 'mrz-recogniser')
  if (!entry) throw new TypeError('the core pack has such a network')
  return readFileSync(locateModel(entry, defaultModelsDir()))
}

const aLine = (): Float32Array =>
  Float32Array.from({ length: 32 * 64 }, (_, i) => Math.sin(i / 7) * Math.cos(i / 31))

test('a network answers on the other thread as on this one, also when asked three times at once', async () => {
  const here = await openNetwork(lineNetwork(), MEMORY)
  const apart = await openNetworkApart(lineNetwork(), MEMORY)
  expect(apart.outputNames).toEqual(here.outputNames)
  const expected = await here.run(aLine(), SIZE)
  const answers = await Promise.all([1, 2, 3].map(() => apart.run(aLine(), SIZE)))
  expect(answers).toEqual([expected, expected, expected])
})

test('what is no network, and an input of another size, are errors; the next question is answered', async () => {
  await expect(openNetworkApart(Buffer.from('no network'), MEMORY)).rejects.toThrow()
  const apart = await openNetworkApart(lineNetwork(), MEMORY)
  await expect(apart.run(new Float32Array(5), SIZE)).rejects.toThrow()
  expect(Object.keys(await apart.run(aLine(), SIZE))).toEqual(apart.outputNames)
})

test('a closed network answers no more, and another one does', async () => {
  const [first, second] = [
    await openNetworkApart(lineNetwork(), MEMORY),
    await openNetworkApart(lineNetwork(), MEMORY),
  ]
  await first.close()
  await expect(first.run(aLine(), SIZE)).rejects.toThrow('this network is not open')
  expect(Object.keys(await second.run(aLine(), SIZE))).toEqual(second.outputNames)
})
