/** Every check of the pipelines, failed by itself: what is blocking invalidates, every other failure is a warning (spec "evidenceStatus"). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyAdjudication } from '../../server/proofing/adjudication-outcome.ts'
import { NOT_YET_EVALUATED, type Evaluation } from '../../server/proofing/evidence.ts'
import { judge, listRaisedIndicators, type CheckRule, type Finding } from '../../server/proofing/judge.ts'
import { loadPolicies } from '../../server/config/policies.ts'
import { anEvidence } from '../support/store.ts'

interface Rules {
  readonly pipelines: Readonly<
    Record<string, { readonly checks: Readonly<Record<string, CheckRule & { onFailureInTestMode?: string }>> }>
  >
}
const FILE = join(import.meta.dirname, '..', '..', 'resources', 'pipelines', 'default.json')
const { pipelines } = JSON.parse(readFileSync(FILE, 'utf8')) as Rules
const CASES = Object.entries(pipelines).flatMap(([kind, { checks }]) =>
  Object.keys(checks).map((check) => [kind, check] as const),
)

/** Everything else passed. */
function failed(kind: string, check: string) {
  const { checks } = pipelines[kind]
  const findings = Object.keys(checks).map((name): Finding => ({
    check: name,
    outcome: name === check ? 'failed' : 'passed',
  }))
  return judge(
    // The outweighing check did not pass.
    findings.filter((finding) => !(checks[check].mitigatedBy ?? []).includes(finding.check)),
    checks,
  )
}

const wellNamed = ({ warningIndicators, blockingIndicators, unverifiedIndicators }: Evaluation) => {
  expect(warningIndicators.filter((name) => !name.endsWith('_WARNING'))).toEqual([])
  expect(blockingIndicators.filter((name) => !name.endsWith('_FAILED'))).toEqual([])
  expect(unverifiedIndicators.filter((name) => !name.endsWith('_UNVERIFIED'))).toEqual([])
}

describe('a failure', () => {
  test.each(CASES)('of a %s in %s blocks where it invalidates, and nowhere else', (kind, check) => {
    const judged = failed(kind, check)
    const evaluation = { ...NOT_YET_EVALUATED, ...judged }
    wellNamed(evaluation)
    const invalidates = pipelines[kind].checks[check].onFailure === 'reject'
    expect(judged.status === 'INVALID').toBe(invalidates)
    expect(judged.blockingIndicators).toEqual(invalidates ? [`${check}_FAILED`] : [])
    expect(judged.warningIndicators).toEqual(invalidates ? [] : [`${check}_WARNING`])
    // The failure appears under its name in the spec.
    const onlyWarns = pipelines[kind].checks[check].onFailure === 'warn'
    expect(listRaisedIndicators(evaluation)).toContain(`${check}_${onlyWarns ? 'WARNING' : 'FAILED'}`)
  })

  test.each(CASES)('of a %s in %s is a warning once a person has accepted it', (kind, check) => {
    const [policy] = loadPolicies().values()
    const before = anEvidence('i', {
      status: 'ADJUDICATION',
      evaluation: { ...NOT_YET_EVALUATED, ...failed(kind, check) },
    })
    const { evaluation, status } = applyAdjudication(policy, before, 'ACCEPTED', null)
    expect(status).toBe('VERIFIED')
    wellNamed(evaluation)
    expect(evaluation.blockingIndicators).toEqual([])
    expect(evaluation.warningIndicators).toEqual([`${check}_WARNING`])
    const rejected = applyAdjudication(policy, before, 'REJECTED', null)
    wellNamed(rejected.evaluation)
    expect(rejected).toMatchObject({ status: 'INVALID' })
    expect(rejected.evaluation.blockingIndicators).toContain('ADJUDICATION_FAILED')
  })
})
