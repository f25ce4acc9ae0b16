/** `npm run demo -- --chip` as a person runs it: a real pcscd with a virtual reader, and the reader process of the appliance. */
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
const reason =
  missing.length > 0
    ? `install ${missing.join(', ')}`
    : await startVirtualPcscd().then(
        (pcscd) => pcscd.close().then(() => null),
        ({ message }: Error) => message,
      )

describe.skipIf(reason !== null)(`the demo with a chip${reason === null ? '' : ` (${reason})`}`, () => {
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

  test('a chip that the reader of the appliance reads reaches LOA4, and the proof gives it again', async () => {
    expect(record).toMatchObject({
      levelOfAssurance: 'LOA4',
      profile: 'chip-read-document',
      isValid: true,
      isDerivable: true,
      evidence: { CHIP: 'VERIFIED', PORTRAIT: 'VERIFIED', DEVICE_INTEGRITY: 'VERIFIED' },
      chip: {
        protocol: 'chip_authentication',
        lists: [expect.stringContaining('csca.der'), expect.stringContaining('csca.crl')],
      },
    })
    const keys = join(folder, 'jwks.json')
    const { status, out } = await runCommand(['verify-proof', findArchive(), '--key', keys, '--re-evaluate'])
    expect([status, out]).toEqual([
      0,
      expect.stringContaining('gives its content LOA4 by its profile chip-read-document'),
    ])
  })

  test('the same facts give high by the policy eidas', () => {
    const basis = readBasis(readFileSync(findArchive()))
    const eidas = loadPolicies().get('eidas')
    if (!basis || !eidas) throw new Error('no facts or no policy')
    const { levelOfAssurance, profile } = assess(eidas, basis.facts, basis.abilities)
    expect([levelOfAssurance, profile]).toEqual(['LOA3', 'high-chip-portrait'])
  })
})
