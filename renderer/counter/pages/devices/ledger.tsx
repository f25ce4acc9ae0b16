/**
 * Findings at the machine, newest first; none can be changed. Tampering is recorded, and cleared after an
 * inspection.
 */
import { useState } from 'preact/hooks'
import type { LedgerView, TamperingBody } from '../../../../server/counter/contract/devices.ts'
import { useAct } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { RadioGroup } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { spellCode } from '../../words.ts'

type Kind = TamperingBody['kind']
const TONE = { INSPECTED: 'note', TAMPERED: 'problem', CLEARED: 'done' } as const

export function Ledger({ ledger }: { readonly ledger: Resource<LedgerView> }) {
  const { t, known } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const clearing = useAct()
  const [noting, setNoting] = useState(false)
  const view = ledger.data
  if (!view) return null
  const clear = () =>
    clearing.run(async () => {
      ledger.replace(await client.send<LedgerView>('POST', 'devices/ledger/clear'))
      tell(t('ledger.cleared'))
    })
  const words = (detail: string) => known(`tamper.${detail}`, known(`ledger.${detail}`, ''))
  return (
    <>
      {view.openTampering.length > 0 && (
        <Notice
          tone="problem"
          title={t('ledger.open')}
          actions={
            can('devices:clear-tampering') && (
              <Button working={clearing.working} disabled={!view.mayClear} onClick={() => void clear()}>
                {t('ledger.clear')}
              </Button>
            )
          }
        >
          <ul class="plain-list">
            {view.openTampering.map((kind) => (
              <li key={kind}>{t(`tamper.${kind}`)}</li>
            ))}
          </ul>
          {!view.mayClear && <p>{t('ledger.inspect-first')}</p>}
        </Notice>
      )}
      <ProblemNotice problem={clearing.problem} />
      {can('devices:act') && (
        <div class="buttons">
          <Button kind="danger" icon="attention" onClick={() => setNoting(true)}>
            {t('ledger.note')}
          </Button>
        </div>
      )}
      {view.entries.length === 0 ? (
        <Empty
          actions={
            can('devices:act') && (
              <LinkButton icon="next" href={linkTo('devices/inspection')}>
                {t('devices.tab.inspection')}
              </LinkButton>
            )
          }
        >
          {t('ledger.empty')}
        </Empty>
      ) : (
        <Table
          caption={t('devices.tab.ledger')}
          rows={view.entries}
          getKey={({ id }) => id}
          columns={[
            { key: 'at', label: t('column.time'), tight: true, cell: ({ at }) => <Time at={at} /> },
            {
              key: 'entry',
              label: t('ledger.entry'),
              head: true,
              cell: ({ entry }) => <Badge tone={TONE[entry]}>{t(`ledger.${entry}`)}</Badge>,
            },
            {
              key: 'detail',
              label: t('ledger.detail'),
              cell: ({ detail }) =>
                words(detail) || (/^[0-9a-f-]{36}$/.test(detail) ? <Mono>{detail}</Mono> : spellCode(detail)),
            },
            {
              key: 'doubtful',
              label: t('ledger.signature'),
              cell: ({ doubtful }) => (
                <Badge tone={doubtful ? 'problem' : 'done'}>
                  {t(doubtful ? 'ledger.doubtful' : 'ledger.signed')}
                </Badge>
              ),
            },
          ]}
        />
      )}
      {noting && (
        <NoteDialog
          kinds={view.checklist.map(({ tamperKind }) => tamperKind)}
          ledger={ledger}
          onClose={() => setNoting(false)}
        />
      )}
    </>
  )
}

function NoteDialog({
  kinds,
  ledger,
  onClose,
}: {
  readonly kinds: readonly Kind[]
  readonly ledger: Resource<LedgerView>
  readonly onClose: () => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const [kind, setKind] = useState<Kind | null>(null)
  const save = () =>
    act.run(async () => {
      if (!kind) return
      const body: TamperingBody = { kind }
      ledger.replace(await client.send<LedgerView>('POST', 'devices/ledger/tampering', { body }))
      tell(t('ledger.noted'), { tone: 'attention' })
      onClose()
    })
  return (
    <ConfirmDialog
      title={t('ledger.note')}
      confirm={t('ledger.note.save')}
      danger
      ready={kind !== null}
      act={act}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <p>{t('ledger.note.text')}</p>
      <RadioGroup
        legend={t('ledger.note.kind')}
        value={kind}
        choices={kinds.map((value) => ({ value, label: t(`tamper.${value}`) }))}
        onChange={setKind}
      />
    </ConfirmDialog>
  )
}
