/** Shows the set-up code of a new or reset account. The code is shown once and handed over in person. */
import type { Invited } from '../../../../server/counter/contract/staff.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Mono, Time } from '../../ui/time.tsx'

export function CodeDialog({
  invited,
  onClose,
}: {
  readonly invited: Invited
  readonly onClose: () => void
}) {
  const { t } = useText()
  const { staff, setUpCode } = invited
  return (
    <Dialog
      title={t('staff.code.title', { name: staff.name })}
      onClose={onClose}
      closable={false}
      footer={
        <>
          <Button kind="primary" onClick={onClose}>
            {t('staff.code.done')}
          </Button>
          <CopyButton text={setUpCode} />
          <Button icon="print" onClick={() => print()}>
            {t('print')}
          </Button>
        </>
      }
    >
      <Notice tone="attention" title={t('shown-once')}>
        <p>{t('staff.code.text')}</p>
      </Notice>
      <div class="printed">
        <p class="big-code">
          <Mono breaks>{setUpCode}</Mono>
        </p>
        <Facts
          facts={[
            [t('sign-in.login'), <Mono>{staff.login}</Mono>],
            [t('staff.code.until'), <Time at={staff.setUpUntil} />],
          ]}
        />
      </div>
    </Dialog>
  )
}
