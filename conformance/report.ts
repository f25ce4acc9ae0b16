/** Formats the outcomes as a table. */
import type { Outcome } from './kit.ts'
import { OPERATIONS } from './spec.ts'
import type { OperationName } from './spec.ts'

export interface OperationRow {
  readonly operation: OperationName
  readonly statuses: readonly number[]
  readonly checks: number
  readonly failed: number
  /** Failed checks of Counterproof's own decisions, which count only with `strict`. */
  readonly differing: number
  readonly verdict: 'pass' | 'FAIL' | 'skipped'
}

export interface Failure {
  readonly operation: OperationName
  readonly check: string
  readonly section: string
  readonly ours: boolean
  readonly faults: readonly string[]
}

export interface Summary {
  readonly passed: boolean
  readonly checks: { readonly specification: Count; readonly ours: Count }
  readonly operations: readonly OperationRow[]
  readonly failures: readonly Failure[]
}

interface Count {
  readonly passed: number
  readonly all: number
}

const NEEDS_PROVIDER: readonly OperationName[] = ['GET /v1/identities/{id}/trusted-id-claims']

export function summarise(
  outcomes: readonly Outcome[],
  { strict, idpKnown }: { strict: boolean; idpKnown: boolean },
): Summary {
  const counts = (outcome: Outcome): boolean => outcome.faults.length > 0 && (strict || !outcome.ours)
  const operations = (Object.keys(OPERATIONS) as OperationName[]).map((operation): OperationRow => {
    const own = outcomes.filter((outcome) => outcome.operation === operation)
    const failed = own.filter(counts).length
    // Counterproof's own extensions are optional for other servers. Operations that need a login are optional if no
    // provider is known.
    const isOptional =
      (!strict && 'ours' in OPERATIONS[operation]) || (!idpKnown && NEEDS_PROVIDER.includes(operation))
    const missing = own.length === 0 ? (isOptional ? 'skipped' : 'FAIL') : null
    return {
      operation,
      statuses: [...new Set(own.flatMap(({ status }) => status ?? []))].sort((a, b) => a - b),
      checks: own.length,
      failed,
      differing: own.filter((outcome) => outcome.faults.length > 0).length - failed,
      verdict: missing ?? (failed > 0 ? 'FAIL' : 'pass'),
    }
  })
  const count = (ours: boolean): Count => {
    const all = outcomes.filter((outcome) => outcome.ours === ours)
    return { passed: all.filter(({ faults }) => faults.length === 0).length, all: all.length }
  }
  return {
    passed: operations.every(({ verdict }) => verdict !== 'FAIL'),
    checks: { specification: count(false), ours: count(true) },
    operations,
    failures: outcomes
      .filter(({ faults }) => faults.length > 0)
      .map(({ operation, title, section, ours, faults }) => ({
        operation,
        check: title,
        section,
        ours,
        faults,
      })),
  }
}

export function describe({ operations, failures, checks, passed }: Summary): string {
  const width = Math.max(...operations.map(({ operation }) => operation.length)) + 2
  const rows = operations.map(({ operation, statuses, verdict, failed, checks: all, differing }) => {
    const note = [
      failed > 0 ? `${failed} of ${all} checks` : '',
      differing > 0 ? `${differing} differ from Counterproof` : '',
      all === 0 && verdict === 'FAIL' ? 'not reached' : '',
    ]
      .filter(Boolean)
      .join(', ')
    return `${operation.padEnd(width)}${statuses.join(' ').padEnd(26)}${verdict}${note ? `  ${note}` : ''}`
  })
  const details = failures.flatMap(({ operation, check, section, ours, faults }) => [
    '',
    `${ours ? 'ours' : 'spec'}  ${operation}`,
    `      ${check}`,
    ...faults.slice(0, 5).map((fault) => `      ${fault}`),
    ...(faults.length > 5 ? [`      and ${faults.length - 5} more`] : []),
    `      section "${section}"`,
  ])
  const { specification, ours } = checks
  const bad = operations.filter(({ verdict }) => verdict === 'FAIL').length
  return [
    `${'operation'.padEnd(width)}${'status codes seen'.padEnd(26)}result`,
    ...rows,
    ...details,
    '',
    `${passed ? 'passed' : 'FAILED'}: ${operations.length - bad} of ${operations.length} operations; ` +
      `checks of the specification ${specification.passed} of ${specification.all}, ` +
      `of Counterproof's own decisions ${ours.passed} of ${ours.all}`,
    '',
  ].join('\n')
}
