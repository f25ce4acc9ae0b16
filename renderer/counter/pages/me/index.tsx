/** The officer's own account: sign-in, language and colours. */
import { useState } from 'preact/hooks'
import type { OwnAccount, RecoveryCodes, SessionView } from '../../../../server/counter/contract/staff.ts'
import { NewPasskeyForm } from '../../account/new-passkey.tsx'
import { NewPasswordForm } from '../../account/new-password.tsx'
import { RecoveryCodeSheet } from '../../account/recovery-codes.tsx'
import { TotpForm } from '../../account/totp-form.tsx'
import { useAct, useResource } from '../../hooks.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { LanguageChoice } from '../../ui/language-choice.tsx'
import { useText } from '../../text.tsx'
import { LOOKS, parseLook, useLook } from '../../look.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Skeleton } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { RadioGroup } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Passkeys } from './passkeys.tsx'

type Open = 'password' | 'totp' | 'passkey' | null

export function MePage() {
  const { t, formats } = useText()
  const { view, client, take, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const [open, setOpen] = useState<Open>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const account = useResource<OwnAccount>((signal) => client.get('me', signal), 'me')
  const changed = (next: OwnAccount) => {
    account.replace(next)
    setOpen(null)
    tell(t('me.saved'))
  }
  const leave = () => act.run(async () => take(await client.send<SessionView>('DELETE', 'session')))
  const newCodes = () =>
    act.run(async () => setCodes((await client.send<RecoveryCodes>('POST', 'me/recovery-codes')).codes))
  const own = account.data
  return (
    <Page
      title={view.name}
      {...(can('waiting:see') && !can('proofings:list')
        ? { back: <a href={linkTo('waiting')}>{t('waiting.title')}</a> }
        : {})}
      lead={formats.list(view.roles.map((role) => t(`role.${role}`)))}
      actions={
        <Button icon="leave" working={act.working} onClick={() => void leave()}>
          {t('sign-out')}
        </Button>
      }
    >
      <ProblemNotice problem={account.problem ?? act.problem} onRetry={account.reload} />
      <div class="columns">
        <Card title={t('me.safety')} marked>
          <Facts
            facts={[
              [t('me.last'), <Time at={view.lastSignInAt} />],
              [
                t('me.failed'),
                view.failedSince > 0 ? <Badge tone="attention">{view.failedSince}</Badge> : formats.number(0),
              ],
              [t('me.ends'), <Time at={view.endsAt} />],
            ]}
          />
          {!own && account.loading && <Skeleton rows={4} />}
          {own?.isProvided && <p>{t('me.provided')}</p>}
          {own && !own.isProvided && (
            <ul class="rows">
              <li>
                <span>{t('factor.PASSWORD')}</span>
                <Badge tone={own.hasPassword ? 'done' : 'quiet'}>
                  {t(own.hasPassword ? 'me.set' : 'me.not-set')}
                </Badge>
                <Button onClick={() => setOpen('password')}>{t('me.change')}</Button>
              </li>
              <li>
                <span>{t('factor.TOTP')}</span>
                <Badge tone={own.hasTotp ? 'done' : 'quiet'}>
                  {t(own.hasTotp ? 'me.set' : 'me.not-set')}
                </Badge>
                <Button onClick={() => setOpen('totp')}>{t('me.change')}</Button>
              </li>
              <li>
                <span>{t('recovery.label')}</span>
                <Badge tone={own.recoveryCodesLeft > 3 ? 'done' : 'attention'}>
                  {t('me.codes-left', { count: own.recoveryCodesLeft })}
                </Badge>
                <Button working={act.working} onClick={() => void newCodes()}>
                  {t('me.new-codes')}
                </Button>
              </li>
            </ul>
          )}
          {own && !own.isProvided && (
            <Passkeys account={own} onAccount={account.replace} onAdd={() => setOpen('passkey')} />
          )}
        </Card>
        <Looks />
      </div>
      {open && own && (
        <Dialog title={t(`me.${open}.title`)} onClose={() => setOpen(null)}>
          {open === 'password' && <NewPasswordForm client={client} login={own.login} onAccount={changed} />}
          {open === 'totp' && <TotpForm client={client} onAccount={changed} />}
          {open === 'passkey' && <NewPasskeyForm client={client} primary onAccount={changed} />}
        </Dialog>
      )}
      {codes && (
        <Dialog title={t('recovery.label')} onClose={() => setCodes(null)} closable={false}>
          <RecoveryCodeSheet
            codes={codes}
            done={t('me.codes-kept')}
            onDone={() => {
              setCodes(null)
              account.reload()
            }}
          />
        </Dialog>
      )}
    </Page>
  )
}

function Looks() {
  const { t } = useText()
  const { client } = useSession()
  const [look, setLook] = useLook()
  return (
    <Card title={t('me.looks')}>
      <h3>{t('language.label')}</h3>
      <LanguageChoice
        onChosen={(language) => {
          // The page has changed already; the account remembers the language for other computers.
          client.send('PUT', 'me/language', { body: { language } }).catch(() => undefined)
        }}
      />
      <RadioGroup
        legend={t('me.colours')}
        value={look}
        choices={LOOKS.map((value) => ({ value, label: t(`look.${value}`) }))}
        onChange={(value) => setLook(parseLook(value))}
      />
    </Card>
  )
}
