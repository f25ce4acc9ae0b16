/** The facts of one kiosk, and its revocation: a second step, with a reason. */
import { useState } from 'preact/hooks'
import type { Kiosk } from '../../server/central/head-office/contract.ts'
import { useAct, useResource } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Facts, Skeleton } from '../counter/ui/card.tsx'
import { ConfirmDialog, Dialog } from '../counter/ui/dialog.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Mono, Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import type { FleetClient } from './api.ts'
import { ReasonField } from './reason-field.tsx'
import { FiguresPart } from './figures.tsx'
import { LineTable } from './line-table.tsx'
import { StateBadge } from './kiosk-table.tsx'
import { useFleetText } from './text.ts'
import { newestBundleWords, listReasons, updateWords } from './words.ts'

interface KioskDialogProps {
  readonly kioskId: string
  readonly client: FleetClient
  readonly mayWrite: boolean
  readonly onChange: () => void
  readonly onClose: () => void
}

export function KioskDialog(props: KioskDialogProps) {
  const { kioskId, client, mayWrite, onClose } = props
  const [revoking, setRevoking] = useState(false)
  const { t } = useFleetText()
  const { data: kiosk, problem } = useResource(
    (signal) => client.get<Kiosk>(`/kiosks/${kioskId}`, signal),
    `kiosk-${kioskId}`,
  )
  return (
    <>
      {/* Before the facts: when both close, the focus returns to where it was before the facts. */}
      {kiosk && revoking && <RevocationDialog {...props} kiosk={kiosk} onBack={() => setRevoking(false)} />}
      <Dialog
        title={kiosk?.name ?? t('column.kiosk')}
        shape="wide"
        onClose={onClose}
        footer={
          mayWrite &&
          kiosk &&
          kiosk.state !== 'REVOKED' && (
            <Button kind="danger" onClick={() => setRevoking(true)}>
              {t('revoke')}
            </Button>
          )
        }
      >
        <ProblemNotice problem={problem} />
        {!kiosk && !problem && <Skeleton />}
        {kiosk && <KioskFacts kiosk={kiosk} client={client} />}
      </Dialog>
    </>
  )
}

function KioskFacts({ kiosk, client }: { readonly kiosk: Kiosk; readonly client: FleetClient }) {
  const texts = useFleetText()
  const { t, formats } = texts
  return (
    <>
      <Facts
        facts={[
          [t('column.state'), <StateBadge key="state" state={kiosk.state} />],
          kiosk.reasons.length > 0 && [t('fact.why'), <Lines key="why" lines={listReasons(kiosk, texts)} />],
          [t('fact.joined'), <Time key="joined" at={kiosk.enrolledAt} />],
          [
            t('column.seen'),
            kiosk.lastSeenAt ? <Time key="seen" at={kiosk.lastSeenAt} show="relative" /> : t('never'),
          ],
          [t('fact.waiting'), kiosk.backlog ?? '–'],
          [t('fact.oldest'), <Time key="oldest" at={kiosk.oldestPendingAt} />],
          [t('fact.sequence'), kiosk.lastSequence],
          [
            t('column.health'),
            <Lines
              key="health"
              lines={Object.entries(kiosk.health).map(([part, state]) => t(`part.${state}`, { part }))}
            />,
          ],
          [t('fact.disk'), kiosk.freeDiskBytes === null ? '–' : formats.bytes(kiosk.freeDiskBytes)],
          [t('column.version'), kiosk.productVersion ?? '–'],
          [t('fact.updates'), <Lines key="updates" lines={updateWords(kiosk, texts)} />],
          [t('column.bundle'), newestBundleWords(kiosk, texts)],
          kiosk.bundleProblems.length > 0 && [
            t('fact.bundle-problems'),
            <Lines key="problems" lines={kiosk.bundleProblems} />,
          ],
        ]}
      />
      <h3>{t('figures.title')}</h3>
      <FiguresPart client={client} kioskId={kiosk.kioskId} turn={0} />
      {kiosk.otherLines > 0 && <LineTable kioskId={kiosk.kioskId} client={client} />}
      <p class="small muted">
        {t('fact.id')} <Mono>{kiosk.kioskId}</Mono>
      </p>
    </>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return <>–</>
  return (
    <ul class="plain-list">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

function RevocationDialog({
  kiosk,
  client,
  onChange,
  onClose,
  onBack,
}: KioskDialogProps & { readonly kiosk: Kiosk; readonly onBack: () => void }) {
  const { t } = useFleetText()
  const [reason, setReason] = useState('')
  const act = useAct()
  const tell = useToast()
  return (
    <ConfirmDialog
      title={t('revoke.title', { kiosk: kiosk.name })}
      confirm={t('revoke.confirm')}
      danger
      ready={reason.trim() !== ''}
      act={act}
      onClose={onBack}
      onConfirm={() =>
        void act.run(async () => {
          await client.post(`/kiosks/${kiosk.kioskId}/revocation`, { reason })
          tell(t('revoke.done', { kiosk: kiosk.name }))
          onBack()
          onClose()
          onChange()
        })
      }
    >
      <p>{t('revoke.text')}</p>
      {kiosk.backlog !== null && (
        <p>
          <b>{t('revoke.waiting', { number: kiosk.backlog })}</b>
        </p>
      )}
      <ReasonField label={t('revoke.reason')} value={reason} onInput={setReason} />
    </ConfirmDialog>
  )
}
