/** Prints a test page. The browser cannot tell whether it was printed, so the administrator confirms it. */
import { useState } from 'preact/hooks'
import type { ChecklistRow } from '../../../../server/counter/contract/checklist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { TestProps } from './test-props.ts'

export function PrinterTest({ onRow, onClose }: TestProps) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [printed, setPrinted] = useState(false)
  const print = () => {
    globalThis.print()
    setPrinted(true)
  }
  const tell = async (passed: boolean) => {
    const done = await act.run(async () => {
      onRow(await client.send<ChecklistRow>('POST', 'checklist/tests/printer', { body: { passed } }))
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t('checklist.printer.title')}
      onClose={onClose}
      footer={
        printed ? (
          <>
            <Button working={act.working} onClick={() => void tell(false)}>
              {t('checklist.no')}
            </Button>
            <Button kind="primary" working={act.working} onClick={() => void tell(true)}>
              {t('checklist.yes')}
            </Button>
          </>
        ) : (
          <Button kind="primary" icon="print" onClick={print}>
            {t('checklist.printer.print')}
          </Button>
        )
      }
    >
      <p class="print-test">{t('checklist.printer.page')}</p>
      {printed && <p role="status">{t('checklist.printer.question')}</p>}
      <ProblemNotice problem={act.problem} />
    </Dialog>
  )
}
