/** The counter's accounts, their roles, and their set-up codes. */
import { useState } from 'preact/hooks'
import type { Invited, StaffList } from '../../../../server/counter/contract/staff.ts'
import { useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { NewStaffDialog } from './new-staff-dialog.tsx'
import { StaffTable } from './staff-table.tsx'

export function StaffPage() {
  const { t } = useText()
  const client = useClient()
  const [adding, setAdding] = useState(false)
  const [invited, setInvited] = useState<Invited | null>(null)
  const { data, problem, reload } = useResource<StaffList>((signal) => client.get('staff', signal), 'staff')
  const onInvited = (given: Invited) => {
    setAdding(false)
    setInvited(given)
    reload()
  }
  return (
    <Page
      title={t('nav.staff')}
      lead={t('staff.lead')}
      actions={
        <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
          {t('staff.add')}
        </Button>
      }
    >
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={6} />}
      {data && <StaffTable staff={data.staff} onChanged={reload} onInvited={onInvited} />}
      {adding && <NewStaffDialog onInvited={onInvited} onClose={() => setAdding(false)} />}
      {invited && <CodeDialog invited={invited} onClose={() => setInvited(null)} />}
    </Page>
  )
}
