/** Secures a new account: a password with an app and recovery codes, or a passkey. */
import { useState } from 'preact/hooks'
import type {
  OwnAccount,
  RecoveryCodes,
  SessionView,
  SettingUp,
} from '../../../server/counter/contract/staff.ts'
import { NewPasskeyForm } from '../account/new-passkey.tsx'
import { NewPasswordForm } from '../account/new-password.tsx'
import { RecoveryCodeSheet } from '../account/recovery-codes.tsx'
import { TotpForm } from '../account/totp-form.tsx'
import { useAct, useResource } from '../hooks.ts'
import { passkeysWork } from '../passkey.ts'
import { useText } from '../text.tsx'
import { Notice } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/card.tsx'
import { ProblemNotice } from '../ui/problem.tsx'
import { Frame } from './frame.tsx'
import type { SignInStep } from './step-props.ts'

type Step = 'password' | 'app' | 'codes' | 'passkey'

/** Returns the next step, by what the account has. */
function chooseStep({ hasPassword, hasTotp, passkeys }: OwnAccount): Step {
  // Recovery codes replace the app after the password: an account with only a passkey has no use for them.
  if (passkeys.length > 0 && !hasPassword) return 'passkey'
  if (passkeys.length > 0 || (hasPassword && hasTotp)) return 'codes'
  return hasPassword ? 'app' : 'password'
}

export function SetUp({ view, client, onView }: SignInStep<SettingUp>) {
  const { t } = useText()
  const {
    data: account,
    problem,
    reload,
    replace,
  } = useResource<OwnAccount>((signal) => client.get('me', signal), 'me')
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const act = useAct()
  if (!account)
    return (
      <Frame title={t('set-up.welcome', { name: view.name })}>
        {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton rows={6} />}
      </Frame>
    )
  const step = chooseStep(account)
  const steps: readonly Step[] = step === 'passkey' ? ['password', 'passkey'] : ['password', 'app', 'codes']
  const line = t('set-up.step', { n: steps.indexOf(step) + 1, total: steps.length })
  const finish = () =>
    act.run(async () => onView(await client.send<SessionView>('POST', 'session/set-up/done')))
  const showCodes = () =>
    act.run(async () => setCodes((await client.send<RecoveryCodes>('POST', 'me/recovery-codes')).codes))
  return (
    <Frame
      title={step === 'password' ? t('set-up.welcome', { name: view.name }) : t(`set-up.${step}.title`)}
      lead={line}
    >
      {step === 'password' && (
        <>
          <NewPasswordForm client={client} login={account.login} onAccount={replace} />
          {view.passkeys && passkeysWork() && (
            <section class="or" aria-labelledby="or-passkey">
              <h2 id="or-passkey">{t('set-up.or-passkey')}</h2>
              <NewPasskeyForm client={client} onAccount={replace} />
            </section>
          )}
        </>
      )}
      {step === 'app' && <TotpForm client={client} onAccount={replace} />}
      {step === 'passkey' && (
        <div class="form">
          <p>{t('set-up.passkey.text')}</p>
          <div class="buttons">
            <Button kind="primary" working={act.working} onClick={() => void finish()}>
              {t('set-up.done')}
            </Button>
          </div>
        </div>
      )}
      {step === 'codes' && !codes && (
        <div class="form">
          <p>{t('set-up.codes.text')}</p>
          {/* The page was loaded again: the server has only hashes of the set that it showed. */}
          {account.recoveryCodesLeft > 0 && (
            <Notice tone="attention" title={t('set-up.codes.before')}>
              <p>{t('set-up.codes.before.text')}</p>
            </Notice>
          )}
          <div class="buttons">
            {account.recoveryCodesLeft > 0 && (
              <Button kind="primary" working={act.working} onClick={() => void finish()}>
                {t('set-up.codes.have')}
              </Button>
            )}
            <Button
              kind={account.recoveryCodesLeft > 0 ? 'plain' : 'primary'}
              working={act.working}
              onClick={() => void showCodes()}
            >
              {t(account.recoveryCodesLeft > 0 ? 'set-up.codes.new' : 'set-up.codes.show')}
            </Button>
          </div>
        </div>
      )}
      {step === 'codes' && codes && (
        <RecoveryCodeSheet
          codes={codes}
          done={t('set-up.done')}
          working={act.working}
          onDone={() => void finish()}
        />
      )}
      <ProblemNotice problem={act.problem} />
    </Frame>
  )
}
