/**
 * `npm run demo -- --chip` as a person runs it: every kind of evidence, and where they are installed a real pcscd with a virtual reader and
 * the reader process of the appliance. `--all` takes the same steps without a chip.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadPolicies } from '../../../../server/config/policies.ts'
import { assess } from '../../../../server/proofing/assurance/assess.ts'
import { readBasis } from '../../../../server/reassess/reassess.ts'
import type { GoalRecord } from '../../../../server/tools/demo/everything.ts'
import { findMissingPackages, startVirtualPcscd } from '../../../../server/tools/simulator/chip/pcscd.ts'
import { runCommand } from '../../../support/command.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const DEMO_MS = 300_000

const missing = findMissingPackages()
const CAN_READ =
  missing.length === 0 &&
  (await startVirtualPcscd().then(
    (pcscd) => pcscd.close().then(() => true),
    () => false,
  ))
if (!CAN_READ) process.stderr.write(`without a reader: ${missing.join(', ') || 'pcscd does not start'}\n`)

let folder: string
let record: GoalRecord
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterproof-test-'))
  const argv = ['server/run.mjs', 'demo', '--chip', '--policy', 'default', '--json', '--keep', folder]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: ROOT })
  ;[record] = JSON.parse(stdout) as [GoalRecord]
}, DEMO_MS)
afterAll(() => rm(folder, { recursive: true }))

const findArchive = (): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.zip')) ?? '')

test('every kind of evidence against simulated services outside is verified, and the proof gives the same level', async () => {
  expect(record).toMatchObject({
    isValid: true,
    isDerivable: true,
    evidence: {
      PASSPORT: 'VERIFIED',
      CHIP: 'VERIFIED',
      PORTRAIT: 'VERIFIED',
      ATTRIBUTES: 'VERIFIED',
      ID_CLAIM: 'VERIFIED',
      MOBILE_OTP: 'VERIFIED',
      EMAIL_OTP: 'VERIFIED',
      LANDLINE_OTP: 'VERIFIED',
      TRUSTED_ID_CLAIM: 'VERIFIED',
      DOCUMENT_STATUS: 'VERIFIED',
      WATCHLIST: 'VERIFIED',
    },
    chip: { lists: [expect.stringContaining('csca.der'), expect.stringContaining('csca.crl')] },
  })
  const keys = join(folder, 'jwks.json')
  const { status, out } = await runCommand(['verify-proof', findArchive(), '--key', keys, '--re-evaluate'])
  expect([status, out]).toEqual([
    0,
    expect.stringContaining(
      `gives its content ${record.levelOfAssurance} by its profile ${String(record.profile)}`,
    ),
  ])
})

test.skipIf(CAN_READ)('the files of the chip alone reach LOA3, and nothing shows that it is no copy', () => {
  expect(record).toMatchObject({
    levelOfAssurance: 'LOA3',
    profile: 'confirmed-document',
    chip: { protocol: null },
  })
})

describe.skipIf(!CAN_READ)('a chip that the reader of the appliance reads', () => {
  test('reaches LOA4 by a protocol that proves that it is no copy', () => {
    expect(record).toMatchObject({
      levelOfAssurance: 'LOA4',
      profile: 'chip-read-document',
      evidence: { DEVICE_INTEGRITY: 'VERIFIED' },
      chip: { protocol: 'chip_authentication' },
    })
  })

  test('reaches high by the policy eidas from the same facts', () => {
    const basis = readBasis(readFileSync(findArchive()))
    const eidas = loadPolicies().get('eidas')
    if (!basis || !eidas) throw new Error('no facts or no policy')
    const { levelOfAssurance, profile } = assess(eidas, basis.facts, basis.abilities)
    expect([levelOfAssurance, profile]).toEqual(['LOA3', 'high-chip-portrait'])
  })
})
