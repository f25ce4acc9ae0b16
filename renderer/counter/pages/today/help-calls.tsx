/**
 * Applicants who wait for an officer, longest first: calls for help, and applicants whom a kiosk sent here.
 * One officer at a time holds each call.
 */
import type { HelpCall } from '../../../../server/counter/contract/today.ts'
import { useAct, useNow } from '../../hooks.ts'
import { parseUtcTime } from '../../formats.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { isOpen } from '../../shell/waiting.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { stepWord } from '../../words.ts'
import { AlertSwitches } from './alert-switches.tsx'

const ANSWERS = ['COMING', 'TWO_MINUTES', 'GO_TO_COUNTER'] as const satisfies readonly HelpCall['answer'][]

const ENDS = ['DONE', 'DID_NOT_COME'] as const

export function HelpCalls({
  calls,
  onChanged,
}: {
  readonly calls: readonly HelpCall[]
  readonly onChanged: () => void
}) {
  const { t } = useText()
  // Open calls come first, longest waiting first.
  const inOrder = [...calls.filter(isOpen), ...calls.filter((call) => !isOpen(call))]
  return (
    <section aria-labelledby="help-calls">
      <div class="section-head">
        <h2 id="help-calls">{t('help.title')}</h2>
        <AlertSwitches />
        <LinkButton kind="quiet" icon="devices" href={linkTo('waiting')}>
          {t('waiting.only')}
        </LinkButton>
      </div>
      {/* Screen readers announce a new call; a call that still waits is not repeated. */}
      <p class={calls.length > 0 ? 'only-read' : 'muted'} role="status">
        {calls.length > 0 ? t('help.waiting', { count: calls.filter(isOpen).length }) : t('help.none')}
      </p>
      <ul class="calls" hidden={calls.length === 0}>
        {inOrder.map((call) => (
          <Call key={call.visitId} call={call} onChanged={onChanged} />
        ))}
      </ul>
    </section>
  )
}

/** Describes how long the applicant has waited, and why. */
export function waitingWords(call: HelpCall, waitedMs: number, { t, formats }: Texts): string {
  const time = formats.span(waitedMs)
  if (call.kind === 'HELP') return t('help.waits', { time })
  const because = call.because === null ? '' : ` · ${t(`waiting.because.${call.because}`)}`
  return `${t('waiting.sent', { time })}${because}`
}

function Call({ call, onChanged }: { readonly call: HelpCall; readonly onChanged: () => void }) {
  const texts = useText()
  const { t, formats } = texts
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const now = useNow(1_000)
  const waitedMs = Math.max(0, Math.max(now, client.now()) - parseUtcTime(call.askedAt).getTime())
  const { heldBy, kind, kiosk, visitId } = call
  const isColleagues = heldBy !== null && !heldBy.isMe
  const answer = (given: (typeof ANSWERS)[number]) =>
    act.run(async () => {
      try {
        const body = { answer: given, heldBy: heldBy?.staffId ?? null }
        await client.send('POST', `help-calls/${visitId}/answer`, { body })
        if (kind === 'HELP') tell(t('help.answered', { kiosk, answer: t(`help.answer.${given}`) }))
      } finally {
        // A colleague was faster, or the applicant withdrew the call: reload the list.
        onChanged()
      }
    })
  const close = (state: (typeof ENDS)[number]) =>
    act.run(async () => {
      try {
        await client.send('POST', `help-calls/${visitId}/close`, { body: { state } })
        tell(t('waiting.closed', { kiosk, end: t(`waiting.end.${state}`) }), {
          undo: () => void reopen(),
        })
      } finally {
        onChanged()
      }
    })
  const reopen = async () => {
    try {
      await client.send('POST', `help-calls/${visitId}/reopen`)
    } catch {
      tell(t('waiting.not-reopened'), { tone: 'attention' })
    }
    onChanged()
  }
  const answers = kind === 'SENT' || isColleagues ? (['COMING'] as const) : ANSWERS
  const describeAnswer = (given: (typeof ANSWERS)[number]) =>
    isColleagues ? t('waiting.instead') : kind === 'SENT' ? t('waiting.take') : t(`help.answer.${given}`)
  return (
    <li class={heldBy ? 'call call-answered' : 'call'}>
      <Icon name={kind === 'SENT' ? 'person' : 'help'} size={24} />
      <div class="call-words">
        <p class="call-where">
          <b>{kiosk}</b>
          <span>{stepWord(call.step, texts)}</span>
          <span>{formats.language(call.language)}</span>
          {call.reference && <Mono>{call.reference}</Mono>}
        </p>
        <p class="muted">
          {waitingWords(call, waitedMs, texts)}
          {call.overdue && (
            <>
              {' · '}
              <Badge tone="problem" icon="clock">
                {t('waiting.overdue')}
              </Badge>
            </>
          )}
          {heldBy && (
            <>
              {' · '}
              <Badge tone="done">
                {heldBy.isMe
                  ? kind === 'SENT' || !call.answer
                    ? t('waiting.mine')
                    : t(`help.answer.${call.answer}`)
                  : t('waiting.held', { name: heldBy.name })}
              </Badge>
            </>
          )}
        </p>
        {kind === 'SENT' && heldBy?.isMe && !call.mayTakeOver && call.because !== 'NO_CONSENT' && (
          <p class="muted small">{t('waiting.by-receipt')}</p>
        )}
        <ProblemNotice problem={act.problem} />
      </div>
      <div class="buttons" role="group" aria-label={t('help.answer-to', { kiosk })}>
        {!(kind === 'SENT' && heldBy?.isMe) &&
          answers.map((given) => (
            <Button
              key={given}
              kind={given === 'COMING' && !heldBy ? 'primary' : 'plain'}
              {...(heldBy?.isMe ? { pressed: call.answer === given } : {})}
              working={act.working}
              onClick={() => void answer(given)}
            >
              {describeAnswer(given)}
            </Button>
          ))}
        {kind === 'SENT' &&
          heldBy?.isMe &&
          ENDS.map((state) => (
            <Button key={state} kind="quiet" working={act.working} onClick={() => void close(state)}>
              {t(`waiting.end.${state}`)}
            </Button>
          ))}
        {call.mayTakeOver && !isColleagues && can('proofings:assist') && (
          <LinkButton kind="quiet" icon="assist" href={linkTo('assist', { 'help-call': visitId })}>
            {t('help.take-over')}
          </LinkButton>
        )}
      </div>
    </li>
  )
}
