/**
 * API keys of the applications that call this appliance: requested, created in pairs after confirmation,
 * shown once, revoked.
 */
import { useState } from 'preact/hooks'
import type {
  ApplicationKeys,
  KeyList,
  KeysShownOnce,
  KeyView,
} from '../../../../server/counter/contract/keys.ts'
import { useAct, useResource } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Empty, Skeleton } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { RequestsCard } from './requests-card.tsx'
import { ShownOnceDialog } from './shown-once-dialog.tsx'

/** A supervisor may confirm a request at another screen. */
const POLL_MS = 5_000
const TONE = { VALID: 'done', EXPIRED: 'quiet', REVOKED: 'quiet' } as const

export function KeysPage() {
  const { t } = useText()
  const { client } = useSession()
  const tell = useToast()
  const list = useResource<KeyList>((signal) => client.get('keys', signal), 'keys', { everyMs: POLL_MS })
  /** Empty: a new application. */
  const [making, setMaking] = useState<string | null>(null)
  const [shown, setShown] = useState<KeysShownOnce | null>(null)
  return (
    <Page
      title={t('nav.keys')}
      lead={t('keys.lead')}
      actions={
        <Button kind="primary" icon="add" onClick={() => setMaking('')}>
          {t('keys.add')}
        </Button>
      }
    >
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      {!list.data && !list.problem && <Skeleton rows={6} />}
      {list.data && list.data.requests.length > 0 && (
        <RequestsCard
          list={list}
          requests={list.data.requests}
          onMade={(made) => {
            setShown(made)
            list.replace(made.list)
          }}
        />
      )}
      {list.data?.applications.length === 0 && (
        <Empty
          actions={
            <Button icon="add" onClick={() => setMaking('')}>
              {t('keys.add')}
            </Button>
          }
        >
          {t('keys.empty')}
        </Empty>
      )}
      {list.data?.applications.map((application) => (
        <ApplicationCard
          key={application.application}
          application={application}
          list={list}
          onRotate={() => setMaking(application.application)}
        />
      ))}
      {making !== null && (
        <KeyDialog
          application={making}
          onClose={() => setMaking(null)}
          onAsked={(asked) => {
            setMaking(null)
            list.replace(asked)
            tell(t('keys.asked'))
          }}
        />
      )}
      {shown && <ShownOnceDialog keys={shown} onClose={() => setShown(null)} />}
    </Page>
  )
}

function ApplicationCard({
  application: { application, keys, reserved },
  list,
  onRotate,
}: {
  readonly application: ApplicationKeys
  readonly list: Resource<KeyList>
  readonly onRotate: () => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const [revoking, setRevoking] = useState<KeyView | null>(null)
  const revoke = ({ keyId }: KeyView) =>
    act.run(async () => {
      list.replace(await client.send<KeyList>('DELETE', `keys/${encodeURIComponent(keyId)}`))
      tell(t('keys.revoked'))
      setRevoking(null)
    })
  return (
    <Card
      title={application}
      actions={
        !reserved && (
          <Button icon="sync" label={t('keys.rotate.of', { application })} onClick={onRotate}>
            {t('keys.rotate')}
          </Button>
        )
      }
    >
      {reserved && <Notice tone="problem">{t('keys.reserved')}</Notice>}
      <Table
        caption={t('keys.of', { application })}
        rows={keys}
        getKey={({ keyId }) => keyId}
        columns={[
          { key: 'id', label: t('keys.id'), head: true, cell: ({ keyId }) => <Mono>{keyId}</Mono> },
          { key: 'role', label: t('keys.role'), cell: ({ role }) => t(`key-role.${role}`) },
          {
            key: 'state',
            label: t('column.state'),
            cell: ({ state }) => <Badge tone={TONE[state]}>{t(`key-state.${state}`)}</Badge>,
          },
          {
            key: 'created',
            label: t('keys.created'),
            cell: ({ createdAt }) => <Time at={createdAt} show="day" />,
          },
          {
            key: 'ends',
            label: t('keys.ends'),
            cell: ({ expiresAt, revokedAt }) =>
              revokedAt ? <Time at={revokedAt} /> : <Time at={expiresAt} />,
          },
          {
            key: 'act',
            label: t('column.acts'),
            hidden: true,
            tight: true,
            cell: (key) =>
              key.state === 'VALID' && (
                <Button kind="danger" onClick={() => setRevoking(key)}>
                  {t('keys.revoke')}
                </Button>
              ),
          },
        ]}
      />
      {revoking && (
        <ConfirmDialog
          title={t('keys.revoke.title')}
          confirm={t('keys.revoke')}
          danger
          act={act}
          onConfirm={() => void revoke(revoking)}
          onClose={() => setRevoking(null)}
        >
          <p>{t('keys.revoke.text', { application })}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
