/** Proofs of many kiosks are verified in as many processes as there are places. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { joinedKiosk, startCentralService } from '../support/central.ts'

/** Process ids of the verification processes of this process. */
function listVerifiers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]
      const isVerifier = readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('verify-process.ts')
      return Number(parent) === process.pid && isVerifier
    } catch {
      return false
    }
  })
}

test('proofs of eight kiosks of two tenants are verified in three processes if there are three places', async () => {
  const central = await startCentralService({
    config: { verifications: 3, verificationSandbox: 'off' },
  })
  const kiosks = await Promise.all(
    Array.from({ length: 8 }, (_, index) => joinedKiosk(central, index % 2 === 0 ? 'acme' : 'bank')),
  )
  expect(listVerifiers()).toEqual([])
  const stored = await Promise.all(
    kiosks.map(async (kiosk) => (await kiosk.deliver(await kiosk.makeProof())).state),
  )
  expect(stored).toEqual(Array(8).fill('STORED'))
  expect(listVerifiers()).toHaveLength(3)
  await central.stop()
})
