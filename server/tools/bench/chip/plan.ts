/** Reads the table of cases of BSI TR-03105 part 5.1, and says what each case expects. */

export interface PlannedCase {
  readonly id: string
  /** icao: without terminal authentication. */
  readonly scope: string
  readonly title: string
  readonly config: string
  readonly expected: 'success' | 'failure' | 'either'
  /** PLAN: the plan prints the case. TITLE: only its title; configuration and outcome are inferred. */
  readonly basis: 'plan' | 'title'
  /** Why the case does not apply; null if it does. */
  readonly notApplicable: string | null
}

const COLUMNS = ['id', 'unit', 'scope', 'title', 'config', 'expected', 'remark'] as const

/** Throws TypeError for a table of another form. */
export function parsePlan(text: string): PlannedCase[] {
  const [head = '', ...rows] = text.split('\n').filter((line) => line !== '')
  if (head.split('\t').join() !== COLUMNS.join()) throw new TypeError('the columns of the plan')
  return rows.map((row) => {
    const [id = '', , scope = '', title = '', config = '', expected = '', remark = ''] = row.split('\t')
    return {
      id,
      scope,
      title,
      config,
      expected: toOutcome(expected),
      basis: remark.includes('BASIS=PLAN') ? 'plan' : 'title',
      notApplicable: findReason(scope, expected),
    }
  })
}

/** “not stated” is one case, LDS_H_08, whose remark in the table says that a success is meant. */
function toOutcome(expected: string): PlannedCase['expected'] {
  if (expected.startsWith('success') || expected === 'not stated') return 'success'
  return expected === 'failure' ? 'failure' : 'either'
}

function findReason(scope: string, expected: string): string | null {
  if (expected === 'deleted') return 'the plan has removed the case'
  return scope === 'eac' ? 'terminal authentication is out of scope' : null
}
