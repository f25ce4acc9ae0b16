/** Calls for help, longest waiting first, each answered with one press; whoever called reads the answer at once. */
import type { HelpCall } from '../../../../server/counter/contract/today.ts'
import { useAct, useNow } from '../../hooks.ts'
import { moment } from '../../formats.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { stepWord } from '../../words.ts'

const ANSWERS = ['COMING', 'TWO_MINUTES', 'GO_TO_COUNTER'] as const satisfies readonly HelpCall['answer'][]

export function HelpCalls({
  calls,
  onChanged,
}: {
  readonly calls: readonly HelpCall[]
  readonly onChanged: () => void
}) {
  const { t } = useText()
  return (
    <section aria-labelledby="help-calls" hidden={calls.length === 0}>
      <h2 id="help-calls">{t('help.title')}</h2>
      {/* A new call is read out; that an old one still waits is not. */}
      <p class="only-read" role="status">
        {calls.length > 0 ? t('help.waiting', { count: calls.length }) : ''}
      </p>
      <ul class="calls">
        {calls.map((call) => (
          <Call key={call.visitId} call={call} onChanged={onChanged} />
        ))}
      </ul>
    </section>
  )
}

function Call({ call, onChanged }: { readonly call: HelpCall; readonly onChanged: () => void }) {
  const texts = useText()
  const { t, formats } = texts
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const now = useNow(1_000)
  const waitedMs = Math.max(0, Math.max(now, client.now()) - moment(call.askedAt).getTime())
  const answer = (given: (typeof ANSWERS)[number]) =>
    act.run(async () => {
      await client.send('POST', `help-calls/${call.visitId}/answer`, { body: { answer: given } })
      tell(t('help.answered', { kiosk: call.kiosk, answer: t(`help.answer.${given}`) }))
      onChanged()
    })
  return (
    <li class={call.answer ? 'call call-answered' : 'call'}>
      <Icon name="help" size={24} />
      <div class="call-words">
        <p class="call-where">
          <b>{call.kiosk}</b>
          <span>{stepWord(call.step, texts)}</span>
          <span>{formats.language(call.language)}</span>
          {call.reference && <Mono>{call.reference}</Mono>}
        </p>
        <p class="muted">
          {t('help.waits', { time: formats.span(waitedMs) })}
          {call.answer && (
            <>
              {' · '}
              <Badge tone="done">{t(`help.answer.${call.answer}`)}</Badge>
            </>
          )}
        </p>
        <ProblemNotice problem={act.problem} />
      </div>
      <div class="buttons" role="group" aria-label={t('help.answer-to', { kiosk: call.kiosk })}>
        {ANSWERS.map((given) => (
          <Button
            key={given}
            kind={given === 'COMING' && !call.answer ? 'primary' : 'plain'}
            pressed={call.answer === given}
            working={act.working}
            onClick={() => void answer(given)}
          >
            {t(`help.answer.${given}`)}
          </Button>
        ))}
        {call.mayTakeOver && can('proofings:assist') && (
          <LinkButton kind="quiet" icon="assist" href={linkTo('assist', { 'help-call': call.visitId })}>
            {t('help.take-over')}
          </LinkButton>
        )}
      </div>
    </li>
  )
}
