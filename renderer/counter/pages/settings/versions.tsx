/** The versions of the document with author and date; each can be restored. */
import { useState } from 'preact/hooks'
import type {
  SettingName,
  SettingView,
  UndoBody,
  VersionContent,
  VersionRow,
} from '../../../../server/counter/contract/settings.ts'
import { useAct, useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Changes } from './changes.tsx'

export function Versions({
  name,
  view,
  onUndone,
}: {
  readonly name: SettingName
  readonly view: SettingView
  readonly onUndone: (view: SettingView) => void
}) {
  const { t } = useText()
  const [chosen, setChosen] = useState<VersionRow | null>(null)
  if (view.versions.length === 0) return <Empty>{t('settings.versions.none')}</Empty>
  return (
    <>
      <Table
        caption={t('settings.tab.versions')}
        rows={view.versions}
        getKey={({ id }) => String(id)}
        columns={[
          {
            key: 'when',
            label: t('settings.when'),
            head: true,
            cell: ({ at }) => (at ? <Time at={at} /> : t('settings.version.before')),
          },
          { key: 'who', label: t('settings.who'), cell: ({ by }) => (by ? <bdi>{by}</bdi> : '–') },
          { key: 'what', label: t('settings.what'), cell: ({ act }) => t(`settings.act.${act}`) },
          { key: 'changes', label: t('settings.places'), cell: ({ changes }) => changes ?? '–' },
          {
            key: 'back',
            label: t('settings.back'),
            cell: (version) =>
              version.isInForce ? (
                <Badge tone="done">{t('settings.in-force')}</Badge>
              ) : (
                <Button icon="retry" disabled={view.heldBy !== null} onClick={() => setChosen(version)}>
                  {t('settings.undo')}
                </Button>
              ),
          },
        ]}
      />
      {chosen && (
        <UndoDialog
          name={name}
          version={chosen}
          state={view.state}
          onClose={() => setChosen(null)}
          onUndone={(undone) => {
            setChosen(null)
            onUndone(undone)
          }}
        />
      )}
    </>
  )
}

function UndoDialog({
  name,
  version,
  state,
  onClose,
  onUndone,
}: {
  readonly name: SettingName
  readonly version: VersionRow
  readonly state: string
  readonly onClose: () => void
  readonly onUndone: (view: SettingView) => void
}) {
  const { t } = useText()
  const client = useClient()
  const tell = useToast()
  const act = useAct()
  const { data } = useResource<VersionContent>(
    (signal) => client.get(`settings/${name}/versions/${version.id}`, signal),
    String(version.id),
  )
  const undo = () =>
    act.run(async () => {
      const body: UndoBody = { version: version.id, basedOn: state }
      const undone = await client.send<SettingView>('POST', `settings/${name}/undo`, { body })
      tell(t('settings.undone'), { tone: 'done' })
      onUndone(undone)
    })
  return (
    <ConfirmDialog
      title={t('settings.undo.title')}
      confirm={t('settings.undo')}
      act={act}
      onConfirm={() => void undo()}
      onClose={onClose}
    >
      {data ? <Changes changes={data.changes} /> : <Skeleton rows={3} />}
    </ConfirmDialog>
  )
}
