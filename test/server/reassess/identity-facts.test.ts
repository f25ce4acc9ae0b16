/** The level that the answer of the API or identityDetails.json gives, beside the one that was given. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { levelReached } from '../../../server/proofing/assurance/assess.ts'
import { findRank } from '../../../server/proofing/assurance/caps.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { readIdentity, type IdentityBasis } from '../../../server/reassess/identity-facts.ts'
import { drawnIdentities, POLICIES } from '../../support/drawn-identities.ts'
import { openBench, type Bench } from '../../support/judged-identities.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 30)

let bench: Bench
beforeAll(() => {
  bench = openBench()
})
afterAll(() => bench.close())

async function detailsOf(policy: Policy, identity: Parameters<Bench['seal']>[1]): Promise<object> {
  const { files } = readZip(await bench.seal(policy, identity))
  const read = (name: string): string =>
    new TextDecoder().decode(files.find(({ path }) => path.endsWith(`/${name}`))?.bytes)
  const details = JSON.parse(read('identityDetails.json')) as { globalStatus: object }
  // Documents of the bench have no picture, so that none is elected: the one that the portrait was compared with is.
  const entries = JSON.parse(read('verificationAndEvaluationDetails.json')) as {
    evidenceDetails?: { family: string }
    verificationDetails: { referenceId?: string }[]
  }[]
  const ofPortrait = entries.filter(({ evidenceDetails }) => evidenceDetails?.family === 'IDENTIFICATION')
  const checks = ofPortrait.flatMap(({ verificationDetails }) => verificationDetails)
  const portraitReferenceEvidenceId = checks.find(({ referenceId }) => referenceId)?.referenceId
  return { ...details, globalStatus: { ...details.globalStatus, portraitReferenceEvidenceId } }
}

function basisOf(value: unknown): IdentityBasis {
  const read = readIdentity(value)
  if ('reason' in read) throw new TypeError(read.reason)
  return read
}

describe.each(POLICIES)('identityDetails.json of proofs under the policy $id', (policy) => {
  test('gives the level that it tells, or less where only the record of the verification shows more', async () => {
    let same = 0
    await fc.assert(
      fc.asyncProperty(drawnIdentities(policy), async (drawn) => {
        const identity = bench.make(policy, drawn)
        const { facts, levelOfAssurance, policyId } = basisOf(await detailsOf(policy, identity))
        expect([levelOfAssurance, policyId]).toEqual([identity.levelOfAssurance, policy.id])
        const derived = levelReached(policy, facts)
        expect(derived).toBeLessThanOrEqual(findRank(policy, levelOfAssurance))
        if (derived === findRank(policy, levelOfAssurance)) same++
        // A portrait is known to show the holder of the elected document; of further ones the proof tells elsewhere.
        else expect(drawn.evidences.filter(({ family }) => family === 'IDDOCUMENT').length).toBeGreaterThan(1)
      }),
      { numRuns: RUNS },
    )
    expect(same).toBeGreaterThan(RUNS / 2)
  })
})

describe('what is no identity, or one without indicators', () => {
  const [policy] = POLICIES
  const drawn = { evidences: [], fraudChecks: [], consents: [] }

  test('is refused with the members that are missing, never their values', async () => {
    const details = await detailsOf(policy, bench.make(policy, drawn))
    expect(readIdentity(details)).not.toHaveProperty('reason')
    for (const value of [
      null,
      7,
      'ERIKSSON',
      [],
      {},
      { ...details, idDocuments: [{ evidenceId: 'ERIKSSON' }] },
    ]) {
      const read = readIdentity(value)
      expect(read).toHaveProperty('reason')
      expect(JSON.stringify(read)).not.toContain('ERIKSSON')
    }
  })
})
