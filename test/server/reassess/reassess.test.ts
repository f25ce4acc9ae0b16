import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { reassess, type Reassessment } from '../../../server/reassess/reassess.ts'
import { drawnIdentities, POLICIES, type DrawnIdentity } from '../../support/drawn-identities.ts'
import { openBench, type Bench } from '../../support/judged-identities.ts'

import { repack, unpack } from '../proof/fixture.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 30)

/** The drawn documents have no files of a chip, which `workflows/chip-evidence.test.ts` has. */
const withoutChips = (found: Reassessment): Reassessment =>
  found.possible ? { ...found, differences: found.differences.filter(({ what }) => what !== 'chip') } : found

let bench: Bench
beforeAll(() => {
  bench = openBench()
})
afterAll(() => bench.close())

describe.each(POLICIES)('proofs sealed under the policy $id', (policy) => {
  test('give the level that they claim, and all that stands behind it, from the archive alone', async () => {
    const levels = new Set<string>()
    await fc.assert(
      fc.asyncProperty(drawnIdentities(policy), async (drawn) => {
        const identity = bench.make(policy, drawn)
        const found = withoutChips(reassess(await bench.seal(policy, identity)))
        expect(found).toMatchObject({ possible: true, differences: [] })
        expect(found).toMatchObject({ levelOfAssurance: identity.levelOfAssurance })
        levels.add(identity.levelOfAssurance)
      }),
      { numRuns: RUNS },
    )
    // Something was shown: several levels came about.
    expect(levels.size).toBeGreaterThan(1)
  })

  test('have the same bytes for the same inputs', async () => {
    await fc.assert(
      fc.asyncProperty(drawnIdentities(policy), async (drawn) => {
        const identity = bench.make(policy, drawn)
        const [first, second] = [await bench.seal(policy, identity), await bench.seal(policy, identity)]
        expect(Buffer.compare(first, second)).toBe(0)
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })
})

test('an identity that one policy judged is judged by another one as if that had done it from the beginning', async () => {
  const policies = fc.tuple(fc.constantFrom(...POLICIES), fc.constantFrom(...POLICIES))
  const drawn = fc.constantFrom(...POLICIES).chain((policy) => drawnIdentities(policy))
  // Scored by hand, so that the two differ in every score.
  const generous = (policy: Policy): Policy => ({
    ...policy,
    version: 'generous',
    strength: { ...policy.strength, PASSPORT: 'LEVEL1', IDENTITY_CARD: 'LEVEL2' },
  })
  await fc.assert(
    fc.asyncProperty(policies, drawn, async ([first, second], identity) => {
      const made = bench.make(generous(first), identity)
      const judged = bench.judge(second, made)
      expect(judged.assessment?.policy).toEqual({ id: second.id, version: second.version })
      const found = withoutChips(reassess(await bench.seal(second, judged)))
      expect(found).toMatchObject({ possible: true, differences: [] })
    }),
    { numRuns: RUNS },
  )
})

describe('an archive that claims more than it holds', () => {
  const policy = POLICIES.find(({ id }) => id === 'default') ?? POLICIES[0]
  const shown = (family: 'IDDOCUMENT' | 'PORTRAIT', checks: readonly string[]) => ({
    family,
    type: family === 'PORTRAIT' ? ('PORTRAIT' as const) : ('PASSPORT' as const),
    status: 'VERIFIED' as const,
    passed: checks,
    raised: [],
    person: 0,
    issuedDaysAgo: 10,
  })
  const drawn: DrawnIdentity = {
    evidences: [
      shown('IDDOCUMENT', ['MRZ_READING', 'MRZ_CHECK_DIGITS', 'MRZ_WITNESS_AGREEMENT']),
      shown('PORTRAIT', ['BIOMETRIC_MATCHING_CHECK']),
    ],
    fraudChecks: [],
    consents: [],
  }

  type Json = Record<string, never> & Record<string, unknown>
  /** The archive with one of its files changed, its hashes left as they were. */
  async function altered(file: string, change: (json: Json) => void): Promise<Uint8Array> {
    const files = await unpack(await bench.seal(policy, bench.make(policy, drawn)))
    const changed = files.map(({ path, bytes }) => {
      if (!path.endsWith(`/${file}`)) return { path, bytes }
      const json = JSON.parse(bytes.toString('utf8')) as Json
      change(json)
      return { path, bytes: Buffer.from(JSON.stringify(json)) }
    })
    return repack(changed)
  }
  const found = (archive: Uint8Array): readonly string[] => {
    const reassessment = reassess(archive)
    return reassessment.possible ? reassessment.differences.map(({ what }) => what) : [reassessment.reason]
  }

  test('is found by a specimen document, wherever it stands, unless it says that it is a test', async () => {
    const sealed = async (quiet: boolean, change: (json: Json) => void): Promise<Uint8Array> => {
      const files = await unpack(await altered('verificationAndEvaluationDetails.json', change))
      return repack(
        files.map(({ path, bytes }) => {
          if (!path.endsWith('/proof.json')) return { path, bytes }
          const proof = JSON.parse(bytes.toString('utf8')) as Json
          const counterproof = { ...(proof.counterproof as Json), test: quiet ? undefined : true }
          return { path, bytes: Buffer.from(JSON.stringify({ ...proof, counterproof })) }
        }),
      )
    }
    const documents = (entries: Json): readonly Json[] =>
      (entries as unknown as readonly Json[]).filter(
        ({ evidenceDetails }) => (evidenceDetails as Json | undefined)?.family === 'IDDOCUMENT',
      )
    const indicated = (list: string, indicator: string) => (entries: Json) => {
      for (const { evaluationDetails } of documents(entries)) {
        const judged = (evaluationDetails as Json).evidences as readonly Json[]
        for (const { statusAndScoring } of judged.filter((one) => one.statusAndScoring)) {
          ;((statusAndScoring as Json)[list] as string[]).push(indicator)
        }
      }
    }
    const measured = (outcome: string) => (entries: Json) => {
      for (const entry of documents(entries)) {
        const measurements = [{ check: 'SPECIMEN_DOCUMENT', outcome, measured: {} }]
        entry.verificationDetails = [{}] as never
        entry.counterproof = { verifications: [{ measurements }] } as never
      }
    }
    const tests = async (quiet: boolean, change: (json: Json) => void) => {
      const reassessment = reassess(await sealed(quiet, change))
      expect(reassessment.possible).toBe(true)
      const differences = reassessment.possible ? reassessment.differences : []
      return differences.filter(({ what }) => what === 'test')
    }
    for (const change of [
      indicated('warningIndicators', 'SPECIMEN_DOCUMENT_WARNING'),
      indicated('blockingIndicators', 'SPECIMEN_DOCUMENT_FAILED'),
      measured('failed'),
    ]) {
      expect(await tests(true, change)).toEqual([
        {
          what: 'test',
          evidenceId: expect.any(String) as unknown,
          claimed: 'false',
          derived: 'true (SPECIMEN_DOCUMENT)',
        },
      ])
      expect(await tests(false, change)).toEqual([])
    }
    expect(await tests(true, measured('passed'))).toEqual([])
    expect(await tests(true, () => undefined)).toEqual([])
  })

  test('is found by its level', async () => {
    const archive = await altered('identityDetails.json', ({ globalStatus }) => {
      ;(globalStatus as Json).levelOfAssurance = 'LOA3' as never
    })
    expect(found(archive)).toEqual(['levelOfAssurance'])
  })

  test('is found by the score of a document', async () => {
    const archive = await altered('verificationAndEvaluationDetails.json', (entries) => {
      for (const { evaluationDetails } of entries as unknown as readonly Json[]) {
        for (const { statusAndScoring } of (evaluationDetails as Json | undefined)?.evidences ?? []) {
          ;(statusAndScoring as Json).score = 'LEVEL4' as never
        }
      }
    })
    expect(found(archive)).toContain('score')
  })

  test('is found by a consent that was taken back', async () => {
    const archive = await altered('identityDetails.json', ({ consents }) => {
      for (const consent of consents as readonly Json[]) consent.approved = false as never
    })
    expect(found(archive)).toEqual(expect.arrayContaining(['levelOfAssurance', 'countedIds']))
  })

  test('cannot be judged when its policy is no policy', async () => {
    const archive = await altered('proof.json', ({ counterproof }) => {
      ;((counterproof as Json).evaluation as Json).policy = { id: 'default' } as never
    })
    expect(found(archive)).toEqual(['Its policy is not valid.'])
  })

  test('cannot be judged when it was sealed before policies were part of a proof', async () => {
    const archive = await altered('proof.json', ({ counterproof }) => {
      delete (counterproof as Json).evaluation
    })
    expect(found(archive)[0]).toMatch(/earlier version/)
  })
})
