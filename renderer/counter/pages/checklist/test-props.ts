/** What each test of the checklist is given. */
import type { ChecklistRow } from '../../../../server/counter/contract/checklist.ts'

export interface TestProps {
  readonly languages: readonly string[]
  readonly onRow: (row: ChecklistRow) => void
  readonly onClose: () => void
}
