/** How long the proofing is kept, and its erasure, which requires a reason and the typed reference. */
import { useState } from 'preact/hooks'
import type { EraseBody, Erased, ProofingDetail } from '../../../../server/counter/contract/today.ts'
import { useAct } from '../../hooks.ts'
import { saveAs } from '../../save-as.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { RadioGroup, TextField } from '../../ui/field.tsx'
import { Time } from '../../ui/time.tsx'

const REASONS: readonly EraseBody['reason'][] = [
  'PERSON_ASKED',
  'CAPTURED_BY_MISTAKE',
  'WRONG_PERSON',
  'TEST_CASE',
]

export function RetentionCard({ detail }: { readonly detail: ProofingDetail }) {
  const { t } = useText()
  const { can } = useSession()
  const [asking, setAsking] = useState(false)
  const [erased, setErased] = useState<Erased | null>(null)
  const { erasedAfter, legalHold } = detail.retention
  if (erased) return <ErasedNotice erased={erased} />
  return (
    <Card
      title={t('retention.title')}
      actions={
        can('proofings:erase') && (
          <Button kind="danger" icon="erase" disabled={!detail.mayErase} onClick={() => setAsking(true)}>
            {t('erase')}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [
            t('retention.until'),
            erasedAfter ? <Time at={erasedAfter} show="day" /> : t('retention.unplanned'),
          ],
        ]}
      />
      {legalHold && (
        <p>
          <Badge tone="note" icon="lock">
            {t('retention.hold')}
          </Badge>
        </p>
      )}
      {can('proofings:erase') && !detail.mayErase && <p class="muted small">{t('erase.not-now')}</p>}
      {asking && <EraseDialog detail={detail} onClose={() => setAsking(false)} onErased={setErased} />}
    </Card>
  )
}

function EraseDialog({
  detail,
  onClose,
  onErased,
}: {
  readonly detail: ProofingDetail
  readonly onClose: () => void
  readonly onErased: (erased: Erased) => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const [reason, setReason] = useState<EraseBody['reason'] | null>(null)
  const [typed, setTyped] = useState('')
  const act = useAct()
  const reference = detail.visit?.reference ?? detail.identityId
  const erase = () =>
    act.run(async () => {
      if (!reason) return
      const body: EraseBody = { reason, reference: typed.trim() }
      onErased(await client.send<Erased>('POST', `proofings/${detail.identityId}/erase`, { body }))
      onClose()
    })
  return (
    <ConfirmDialog
      title={t('erase.title')}
      confirm={t('erase.go')}
      danger
      ready={reason !== null && typed.trim() !== ''}
      act={act}
      onConfirm={() => void erase()}
      onClose={onClose}
    >
      <div class="form">
        <p>{t('erase.text')}</p>
        <RadioGroup
          legend={t('erase.reason')}
          value={reason}
          choices={REASONS.map((value) => ({ value, label: t(`erase.reason.${value}`) }))}
          onChange={setReason}
        />
        <TextField
          label={t('erase.reference', { reference })}
          value={typed}
          onInput={setTyped}
          size="code"
          dir="ltr"
          required
        />
      </div>
    </ConfirmDialog>
  )
}

function ErasedNotice({ erased }: { readonly erased: Erased }) {
  const { t } = useText()
  return (
    <Notice
      tone="done"
      alert
      title={t('erased.title')}
      actions={
        <Button
          icon="download"
          onClick={() =>
            saveAs(
              new Blob([erased.receipt], { type: 'application/jose' }),
              `deletion-${erased.identityId}.jws`,
            )
          }
        >
          {t('erased.receipt')}
        </Button>
      }
    >
      <p>{t('erased.text')}</p>
    </Notice>
  )
}
