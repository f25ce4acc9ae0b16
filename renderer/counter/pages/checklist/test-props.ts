/** Props of the tests of the checklist. */
import type { ChecklistRow } from '../../../../server/counter/contract/checklist.ts'

export interface TestProps {
  readonly languages: readonly string[]
  readonly onRow: (row: ChecklistRow) => void
  readonly onClose: () => void
}
