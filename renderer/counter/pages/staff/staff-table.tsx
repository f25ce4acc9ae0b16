/** The accounts and their acts; irreversible acts ask for confirmation. */
import { useState } from 'preact/hooks'
import type { Invited, Role, StaffView } from '../../../../server/counter/contract/staff.ts'
import { useAct } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { RoleChoice } from './role-choice.tsx'
import { withStaffWords } from './refusals.ts'

const TONE = { INVITED: 'waiting', ACTIVE: 'done', LOCKED: 'attention', DISABLED: 'quiet' } as const
type Asking = { readonly what: 'disable' | 'reset' | 'roles'; readonly staff: StaffView }

/** Roles and credentials are at the OpenID provider. */
const isProvided = ({ factors }: StaffView): boolean => factors.includes('OPENID')

export function StaffTable({
  staff,
  onChanged,
  onInvited,
}: {
  readonly staff: readonly StaffView[]
  readonly onChanged: () => void
  readonly onInvited: (invited: Invited) => void
}) {
  const { t, formats } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const [asking, setAsking] = useState<Asking | null>(null)
  const change = (one: StaffView, what: 'enable' | 'unlock') =>
    act.run(async () => {
      await withStaffWords(client.send('POST', `staff/${one.staffId}/${what}`))
      tell(t(`staff.${what}.done`, { name: one.name }))
      onChanged()
    })
  return (
    <>
      <ProblemNotice problem={act.problem} />
      <Table
        caption={t('nav.staff')}
        rows={staff}
        getKey={({ staffId }) => staffId}
        columns={[
          {
            key: 'name',
            label: t('staff.name'),
            head: true,
            cell: ({ name, login, you }) => (
              <>
                <bdi>{name}</bdi> {you && <span class="muted">({t('staff.you')})</span>}
                <small class="block muted">
                  <Mono>{login}</Mono>
                </small>
              </>
            ),
          },
          {
            key: 'roles',
            label: t('staff.roles'),
            cell: ({ roles }) => formats.list(roles.map((role) => t(`role.${role}`))),
          },
          {
            key: 'state',
            label: t('column.state'),
            cell: ({ state, lockedUntil, setUpUntil }) => (
              <>
                <Badge tone={TONE[state]}>{t(`staff-state.${state}`)}</Badge>
                {(state === 'LOCKED' ? lockedUntil : state === 'INVITED' ? setUpUntil : null) && (
                  <small class="block muted">
                    {t('staff.until')} <Time at={state === 'LOCKED' ? lockedUntil : setUpUntil} />
                  </small>
                )}
              </>
            ),
          },
          {
            key: 'factors',
            label: t('staff.factors'),
            cell: ({ factors }) => formats.list(factors.map((factor) => t(`factor.${factor}`))) || '–',
          },
          { key: 'last', label: t('staff.last'), cell: ({ lastSignInAt }) => <Time at={lastSignInAt} /> },
          {
            key: 'acts',
            label: t('column.acts'),
            hidden: true,
            cell: (one) => (
              <span class="buttons">
                {!isProvided(one) && (
                  <Button
                    label={t('staff.roles.of', { name: one.name })}
                    onClick={() => setAsking({ what: 'roles', staff: one })}
                  >
                    {t('staff.roles')}
                  </Button>
                )}
                {one.state === 'LOCKED' && (
                  <Button working={act.working} onClick={() => void change(one, 'unlock')}>
                    {t('staff.unlock')}
                  </Button>
                )}
                {one.state === 'DISABLED' && (
                  <Button working={act.working} onClick={() => void change(one, 'enable')}>
                    {t('staff.enable')}
                  </Button>
                )}
                {!one.you && one.state !== 'DISABLED' && (
                  <>
                    {!isProvided(one) && (
                      <Button
                        label={t('staff.reset.of', { name: one.name })}
                        onClick={() => setAsking({ what: 'reset', staff: one })}
                      >
                        {t('staff.reset')}
                      </Button>
                    )}
                    <Button
                      kind="danger"
                      label={t('staff.disable.of', { name: one.name })}
                      onClick={() => setAsking({ what: 'disable', staff: one })}
                    >
                      {t('staff.disable')}
                    </Button>
                  </>
                )}
              </span>
            ),
          },
        ]}
      />
      {asking && (
        <AskDialog
          asking={asking}
          onClose={() => setAsking(null)}
          onChanged={onChanged}
          onInvited={onInvited}
        />
      )}
    </>
  )
}

function AskDialog({
  asking: { what, staff },
  onClose,
  onChanged,
  onInvited,
}: {
  readonly asking: Asking
  readonly onClose: () => void
  readonly onChanged: () => void
  readonly onInvited: (invited: Invited) => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const [roles, setRoles] = useState<readonly Role[]>(staff.roles)
  const path = `staff/${staff.staffId}/${what}`
  const go = () =>
    act.run(async () => {
      if (what === 'reset') return onInvited(await withStaffWords(client.send<Invited>('POST', path)))
      await withStaffWords(
        what === 'roles' ? client.send('PUT', path, { body: { roles } }) : client.send('POST', path),
      )
      tell(t(`staff.${what}.done`, { name: staff.name }))
      onChanged()
    })
  return (
    <ConfirmDialog
      title={t(`staff.${what}.of`, { name: staff.name })}
      confirm={t(`staff.${what}.go`)}
      danger={what !== 'roles'}
      ready={roles.length > 0}
      act={act}
      onConfirm={() => void go().then((done) => done && onClose())}
      onClose={onClose}
    >
      {what === 'roles' ? <RoleChoice roles={roles} onChange={setRoles} /> : <p>{t(`staff.${what}.text`)}</p>}
    </ConfirmDialog>
  )
}
