/**
 * Consent: the question appears on a display in front of the applicant, who answers there. The officer
 * chooses only the display and the language.
 */
import { useRef, useState } from 'preact/hooks'
import type { ConsentDisplay, ConsentDisplayBody } from '../../../../server/counter/contract/assist.ts'
import { LANGUAGES } from '../../../locales/index.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { ConsentScreen } from '../../display/consent-screen.tsx'
import type { AnsweredSoFar } from '../../display/consent-screen.tsx'
import { GoOn, ToStart } from './buttons.tsx'
import { Turned } from './turned.tsx'
import type { StepProps } from './step-props.ts'

type ConsentProps = Pick<StepProps, 'view' | 'onReload' | 'onNext' | 'onTurned'>

/**
 * Keeps the turned screen although the answer changes the page below it: the applicant gives it back. An
 * applicant who gives it back between two questions, to ask something, continues there and answers nothing
 * twice.
 */
export function ConsentStep(props: ConsentProps) {
  const { onReload, onTurned } = props
  const [token, setToken] = useState<string | null>(null)
  const answered = useRef<AnsweredSoFar | null>(null)
  const turn = (next: string | null) => {
    setToken(next)
    onTurned(next !== null)
  }
  return (
    <>
      {token && (
        <Turned
          onClose={() => {
            turn(null)
            onReload()
          }}
        >
          {(giveBack) => (
            <ConsentScreen token={token} answered={answered} onGiveBack={() => void giveBack()} />
          )}
        </Turned>
      )}
      <Consent {...props} onTurn={turn} />
    </>
  )
}

function Consent({
  view,
  onReload,
  onNext,
  onTurn,
}: ConsentProps & { readonly onTurn: (token: string) => void }) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [language, setLanguage] = useState(view.language)
  const [blocked, setBlocked] = useState(false)
  const { state, given, refused, required, optional } = view.consent

  const ask = (display: ConsentDisplayBody['display']) =>
    act.run(async () => {
      // Open the window before any await: browsers block windows that open later than the click.
      const second = display === 'SECOND' ? open('about:blank', 'counterproof-applicant', 'popup') : null
      setBlocked(display === 'SECOND' && !second)
      if (display === 'SECOND' && !second) return
      const body: ConsentDisplayBody = { display, language }
      try {
        const { token } = await client.send<ConsentDisplay>(
          'POST',
          `assist/${view.visitId}/consent-display`,
          {
            body,
          },
        )
        if (second) second.location.href = `${location.pathname}#/display/${token}`
        else onTurn(token)
      } catch (error) {
        second?.close()
        throw error
      }
      onReload()
    })
  if (state === 'GIVEN')
    return (
      <Card title={t('assist.step.consent')} marked>
        <Notice tone="done" title={t('assist.consent.given')} />
        <ul class="plain-list">
          {[...required, ...optional].map((type) => (
            <li key={type} class="with-icon">
              <Icon name={given.includes(type) ? 'done' : 'close'} size={16} />
              <span>
                {t(`consent.${type}` as 'consent.PORTRAIT')} –{' '}
                {given.includes(type)
                  ? t('consent.given')
                  : t(refused.includes(type) ? 'assist.consent.not-given' : 'assist.consent.not-asked')}
              </span>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <GoOn onNext={onNext} />
        </div>
      </Card>
    )
  if (state === 'REFUSED')
    return (
      <Card title={t('assist.step.consent')} marked>
        <Notice tone="note" title={t('assist.consent.refused')}>
          <p>{t('assist.consent.refused.text')}</p>
        </Notice>
        <ToStart />
      </Card>
    )
  return (
    <Card title={t('assist.consent.title')} marked>
      <p>{t('assist.consent.text')}</p>
      <SelectField
        label={t('assist.language')}
        value={language}
        choices={LANGUAGES.map(({ tag, name }) => ({ value: tag, label: name }))}
        onChange={setLanguage}
      />
      <div role="status">
        {state === 'WAITING' && <Notice tone="waiting" title={t('assist.consent.waiting')} />}
      </div>
      {blocked && <Notice tone="attention" alert title={t('assist.consent.blocked')} />}
      <ProblemNotice problem={act.problem} />
      <div class="assist-choice">
        <Button
          kind={state === 'WAITING' ? 'plain' : 'primary'}
          icon="retry"
          working={act.working}
          onClick={() => void ask('TURNED')}
        >
          {t('assist.consent.turn')}
        </Button>
        <p class="muted">{t('assist.consent.turn.text')}</p>
        <Button icon="counter" working={act.working} onClick={() => void ask('SECOND')}>
          {t('assist.consent.second')}
        </Button>
        <p class="muted">{t('assist.consent.second.text')}</p>
      </div>
    </Card>
  )
}
